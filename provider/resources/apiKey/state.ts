import type { CreateApiKey, MigrateApiKey } from "../../client/endpoints";
import type { ApiKeyRecord } from "../../client/responses";
import type { Session } from "../../core/definition";
import { capitalised } from "../../core/outcome";
import { isSecret, type SecretPath, secretValues, shown } from "../../core/secrecy";
import { folded, observedKey, type Properties, pick, readingKey, rewritten } from "../../core/state";
import { isUnknown } from "../../core/unknown";
import { managed, observe, type Settled } from "./convergence";
import { toWire } from "./scopes";

/** Projections of an API key: declared → request body, answer → state. */

/** Set where create's answer had no secret (K6). */
export const keyLost = "__keyLost";
/** Set where a key is taken over, at random: one that the service answers again may be another resource's too. */
export const holderKey = "__holder";

/** Whether nobody has the key's secret, which only another key mends (K6). */
export function lost(state: Properties): boolean {
  return state[keyLost] === true;
}

/** What only another key mends, whatever the program says (K6). */
export function pending(state: Properties): readonly string[] | undefined {
  return lost(state) ? ["key"] : undefined;
}

/** Tells the resource from others that have the same key; `undefined` for one that only looks at it. */
export function holderOf(state: Properties): string | undefined {
  if (state[readingKey] !== undefined) return undefined;
  const holder = state[holderKey];
  return typeof holder === "string" ? holder : "";
}

/** What a message calls a key. */
export function label(properties: Properties): string {
  const name = properties["name"];
  const isNamed = typeof name === "string" && !isSecret(properties, "name");
  const workspace = shown(properties, "workspaceId", String(properties["workspaceId"]));
  return `${isNamed ? `key "${name}"` : "the key"} in workspace ${workspace}`;
}

/** The outputs that an input's value goes into: a masked form may begin with the prefix. */
const outputsFrom: Readonly<Record<string, readonly string[]>> = {
  prefix: ["effectivePrefix", "maskedKey"],
  expiresAt: ["effectiveExpiresAt"],
};

export function follows([name, ...rest]: SecretPath): readonly SecretPath[] {
  return [[observedKey, name, ...rest], ...(outputsFrom[name] ?? []).map((output): SecretPath => [output])];
}

/** Of one of many keys, whose session is its own. */
export function conceal(session: Session, ...key: readonly Properties[]): void {
  session.conceal(...secretValues(key, follows));
}

/** What a message, another key's too, calls a key that is made from a value, beside another one of the same name. */
export function labelOfValue(properties: Properties): string {
  return `${label(properties)} (customer ${shown(properties, "customerId", String(properties["customerId"]))})`;
}

/** The value that a key is made from, if there is one, and what a message calls the key. */
export function given(inputs: Properties): readonly (readonly [string, string])[] {
  const { existingKey, name, workspaceId, customerId } = inputs;
  const isKnown = [existingKey, name, workspaceId, customerId].every((value) => !isUnknown(value));
  return isKnown && typeof existingKey === "string" ? [[existingKey, labelOfValue(inputs)]] : [];
}

export function createBody(declared: Properties): CreateApiKey {
  return {
    ...common(declared),
    ...pick(declared, ["prefix", "expiresAt", "externalMeterId", "metadata"]),
  };
}

/** Which fields migrate requires is not stated, so all are sent. */
export function migrateBody(declared: Properties): MigrateApiKey {
  return {
    key: declared["existingKey"] as string,
    ...common(declared),
    metadata: (declared["metadata"] ?? {}) as Record<string, unknown>,
  };
}

function common(declared: Properties) {
  return {
    name: declared["name"] as string,
    workspaceId: declared["workspaceId"] as string,
    scopes: toWire(declared["scopes"]),
    enabled: declared["enabled"] === true,
    customerId: declared["customerId"] as string,
  };
}

/** What the service chose. */
export function outputs(record: ApiKeyRecord): Properties {
  return {
    maskedKey: record.maskedKey,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    billingId: record.billingId,
    effectivePrefix: record.prefix,
    effectiveExpiresAt: record.expiresAt,
  };
}

/** What a key carries through its whole life, whatever the service answers later. */
const lastingNames = ["key", keyLost, holderKey] as const;

/** State after a write: what was declared or, where the service did not make it so, what it has. */
export function written(declared: Properties, { record, unmet }: Settled, before: Properties): Properties {
  const observed = observe(record);
  const truth = Object.fromEntries(unmet.map(({ field }) => [field, observed[field]]));
  const state = { ...declared, ...truth };
  const chosen = Object.entries(outputs(record)).map(([name, value]) => [name, value ?? before[name]]);
  return {
    ...Object.fromEntries(chosen),
    ...state,
    ...pick(before, lastingNames),
    [observedKey]: rewritten(managed, state, observed),
  };
}

const unmanaged = {
  customerId: "customerId",
  prefix: "effectivePrefix",
  expiresAt: "effectiveExpiresAt",
} as const;
const unmanagedNames = Object.keys(unmanaged) as (keyof typeof unmanaged)[];

/** Whether a record says all that `unmanagedChanges` compares: a list may leave something out. */
export function tellsUnmanaged(record: ApiKeyRecord, state: Properties): boolean {
  return unmanagedNames.every((name) => state[unmanaged[name]] === undefined || record[name] !== undefined);
}

/** A field that can't be changed in place, and that somebody changed, is told and left alone (R5). */
export function unmanagedChanges(id: string, record: ApiKeyRecord, state: Properties): readonly string[] {
  const before = (name: keyof typeof unmanaged) => state[unmanaged[name]];
  return unmanagedNames
    .filter((name) => before(name) !== undefined && record[name] !== undefined)
    .filter((name) => folded(before(name)) !== folded(record[name]))
    .map(
      (name) =>
        `${capitalised(label(state))} (${id}): the service has another ${name} than when this stack last wrote the key. It can't be changed in place, so nothing is done about it; to have a new key, change ${name} or keepers.`,
    );
}
