import * as z from "zod";
import { facts, flag, map, number, text } from "../definition";
import type { Properties } from "../state";
import { containsUnknown, isUnknown } from "../unknown";
import {
  equal,
  jsonObject,
  keepersMap,
  optionalFlag,
  optionalText,
  pathSegment,
  requiredText,
} from "./fields";
import { canonicalScopes, repeated, scopeNames, scopesSchema } from "./keyScopes";

const replaces = (canonical = text) => ({ onChange: "replace", canonical }) as const;

/** What an API key is declared with, whether it is a resource of its own or one of a set's. */
export const inputs = z.strictObject({
  workspaceId: pathSegment("the id of a workspace").register(facts, replaces()),
  customerId: requiredText("the id of a customer").register(facts, replaces()),
  name: requiredText("a name").register(facts, { onChange: "update", canonical: text }),
  scopes: scopesSchema.register(facts, {
    onChange: "update",
    canonical: canonicalScopes,
    default: [],
    names: () => scopeNames,
  }),
  enabled: optionalFlag().register(facts, { onChange: "update", canonical: flag, default: true }),
  prefix: optionalText().register(facts, replaces()),
  expiresAt: z
    .int({ error: "must be a whole number above 0, in the service's own unit" })
    .positive({ error: "must be above 0; leave it out for the service's own default" })
    .nullish()
    .register(facts, replaces(number)),
  externalMeterId: optionalText().register(facts, replaces()),
  metadata: jsonObject().register(facts, replaces(map)),
  existingKey: optionalText("text, the value of the key").register(facts, { ...replaces(), secret: true }),
  keepers: keepersMap().register(facts, replaces(map)),
});

export type ApiKeyInputs = z.input<typeof inputs>;

/** Whether a new value of a field means the same as the state: the value taken over stays the key's for ever (K5). */
export function unchanged(field: string, state: Properties, value: unknown): boolean {
  return field === "existingKey" && (value === undefined || value === state["key"]);
}

/** Failures that concern more than one input (K3, K5). */
export function rules(declared: Properties, before: Properties | undefined): readonly string[] {
  const failures = repeated(declared["scopes"]).map(
    (place) => `scopes[${place}].representation: stands twice in scopes; merge the two entries into one.`,
  );
  const value = text(declared["existingKey"]);
  // What is not known yet may be absent in the end.
  if (value === undefined || isUnknown(value)) return failures;
  for (const name of ["prefix", "expiresAt", "externalMeterId"]) {
    if (text(declared[name]) === undefined || isUnknown(declared[name])) continue;
    failures.push(
      `${name}: can't stand beside existingKey, since the service takes a key over without it; leave it out.`,
    );
  }
  if (before === undefined || before["existingKey"] !== value) return failures;
  for (const name of ["workspaceId", "customerId", "metadata", "keepers"] as const) {
    const canonical = facts.get(inputs.shape[name])?.canonical ?? text;
    if (containsUnknown(declared[name]) || equal(canonical(before[name]), canonical(declared[name])))
      continue;
    failures.push(
      `${name}: can't change while existingKey stays, since the service can't hold one key twice and deleting the old record would end it; give a new existingKey, or remove the key in one up and declare it in the next.`,
    );
  }
  return failures;
}
