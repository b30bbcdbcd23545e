import * as z from "zod";
import { mostSent, sentBytes } from "../../client/requests";
import { canonicalInputs, spelled } from "../../core/check";
import { facts, fieldsOf, flag, map, number, text } from "../../core/definition";
import { isRecord, type Properties } from "../../core/state";
import { containsUnknown, isUnknown } from "../../core/unknown";
import {
  equal,
  jsonObject,
  keepersMap,
  optionalFlag,
  optionalText,
  oversize,
  pathSegment,
  requiredText,
} from "../fields/schemas";
import { canonicalScopes, repeated, scopeNames, scopesSchema } from "./scopes";
import { createBody, migrateBody } from "./state";

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
  existingKey: z
    .string({ error: "must be text, the value of the key" })
    .refine((value) => value.trim() !== "", {
      error:
        "must not be empty, as an unset variable is: write the value of the key, or leave it out for a new key",
    })
    .nullish()
    .register(facts, { ...replaces(), secret: true }),
  keepers: keepersMap().register(facts, replaces(map)),
});

export type ApiKeyInputs = z.input<typeof inputs>;

/** With what a change of each does. */
export const fields = fieldsOf(inputs);

/** Whether a new value of a field means the same as the state: the value taken over stays the key's for ever (K5). */
export function unchanged(field: string, state: Properties, value: unknown): boolean {
  return field === "existingKey" && (value === undefined || value === state["key"]);
}

/** What is wrong with an input: where it stands, and what to do about it. */
export interface Problem {
  readonly path: readonly [string, ...PropertyKey[]];
  readonly message: string;
}

export function rules(declared: Properties, before: Properties | undefined): readonly string[] {
  return [...contradictions(declared), ...takenOver(declared, before)].map(
    ({ path, message }) => `${spelled(path)}: ${message}`,
  );
}

/** Inputs that can't stand together, or in one request (K3, K5, R8). */
export function contradictions(declared: Properties): readonly Problem[] {
  return [...beside(declared), ...tooMuch(declared)];
}

/** What makes a request too large to be sent, in the same bytes. */
function tooMuch(declared: Properties): readonly Problem[] {
  // Most are far from it: nothing grows more than a scope does, from 23 bytes to 76.
  if (sentBytes(declared) < mostSent / 8) return [];
  const inputs = canonicalInputs(fields, declared);
  const scopes = Array.isArray(inputs["scopes"]) ? inputs["scopes"].filter(isRecord) : [];
  const body = existingValue(inputs) === undefined ? createBody : migrateBody;
  const found = oversize({ ...body({ ...inputs, scopes }) });
  if (found === undefined) return [];
  const { field, message } = found;
  return [{ path: [field === "key" ? "existingKey" : field], message }];
}

function beside(declared: Properties): readonly Problem[] {
  const twice = repeated(declared["scopes"]).map((place): Problem => {
    const message = "stands twice in scopes; merge the two entries into one.";
    return { path: ["scopes", place, "representation"], message };
  });
  if (existingValue(declared) === undefined) return twice;
  const without = ["prefix", "expiresAt", "externalMeterId"].filter(
    (name) => text(declared[name]) !== undefined && !isUnknown(declared[name]),
  );
  const message =
    "can't stand beside existingKey, since the service takes a key over without it; leave it out.";
  return [...twice, ...without.map((name): Problem => ({ path: [name], message }))];
}

/** Inputs that can't change while the key that was taken over stays (K5). */
export function takenOver(declared: Properties, before: Properties | undefined): readonly Problem[] {
  const value = existingValue(declared);
  if (value === undefined || before?.["existingKey"] !== value) return [];
  const changed = (["workspaceId", "customerId", "metadata", "keepers"] as const).filter((name) => {
    const canonical = facts.get(inputs.shape[name])?.canonical ?? text;
    return !containsUnknown(declared[name]) && !equal(canonical(before[name]), canonical(declared[name]));
  });
  const message =
    "can't change while existingKey stays, since the service can't hold one key twice and deleting the old record would end it; give a new existingKey, or remove the key in one up and declare it in the next.";
  return changed.map((name): Problem => ({ path: [name], message }));
}

/** What is not known yet may be absent in the end. */
function existingValue({ existingKey }: Properties): unknown {
  return isUnknown(existingKey) ? undefined : text(existingKey);
}
