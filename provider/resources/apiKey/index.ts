/**
 * An API key of a workspace. Name, scopes and enabled are kept as declared, in place; any other change makes a new key
 * before the old one is deleted. Destroy deletes the key. The service shows the secret once, on create; it is kept in
 * state from then on (interface, sections 2 and 4.1 to 4.5).
 */
import type { Definition } from "../../core/definition";
import { inputs, rules, unchanged } from "./inputs";
import { abandon, create, remove, update } from "./operations";
import { read } from "./reading";
import { follows, given, holderOf, pending } from "./state";

/** Its inputs are in keyInputs.ts, what is done with it in keyOperations.ts: a set of keys does the same with each. */
export const apiKey: Definition = {
  kind: "ApiKey",
  holder: holderOf,
  schema: inputs,
  given,
  rules,
  pending,
  unchanged,
  follows,
  create,
  abandon,
  read,
  update,
  deletes: true,
  delete: remove,
};
