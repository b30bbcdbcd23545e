import type { IncomingHttpHeaders } from "node:http";
import type { Store } from "./store";
import type { StoredWorkspace } from "./types";
import type { Variant } from "./variant";

type Headers = Readonly<Record<string, string>>;

/** The service's answer to a request, before a fault changes it and before it is sent. */
export interface Answer {
  status: number;
  /** Sent as JSON; a string as it is; undefined: no body. */
  body?: unknown;
  headers?: Headers;
  /** Whether a write changed the store, or will change it. */
  carriedOut?: boolean;
}

/** Thrown to refuse a request. The variant decides on the form of the answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Headers;

  constructor(status: number, message: string, headers: Headers = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const errorBodies: Readonly<Record<Variant["errorBody"], (message: string, status: number) => unknown>> = {
  message: (message) => ({ message }),
  error: (message) => ({ error: message }),
  nested: (message, status) => ({ error: { code: `E${status}`, message } }),
  list: (message) => ({ errors: [{ message }] }),
  problem: (detail, status) => ({ type: "about:blank", title: "Refused", status, detail }),
  text: (message) => message,
  empty: () => undefined,
};

/** The answer to a refused request, whose text the variant may repeat. */
export function refusalAnswer(
  { status, message, headers }: Refusal,
  variant: Variant,
  request: { headers: IncomingHttpHeaders; text: string },
): Answer {
  const repeated = `${message} (${request.headers.authorization}; ${request.text})`;
  const text = variant.errorEchoes === "request" ? repeated : message;
  const type = variant.errorBody === "problem" ? { "content-type": "application/problem+json" } : {};
  const body = errorBodies[variant.errorBody](text, status);
  return { status, body, headers: { ...headers, ...type } };
}

/** The answer of a successful PATCH or DELETE, with this body if the variant sends one. */
export function writeAnswer(
  body: unknown,
  how: Variant["patchAnswer"] | Variant["deleteAnswer"],
  { writes }: Variant,
): Answer {
  const status = writes === "queued" ? 202 : how === "nothing" ? 204 : 200;
  if (how === "nothing" || how === "emptyBody") return { status, carriedOut: true };
  return { status, carriedOut: true, body: how === "emptyObject" ? {} : body };
}

/** An authorised request whose body is valid. */
export interface Call<Body = undefined> {
  store: Store;
  variant: Variant;
  /** Name of the tenant whose token was sent. */
  tenant: string;
  /** The path as sent, and the number of the page that its query asks for. */
  path: string;
  page: number;
  /** The path parameters, decoded, in the path's order. */
  params: readonly string[];
  body: Body;
}

/** A workspace that the caller's tenant may see. */
export function findWorkspace({ store, variant, tenant }: Call<unknown>, id = ""): StoredWorkspace {
  const workspace = store.workspaces.get(id);
  if (workspace?.tenant === tenant) return workspace;
  if (workspace !== undefined && variant.otherTenant === 403)
    throw new Refusal(403, "this token may not see the workspace");
  throw new Refusal(404, "there is no such workspace");
}

/** Whether a list is empty because its workspace can't be seen. Otherwise, the workspace can be seen. */
export function isListHidden(call: Call, id = ""): boolean {
  if (call.variant.otherTenant === "empty" && call.store.workspaces.get(id)?.tenant !== call.tenant)
    return true;
  findWorkspace(call, id);
  return false;
}

/** Carries out a write: at once or later, as the variant says. */
export function carryOut({ store, variant }: Call<unknown>, change: () => void): void {
  if (variant.writes === "atOnce") change();
  else store.later.add(variant.laterMs, change);
}
