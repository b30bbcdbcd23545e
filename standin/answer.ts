import type { Store } from "./store";
import type { StoredWorkspace } from "./types";
import type { Variant } from "./variant";

/** The service's answer to a request, before a fault changes it and before it is sent. */
export interface Answer {
  status: number;
  /** Sent as JSON; a string as it is; undefined: no body. */
  body?: unknown;
  headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Whether a write changed the store, or will change it. */
  carriedOut?: boolean;
  /** Why the request was refused. The variant decides on the form of the body. */
  refusal?: string;
}

/** A refusal. `finishRefusal` adds its body. */
export function refuse(
  status: number,
  refusal: string,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): Answer {
  return { status, refusal, headers };
}

/** Adds the variant's body to a refusal. Any other answer stays as it is. */
export function finishRefusal(answer: Answer, variant: Variant, echo: string): Answer {
  const { refusal, status, ...rest } = answer;
  if (refusal === undefined) return answer;
  const message = variant.errorEchoes === "request" ? `${refusal} (${echo})` : refusal;
  switch (variant.errorBody) {
    case "message":
      return { ...rest, status, body: { message } };
    case "error":
      return { ...rest, status, body: { error: message } };
    case "nested":
      return { ...rest, status, body: { error: { code: `E${status}`, message } } };
    case "list":
      return { ...rest, status, body: { errors: [{ message }] } };
    case "problem": {
      const headers = { ...rest.headers, "content-type": "application/problem+json" };
      return {
        ...rest,
        status,
        headers,
        body: { type: "about:blank", title: "Refused", status, detail: message },
      };
    }
    case "text":
      return { ...rest, status, headers: { ...rest.headers, "content-type": "text/plain" }, body: message };
    case "empty":
      return { ...rest, status };
  }
}

/** The answer of a successful PATCH or DELETE, with this body if the variant sends one. */
export function writeAnswer(
  body: unknown,
  how: Variant["patchAnswer"] | Variant["deleteAnswer"],
  { writes }: Variant,
): Answer {
  const taken = { status: writes === "queued" ? 202 : 200, carriedOut: true };
  switch (how) {
    case "after":
    case "before":
    case "record":
      return { ...taken, body };
    case "nothing":
      return writes === "queued" ? taken : { ...taken, status: 204 };
    case "emptyBody":
      return taken;
    case "emptyObject":
      return { ...taken, body: {} };
  }
}

/** An authorised request whose body is valid. */
export interface Call<Body = undefined> {
  store: Store;
  variant: Variant;
  /** Name of the tenant whose token was sent. */
  tenant: string;
  /** The path parameters, decoded, in the path's order. */
  params: readonly string[];
  body: Body;
}

/** A workspace that the caller's tenant may see, or the refusal. */
export function findWorkspace(
  { store, variant, tenant }: Call<unknown>,
  id: string | undefined,
): { workspace: StoredWorkspace } | { refusal: Answer } {
  const workspace = store.workspaces.get(id ?? "");
  if (workspace?.tenant === tenant) return { workspace };
  if (workspace !== undefined && variant.otherTenant === 403) {
    return { refusal: refuse(403, "this token may not see the workspace") };
  }
  return { refusal: refuse(404, "there is no such workspace") };
}

/** Carries out a write: at once or later, as the variant says. */
export function carryOut({ store, variant }: Call<unknown>, object: string, change: () => void): void {
  if (variant.writes === "atOnce") change();
  else store.later.add(object, variant.laterMs, change);
}

/** The records of a list that the answer shows. */
export function cutList<T>(records: readonly T[], { listOrder, listLimit }: Variant): readonly T[] {
  const cut = listLimit > 0 ? records.slice(0, listLimit) : records;
  return listOrder === "newestFirst" ? [...cut].reverse() : cut;
}
