import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { finishRefusal, refuse } from "./answer";
import { deliver } from "./deliver";
import type { FaultPlan, LoggedRequest } from "./faults";
import { findRoute, type Incoming, type RateLimiter, respond } from "./respond";
import { spoil, withOtherRecord } from "./spoil";
import { copyOf, type Store } from "./store";

import type { Variant } from "./variant";

/** State that all exchanges of one stand-in share. */
export interface Service {
  readonly store: Store;
  readonly faults: FaultPlan;
  readonly limiter: RateLimiter;
  readonly requests: LoggedRequest[];
  latencyMs: number;
  variant: Variant;
  onRequest(request: LoggedRequest): void;
}

/** Receives one request, logs it, processes it and answers. Rejects if the client aborts its request. */
export async function exchange(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  connection: number,
): Promise<void> {
  const { store, faults, limiter, requests, variant } = service;
  const incoming = await receive(request, store);
  const logged = { ...logEntry(request, incoming), n: requests.length + 1, connection };
  requests.push(logged);
  const fault = faults.next(logged);
  logged.fault = fault?.kind;
  const delivery = spoil(fault, {
    carryOut() {
      const answer = respond(incoming, store, variant, limiter);
      logged.carriedOut = answer.carriedOut ?? false;
      return answer;
    },
    pretend(shown) {
      const asIf = { ...variant, writes: "atOnce", newKeys: "atOnce", ...shown } as const;
      return respond(incoming, copyOf(store), asIf, limiter);
    },
    refuse: (status, message, headers) => finishRefusal(refuse(status, message, headers), variant, ""),
    withOtherRecord: (answer) => withOtherRecord(answer, store, variant, incoming.tenant ?? ""),
  });
  if (service.latencyMs > 0) await pause(service.latencyMs, undefined, { ref: false });
  if (!response.destroyed) {
    await deliver(response, delivery, variant, (status) => {
      logged.status = status;
    });
  }
  // Outside of this promise, so that what it throws is not lost.
  queueMicrotask(() => service.onRequest(logged));
}

async function receive(request: IncomingMessage, store: Store): Promise<Incoming> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { authorization } = request.headers;
  const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
  const json = parse(text);
  // Even a refused value is a secret to the client that sent it.
  for (const secret of [token, (json as { key?: unknown } | null | undefined)?.key]) {
    if (typeof secret === "string" && secret !== "") store.secrets.add(secret);
  }
  return {
    route: findRoute(request.method ?? "", request.url ?? ""),
    tenant: token === undefined ? undefined : store.tokens.get(token),
    authorization,
    contentType: request.headers["content-type"],
    text,
    json,
  };
}

function logEntry(request: IncomingMessage, { route, tenant, text, json }: Incoming) {
  const { authorization: _, ...headers } = request.headers;
  return {
    at: Date.now(),
    method: request.method ?? "",
    path: request.url ?? "",
    endpoint: route.kind === "endpoint" ? route.endpoint : ("unknown" as const),
    tenant,
    body: json !== undefined || text === "" ? json : text,
    headers,
    status: 0,
    fault: undefined as LoggedRequest["fault"],
    carriedOut: false as boolean,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
