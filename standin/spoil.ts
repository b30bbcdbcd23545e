import type { Socket } from "node:net";
import type { Answer } from "./answer";
import { type Delivery, drip, garbled, half, padded } from "./deliver";
import type { Fault } from "./faults";
import { type Shown, showBilling, showKey, showScope, showWorkspace } from "./records";
import type { Store } from "./store";
import type { Variant } from "./variant";

/** What a fault can do with an exchange. */
export interface Exchange {
  /** Processes the request as usual. Call it at most once. */
  carryOut(): Answer;
  /** The answer as if the request had been processed, in this variant. The store stays as it is. */
  pretend(shown: Partial<Variant>): Answer;
  /** An error answer in the variant's form. */
  refuse(status: number, message: string, headers?: Answer["headers"]): Answer;
  /** The same answer with a different record. */
  withOtherRecord(answer: Answer): Answer;
}

const reset = (socket: Socket) => socket.resetAndDestroy();

const page =
  "<!doctype html>\n<html><head><title>Please sign in</title></head><body><h1>Please sign in</h1></body></html>\n";

/** Ends an exchange with the fault or, without a fault, as usual. */
export function spoil(fault: Fault | undefined, exchange: Exchange): Delivery {
  if (fault === undefined) return { answer: exchange.carryOut() };
  switch (fault.kind) {
    case "resetBefore":
      return { end: reset };
    case "resetAfter":
      exchange.carryOut();
      return { end: reset };
    case "errorAfter":
      exchange.carryOut();
      return { answer: exchange.refuse(fault.status ?? 500, "something went wrong") };
    case "status": {
      const { status, body, headers = {} } = fault;
      if (body === undefined) return { answer: exchange.refuse(status, "injected", headers) };
      return { answer: { status, body, headers } };
    }
    case "truncated":
      return { answer: exchange.carryOut(), send: half };
    case "garbled":
      return { answer: { ...exchange.carryOut(), status: 200 }, send: garbled };
    case "hang":
      if (fault.carriedOut) exchange.carryOut();
      return { end: () => {} };
    case "drip":
      return { answer: exchange.carryOut(), send: drip(fault.bytesPerSecond) };
    case "rateLimited": {
      const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      return { answer: exchange.refuse(429, "too many requests", headers) };
    }
    case "redirect":
      return { answer: { status: fault.status ?? 307, headers: { location: fault.to } } };
    case "hugeBody":
      return { answer: exchange.carryOut(), send: padded(fault.bytes, fault.contentLength) };
    case "html": {
      const headers = { "content-type": "text/html; charset=utf-8" };
      return { answer: { status: fault.status ?? 200, headers, body: page } };
    }
    case "otherRecord":
      return { answer: exchange.withOtherRecord(exchange.carryOut()) };
    case "withoutKey":
      return { answer: withoutKey(exchange.carryOut()) };
    case "markedDeleted":
      return { answer: markedDeleted(exchange.carryOut()) };
    case "withoutEffect":
      return { answer: withoutEffect(fault, exchange) };
    case "emptyBody": {
      exchange.carryOut();
      return { answer: { status: fault.status ?? 200 } };
    }
    case "headers": {
      const answer = exchange.carryOut();
      return { answer: { ...answer, headers: { ...answer.headers, ...fault.headers } } };
    }
    case "moreFields":
      return { answer: withMoreFields(exchange.carryOut(), fault.json) };
    case "raw":
      exchange.carryOut();
      return { end: (socket) => socket.end(fault.bytes, "latin1") };
  }
}

const shown = {
  after: { patchAnswer: "after", deleteAnswer: "record" },
  before: { patchAnswer: "before", deleteAnswer: "before" },
} as const;

function withoutEffect(
  { answer: how, status }: Extract<Fault, { kind: "withoutEffect" }>,
  exchange: Exchange,
): Answer {
  const answer = exchange.pretend(how === "after" || how === "before" ? shown[how] : {});
  if (answer.status >= 300) return answer;
  const answered = { ...answer, status: status ?? answer.status };
  if (how === "nothing") return { status: answered.status };
  return how === "emptyObject" ? { ...answered, body: {} } : answered;
}

function markedDeleted(answer: Answer): Answer {
  const { apiKey, apiKeys, ...rest } = Object(answer.body);
  const marked = (key: object) => ({ ...key, deleted: true });
  if (apiKey !== undefined) return { ...answer, body: { ...rest, apiKey: marked(apiKey) } };
  return apiKeys ? { ...answer, body: { ...rest, apiKeys: apiKeys.map(marked) } } : answer;
}

function withoutKey(answer: Answer): Answer {
  const body = answer.body as { apiKey?: Record<string, unknown> } | undefined;
  if (body?.apiKey === undefined) return answer;
  const { key: _, ...rest } = body.apiKey;
  return { ...answer, body: { ...body, apiKey: rest } };
}

/** The same answer with this string after the fields of each record, whether or not that is valid JSON. */
function withMoreFields(answer: Answer, json: string): Answer {
  if (typeof answer.body !== "object" || answer.body === null) return answer;
  const extended = (record: unknown) => JSON.stringify(record).replace(/\}$/, () => `,${json}}`);
  const fields = Object.entries(answer.body).map(([name, value]) => {
    const text = Array.isArray(value) ? `[${value.map(extended).join()}]` : extended(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  const headers = { "content-type": "application/json", ...answer.headers };
  return { ...answer, headers, body: `{${fields.join()}}` };
}

/** The same answer with a different record of the tenant or, if there is none, an invented one. */
export function withOtherRecord(answer: Answer, store: Store, variant: Variant, tenant: string): Answer {
  const body = answer.body as Record<string, Shown> | undefined;
  const isOwn = (workspaceId: string) => store.workspaces.get(workspaceId)?.tenant === tenant;
  for (const field of ["apiKey", "workspace", "scope", "billing"] as const) {
    const record = body?.[field];
    if (record === undefined) continue;
    const how = "key" in record ? "withSecret" : "alone";
    const candidates = {
      *apiKey() {
        for (const key of store.keys.values()) if (isOwn(key.workspaceId)) yield showKey(key, variant, how);
      },
      *workspace() {
        for (const workspace of store.workspaces.values()) {
          if (workspace.tenant === tenant) yield showWorkspace(workspace, variant);
        }
      },
      *scope() {
        for (const [workspaceId, scopes] of store.scopesOf) {
          if (isOwn(workspaceId)) for (const scope of scopes.values()) yield showScope(scope, variant);
        }
      },
      *billing() {
        for (const billing of store.billings.values()) {
          if (isOwn(billing.workspaceId)) yield showBilling(billing, variant);
        }
      },
    };
    return {
      ...answer,
      body: { ...body, [field]: firstOther(candidates[field](), record) ?? invent(record) },
    };
  }
  return answer;
}

function firstOther(candidates: Iterable<Shown>, record: Shown): Shown | undefined {
  for (const candidate of candidates) if (candidate["id"] !== record["id"]) return candidate;
  return undefined;
}

function invent(record: Shown): Shown {
  const id = record["id"];
  return { ...record, id: typeof id === "number" ? id + 1 : `${id}-other` };
}
