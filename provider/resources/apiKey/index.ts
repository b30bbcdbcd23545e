/** An API key of a workspace (interface, sections 2 and 4.1 to 4.5). */
import { define } from "../../core/definition";
import { label, plan, shape } from "./model";
import { read } from "./read";
import { identities, rules } from "./rules";
import { create, remove, unsaved, update } from "./write";

export const apiKey = define({
  kind: "ApiKey",
  shape,
  objects: { identities },
  rules,
  plan,
  create,
  ifUnsaved: (inputs) => (inputs.existingId === undefined ? unsaved(label(inputs)) : undefined),
  importing: {
    form: "workspaceId/keyId",
    read: (session, [workspaceId = "", id = ""]) => read(session, { id, state: { workspaceId } }),
  },
  read,
  update,
  delete: remove,
});
