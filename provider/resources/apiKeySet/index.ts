/**
 * Many API keys of a workspace as one resource, each under an alias of its own. Each is kept as an ApiKey of the same
 * inputs would be, all within one update: missing ones are made, different ones edited in place or replaced by a new key
 * before the old one is deleted, and what is no longer declared is deleted. Only another workspace replaces the set.
 * Destroy deletes all its keys (interface, sections 2 and 4.1 to 4.5).
 */
import type { Definition } from "../../core/definition";
import { isRecord } from "../../core/state";
import { given, holderOf } from "../apiKey/state";
import { follows, holdingOf, inputsOf, isPending } from "./entries";
import { entriesIn, inputs, merged } from "./inputs";
import { create, read, remove, update, withdraw } from "./operations";
import { isQuiet } from "./plan";
import { foretold } from "./preview";
import { rules } from "./rules";

export const apiKeySet: Definition = {
  kind: "ApiKeySet",
  of: "ApiKey",
  members: {
    declared: (declared) => entriesIn(declared).map(([alias, entry]) => merged(declared, alias, entry)),
    held: (state, id) => {
      const { entries, left } = holdingOf(state, id);
      const properties = { workspaceId: state["workspaceId"] };
      return [
        ...Array.from(entries.values(), (key) => ({ id: key.id, properties, holder: holderOf(key.state) })),
        ...left.map((key) => ({ id: key.id, properties })),
      ];
    },
  },
  schema: inputs,
  given: (declared) =>
    entriesIn(declared).flatMap(([alias, entry]) =>
      isRecord(entry) && entry["existingKey"] ? given(merged(declared, alias, entry)) : [],
    ),
  rules,
  pending: (state) => (isPending(state) ? [] : undefined),
  unchanged: (field, state, _value, declared) =>
    field !== "workspaceId" && isQuiet(holdingOf(state), declared),
  follows,
  foretold,
  declared: inputsOf,
  create,
  abandon: (session, made) => withdraw(session, made, undefined),
  read,
  update,
  withdraw,
  deletes: true,
  delete: remove,
};
