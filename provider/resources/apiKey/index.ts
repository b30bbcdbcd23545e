/** An API key of a workspace (interface, sections 2 and 4.1 to 4.5). */
import { define } from "../../core/definition";
import { read } from "./gone";
import {
  adoptionNote,
  follows,
  keepsExisting,
  label,
  pending,
  previewCreate,
  previewUpdate,
  shape,
  unchanged,
  updateNote,
} from "./model";
import { identities, rules } from "./rules";
import { create, ifUnsaved, isCreated, remove, update } from "./write";

export const apiKey = define({
  kind: "ApiKey",
  shape,
  label,
  held: ({ id, state: { workspaceId } }) => [{ workspaceId, id }],
  rules,
  identities,
  pending,
  keepsExisting,
  unchanged,
  follows,
  createNote: (inputs) => adoptionNote(label(inputs), inputs),
  updateNote,
  previewCreate,
  previewUpdate,
  importing: {
    form: "workspaceId/keyId",
    read: (session, [workspaceId = "", keyId = ""]) => read(session, keyId, { workspaceId }),
  },
  create,
  created: (state) => (isCreated(state) ? state : undefined),
  ifUnsaved: (session, inputs) => ifUnsaved(session, [inputs]),
  read,
  update,
  delete: remove,
});
