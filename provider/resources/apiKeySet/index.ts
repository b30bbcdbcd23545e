/**
 * Many API keys of a workspace as one resource, each under its own alias. Each is managed as an ApiKey with the same
 * inputs would be. One update creates, updates and replaces keys, then deletes those that are replaced or no longer
 * declared. Only another workspace replaces the set. Destroy deletes all its keys (interface, sections 2 and 4.1 to 4.5).
 */
import { define } from "../../core/definition";
import { identities } from "../apiKey/rules";
import { adopts } from "../apiKey/state";
import { noKeys } from "../keys/owned";
import { previewNote } from "./notes";
import { create, read, remove, rollback, update } from "./operations";
import { changesNothing, keepsExisting, plan } from "./plan";
import { preview } from "./preview";
import { existingIn, shape } from "./properties";
import { rules } from "./rules";
import { follows, idsIn, inputsOf, isPending, ownedKeys, toDelete } from "./state";

export const apiKeySet = define({
  kind: "ApiKeySet",
  shape,
  objectKind: "ApiKey",
  managed: (id, state) => {
    const { workspaceId } = state;
    return [
      ...idsIn(state).map(([, keyId]) => ({ workspaceId, id: keyId, claim: id })),
      ...toDelete(state).map((key) => ({ workspaceId, id: key.id, claim: undefined })),
    ];
  },
  rules,
  identities: (declared) => existingIn(declared).flatMap(identities),
  adopts: (declared) => existingIn(declared).flatMap(adopts),
  plan: ({ state, inputs }) => plan(ownedKeys(state), inputs),
  pending: ({ state }) => (isPending(state) ? [] : undefined),
  keepsExisting: (compared) => keepsExisting(compared.plan),
  unchanged: (name, _value, compared) => name !== "workspaceId" && changesNothing(compared.plan),
  follows,
  createNote: (declared) => previewNote(plan(noKeys, declared)),
  updateNote: (compared) => previewNote(compared.plan),
  secretPath: (path) => {
    const [name, alias, ...rest] = path;
    return name === "keys" && alias !== undefined ? [name, "*", ...rest] : path;
  },
  previewCreate: (declared) => preview(plan(noKeys, declared)),
  previewUpdate: (compared) => preview(compared.plan),
  inputsOf,
  create,
  rollbackCreate: rollback,
  read,
  update,
  rollbackUpdate: rollback,
  delete: remove,
});
