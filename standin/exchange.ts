import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { Refusal, refusalAnswer } from "./answer";
import type { FaultPlan, LoggedRequest } from "./faults";
import { findRoute, type Incoming, respond, type Service } from "./respond";
import { spoil } from "./spoil";
import type { Store } from "./store";

/** State that all exchanges of one stand-in share. */
export interface Shared extends Service {
  readonly faults: FaultPlan;
  readonly requests: LoggedRequest[];
  readonly latencyMs: number;
  onRequest(request: LoggedRequest): void;
}

/** Receives one request, logs it, processes it and answers. Rejects if the client aborts its request. */
export async function exchange(
  shared: Shared,
  request: IncomingMessage,
  response: ServerResponse,
  connection: number,
): Promise<void> {
  const incoming = await receive(request, shared.store);
  // As they are now, because a later `setVariant` is for the next request.
  const { store, variant, requests, latencyMs } = shared;
  const logged = { ...logEntry(request, incoming), n: requests.length + 1, connection };
  requests.push(logged);
  const fault = shared.faults.next(logged);
  logged.fault = fault?.kind;
  const deliver = spoil(fault, {
    store,
    variant,
    tenant: incoming.tenant,
    carryOut(shown) {
      const answer = respond(incoming, { store, variant: { ...variant, ...shown } });
      logged.carriedOut ||= answer.carriedOut ?? false;
      return answer;
    },
    pretend(shown) {
      const asIf = { ...variant, writes: "atOnce", newKeys: "atOnce", ...shown } as const;
      return respond(incoming, { store: store.copy(), variant: asIf });
    },
    refuse: (status, message, headers) =>
      refusalAnswer(new Refusal(status, message, headers), variant, incoming),
  });
  if (latencyMs > 0) await pause(latencyMs, undefined, { ref: false });
  const { socket } = response;
  if (socket !== null && !response.destroyed) {
    // The client has left, so nobody receives the answer.
    response.on("error", () => {});
    const onStatus = (status: number) => {
      logged.status = status;
    };
    await deliver({ response, socket, onStatus });
  }
  // Outside of this promise, so that what it throws is not lost.
  queueMicrotask(() => shared.onRequest(logged));
}

async function receive(request: IncomingMessage, store: Store): Promise<Incoming> {
  const { method = "", url = "", headers } = request;
  const content = await text(request);
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  const json = parse(content);
  // Even a refused value is a secret to the client that sent it.
  for (const secret of [token, Object(json).key]) {
    if (typeof secret === "string" && secret !== "") store.secrets.add(secret);
  }
  return { route: findRoute(method, url), tenant: store.tenantOf(token), headers, text: content, json };
}

function logEntry({ method = "", url: path = "" }: IncomingMessage, incoming: Incoming) {
  const { route, tenant, text, json } = incoming;
  const { authorization: _, ...headers } = incoming.headers;
  const body = json !== undefined || text === "" ? json : text;
  const endpoint = route.endpoint ?? ("unknown" as const);
  const request = { method, path, endpoint, tenant, body, headers };
  return { ...request, status: 0, fault: undefined as LoggedRequest["fault"], carriedOut: false as boolean };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
