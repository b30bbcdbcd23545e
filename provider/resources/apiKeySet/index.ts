/**
 * Many API keys of a workspace as one resource, each under an alias of its own. Each is kept as an ApiKey of the same
 * inputs would be, all within one update: missing ones are created, different ones edited in place or replaced by a new key
 * before the old one is deleted, and keys that are no longer declared are deleted. Only another workspace replaces the set.
 * Destroy deletes all its keys (interface, sections 2 and 4.1 to 4.5).
 */
import { define } from "../../core/definition";
import { identities } from "../apiKey/rules";
import { adopts } from "../apiKey/state";
import { follows, holdingOf, idsIn, inputsOf, isPending, nothing, toDeleteIn } from "./entries";
import { expiries, foresee } from "./foresight";
import { previewNote } from "./notes";
import { create, find, read, remove, rollback, update } from "./operations";
import { existingIn, shape } from "./properties";
import { rules } from "./rules";
import { changesNothing, plan } from "./steps";

export const apiKeySet = define({
  kind: "ApiKeySet",
  shape,
  onDestroy: "delete",
  of: "ApiKey",
  managed: (id, state) => {
    const { workspaceId } = state;
    return [
      ...idsIn(state).map(([, keyId]) => ({ workspaceId, id: keyId, claim: id })),
      ...toDeleteIn(state).map((key) => ({ workspaceId, id: key.id, claim: undefined })),
    ];
  },
  rules,
  identities: (declared) => existingIn(declared).flatMap(identities),
  adopts: (declared) => existingIn(declared).flatMap(adopts),
  plan: ({ state, inputs }) => plan(holdingOf(state), inputs),
  pending: ({ state }) => (isPending(state) ? [] : undefined),
  unchanged: (name, _value, compared) => name !== "workspaceId" && changesNothing(compared.plan),
  follows,
  createNote: (declared) => previewNote({}, plan(nothing, declared)),
  updateNote: (compared) => previewNote(compared.state, compared.plan),
  expiries: (compared) => expiries(compared.state, compared.plan),
  secretPath: (path) => {
    const [name, alias, ...rest] = path;
    return name === "keys" && alias !== undefined ? [name, "*", ...rest] : path;
  },
  foreseeCreate: (declared) => foresee(plan(nothing, declared)),
  foreseeUpdate: (compared) => foresee(compared.plan),
  inputsOf,
  importing: { form: "workspaceId/alias=keyId,alias=keyId", read: find },
  create,
  rollbackCreate: rollback,
  read,
  update,
  rollbackUpdate: rollback,
  delete: remove,
});
