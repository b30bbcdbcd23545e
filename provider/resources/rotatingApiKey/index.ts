/**
 * An API key that is replaced by a new one when it is old enough, or when an input needs a new key. The previous key
 * stays valid for the overlap, so that its users have time to change; name, scopes and enabled are updated in place
 * on both. A key is created by one update and deleted by a later one, never by a refresh. Destroy deletes both (interface,
 * sections 2 and 4.1 to 4.5).
 */
import { define } from "../../core/definition";
import { identities } from "../apiKey/rules";
import { adoptionNote, adopts } from "../apiKey/state";
import { decide, isPending } from "./decision";
import { updateNote } from "./notes";
import { create, read, remove, rollback, update } from "./operations";
import { previewCreate, previewUpdate } from "./preview";
import { shape, unchanged } from "./properties";
import { rules } from "./rules";
import { follows, keysOf, label } from "./state";

export const rotatingApiKey = define({
  kind: "RotatingApiKey",
  shape,
  objectKind: "ApiKey",
  managed: (id, state) => {
    const { workspaceId } = state;
    const { current, previous, toDelete } = keysOf(state);
    const kept = [current, previous].filter((key) => key !== undefined);
    return [
      ...kept.map((key) => ({ workspaceId, id: key.id, claim: id })),
      ...toDelete.map((key) => ({ workspaceId, id: key.id, claim: undefined })),
    ];
  },
  rules,
  identities,
  plan: decide,
  pending: (compared) => (isPending(compared) ? [] : undefined),
  keepsExisting: ({ state, inputs: { existingId, existingKey } }) =>
    (existingId !== undefined && existingId === state.existingId) ||
    (existingKey !== undefined && existingKey === state.existingKey),
  unchanged,
  follows,
  adopts,
  createNote: (inputs) => adoptionNote(label(inputs), inputs),
  updateNote,
  previewCreate,
  previewUpdate,
  create,
  rollbackCreate: rollback,
  read,
  update,
  rollbackUpdate: rollback,
  delete: remove,
});
