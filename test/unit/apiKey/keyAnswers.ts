import { apiKey } from "../../../provider/resources/apiKey";
import { type Options, refused, replying } from "../replying";

export const state = {
  workspaceId: "ws_1",
  customerId: "c",
  name: "ci",
  scopes: [],
  enabled: true,
  key: "sk_1",
};

/** The same key in the service. */
export const record = { id: "key_1", name: "ci", customerId: "c", scopes: [], enabled: true };
export const alive = { apiKey: record };
export const markedDeleted = { apiKey: { ...record, deleted: true } };

/** Answers to a GET of a key that no longer exists. */
export const missing = [
  ["404", refused(404)],
  ["410", refused(410)],
  ["a record that is deleted", markedDeleted],
] as const;

export interface Answers extends Options {
  /** The answers to GETs of the key in turn; the last one repeats. An Error is thrown. */
  readonly reads?: readonly unknown[];
  /** The answer to each write. */
  readonly write?: unknown;
  /** Default: a list without the key. A function is called at each GET. */
  readonly list?: unknown;
  readonly workspace?: unknown;
}

/** The operations of an ApiKey on a service with these answers, which has key_2, too. */
export function keyOn({ reads = [alive], write, list, workspace, ...options }: Answers) {
  let read = 0;
  return replying(
    apiKey,
    ({ method, path }) => {
      const answer =
        method !== "GET"
          ? write
          : path.endsWith("/api-key")
            ? ((typeof list === "function" ? list() : list) ?? { apiKeys: [{ ...record, id: "key_2" }] })
            : path.endsWith("/key_2")
              ? { apiKey: { ...record, id: "key_2" } }
              : path.includes("/api-key/key_")
                ? reads[Math.min(read++, reads.length - 1)]
                : (workspace ?? { workspace: { id: "ws_1" } });
      if (answer instanceof Error) throw answer;
      return answer;
    },
    options,
  );
}
