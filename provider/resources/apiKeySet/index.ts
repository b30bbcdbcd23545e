/**
 * Many API keys of a workspace as one resource, each under an alias of its own. Each is kept as an ApiKey of the same
 * inputs would be, all within one update: missing ones are created, different ones edited in place or replaced by a new key
 * before the old one is deleted, and keys that are no longer declared are deleted. Only another workspace replaces the set.
 * Destroy deletes all its keys (interface, sections 2 and 4.1 to 4.5).
 */
import { define } from "../../core/definition";
import { readingKey } from "../../core/state";
import { identities } from "../apiKey/rules";
import { adopts } from "../apiKey/state";
import { follows, holdingOf, inputsOf, isPending } from "./entries";
import { create, find, read, remove, rollback, update } from "./operations";
import { expiries, foresee, isQuiet, previewNote } from "./plan";
import { entriesIn, merged, shape } from "./properties";
import { rules } from "./rules";

export const apiKeySet = define({
  kind: "ApiKeySet",
  shape,
  onDestroy: "delete",
  of: "ApiKey",
  managed: (id, state) => {
    const { entries, toDelete } = holdingOf(state);
    const { workspaceId } = state;
    return [
      ...Array.from(entries.values(), (key) => ({
        workspaceId,
        id: key.id,
        claim: state[readingKey] ? undefined : id,
      })),
      ...toDelete.map((key) => ({ workspaceId, id: key.id, claim: undefined })),
    ];
  },
  rules,
  identities: (declared) =>
    entriesIn(declared).flatMap(([alias, entry]) => identities(merged(declared, alias, entry))),
  adopts: (declared) =>
    entriesIn(declared).flatMap(([alias, entry]) => adopts(merged(declared, alias, entry))),
  pending: (state) => (isPending(state) ? [] : undefined),
  unchanged: (name, state, _value, declared) => name !== "workspaceId" && isQuiet(holdingOf(state), declared),
  follows,
  previewNote,
  expiries: (_id, state, declared) => expiries(state, declared),
  secretPath: (path) => {
    const [name, alias, ...rest] = path;
    return name === "keys" && alias !== undefined ? [name, "*", ...rest] : path;
  },
  foresee,
  inputsOf,
  importing: { form: "workspaceId/alias=keyId,alias=keyId", read: find },
  create,
  rollbackCreate: (session, outcome) => rollback(session, outcome, undefined),
  read,
  update,
  rollbackUpdate: rollback,
  delete: remove,
});
