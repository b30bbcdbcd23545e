/** An API key of a workspace (interface, sections 2 and 4.1 to 4.5). */
import { define } from "../../core/definition";
import { label, plan, shape } from "./model";
import { read } from "./read";
import { identities, rules } from "./rules";
import { create, remove, unsavedAdvice, update } from "./write";

export const apiKey = define({
  kind: "ApiKey",
  shape,
  label,
  objects: { identities },
  rules,
  plan,
  create,
  ifUnsaved: ({ existingId }) => (existingId === undefined ? unsavedAdvice : undefined),
  importing: {
    form: "workspaceId/keyId",
    read: (session, [workspaceId = "", id = ""]) => read(session, { id, state: { workspaceId } }),
  },
  read,
  update,
  delete: remove,
});
