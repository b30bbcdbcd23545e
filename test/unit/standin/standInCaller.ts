import { onTestFinished } from "vitest";
import {
  type StandIn,
  type StandInOptions,
  startStandIn,
  type Variant,
  type VariantName,
} from "../../../standin";

/** A record of an answer, as parsed JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the tests look at JSON whose shape they assert
export type Json = any;

export type Reply = Awaited<ReturnType<typeof send>>;

/** Sends one request with a bearer token and JSON. */
export async function send(
  standIn: StandIn,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${standIn.url}/api/v1${path}`, {
    method,
    redirect: "manual",
    headers: {
      authorization: `Bearer ${standIn.accessToken}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A scope entry of a request. The permissions are words in one string, such as "create read". */
export function entry(representation: string, permissions: string, id?: string) {
  const has = (permission: string) => permissions.split(" ").includes(permission);
  const flags = { create: has("create"), read: has("read"), update: has("update"), del: has("del") };
  return { ...(id === undefined ? {} : { id }), representation, ...flags };
}

/** A valid body of create. */
export const newKey = {
  name: "ci",
  workspaceId: "ws_main",
  scopes: [entry("orders", "read create"), entry("bills", "read")],
  enabled: true,
  customerId: "cust_1",
};

/** A valid body of migrate. */
export const migratedKey = { ...newKey, key: "sk_live_0123456789abcdef", metadata: {} };

/** Starts a stand-in that closes when the test ends. */
export async function open(
  variant: Partial<Variant> | VariantName = {},
  options: Omit<StandInOptions, "variant"> = {},
) {
  const standIn = await startStandIn({ ...options, variant });
  onTestFinished(() => standIn.close());
  const post = (path: string, body: unknown) => send(standIn, "POST", path, body);
  return {
    standIn,
    post,
    create: async (change: object = {}): Promise<Json> =>
      (await post("/api-key", { ...newKey, ...change })).body.apiKey,
    keyPath: (id: string | number) => `/workspace/ws_main/api-key/${encodeURIComponent(id)}`,
    get: (path: string) => send(standIn, "GET", path),
    patch: (path: string, body: unknown) => send(standIn, "PATCH", path, body),
    del: (path: string) => send(standIn, "DELETE", path),
  };
}
