import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Call } from "../../provider/client/request";
import { CallError, openTransport, type TransportOptions } from "../../provider/client/send";
import type { CreateApiKey, CreateBilling } from "../../provider/client/service";
import { type Received, startWireServer, type WireServer } from "./wireServer";

export const token = "tok_0123456789/secret+value=";

/** A `Call` with this base URL and a new transport, whose pauses take no time unless one is given. */
export function callTo(baseUrl: string, options: TransportOptions = {}, accessToken = token): Call {
  const transport = openTransport({ pause: quickPauses().pause, ...options });
  onTestFinished(() => transport.close());
  return { transport, credentials: { baseUrl, accessToken } };
}

/** Pauses that take no time, and how long they were to be. */
export function quickPauses() {
  const waits: number[] = [];
  const pause = async (ms: number) => {
    waits.push(ms);
    await setImmediate();
  };
  return { waits, pause };
}

/** A raw server that closes when the test ends. */
export async function wireServer(
  respond: Parameters<typeof startWireServer>[0],
): Promise<WireServer & { readonly posts: () => Received[] }> {
  const server = await startWireServer(respond);
  onTestFinished(() => server.close());
  return { ...server, posts: () => server.requests.filter(({ method }) => method === "POST") };
}

/** The error of a call. Anything but a CallError fails the test. */
export async function errorOf(call: Promise<unknown>): Promise<CallError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof CallError) return outcome;
  throw new Error(outcome === undefined ? "the call succeeded" : `not a CallError: ${String(outcome)}`);
}

export const newKey: CreateApiKey = {
  name: "ci",
  workspaceId: "ws_main",
  scopes: [{ representation: "docs", create: false, read: true, update: false, del: false }],
  enabled: true,
  customerId: "cust_1",
};

export const newBilling: CreateBilling = {
  totalCredits: "100",
  allowOverages: false,
  spendCap: "0",
  externalMeterId: "meter_1",
  workspaceId: "ws_main",
};

/** An answer of the endpoints that return one key. */
export const keyAnswer = { apiKey: { id: "k", name: "ci" } };
export const keyPath = { workspaceId: "ws_main", keyId: "k" };
