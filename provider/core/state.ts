import { isDeepStrictEqual } from "node:util";

/** Properties as the engine stores them: plain JSON values by name. */
export type Properties = Readonly<Record<string, unknown>>;

/** A resource's id and state. */
export interface Kept<State = Properties> {
  readonly id: string;
  readonly state: State;
}

export function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name by which Pulumi marks secrets, assets and other special values on its wire. Source: its provider protocol. */
export const specialKey = "4dabf18193072939515e22adb298388d";

// Hidden properties: docs/internals/architecture.md says why each is needed.
export const observedKey = "__observed";
export const providerKey = "__provider";
export const secretsKey = "__secrets";
export const nameKey = "__resourceName";
export const previewKey = "__preview";
export const externalKey = "__external";
export const serviceKey = "__service";
export const failedKey = "__failed";

export interface ComparedField {
  readonly name: string;
  readonly canonical: (value: unknown) => unknown;
  /** Whether the service has the declared value in a form of its own. Default: it doesn't. */
  readonly isInOwnForm?: ((declared: unknown, has: unknown) => boolean) | undefined;
}

export function same(field: Pick<ComparedField, "canonical">, left: unknown, right: unknown): boolean {
  // Most need no canonical form.
  return isDeepStrictEqual(left, right) || isDeepStrictEqual(field.canonical(left), field.canonical(right));
}

/** The value as text, without what a service may rewrite: outer white space, case and the form of accents. */
export function caseFolded(value: unknown): string {
  return String(value ?? "")
    .normalize()
    .trim()
    .toLowerCase();
}

/** The service's values of the fields where they differ from the declared ones (R1): it may rewrite a value. */
export function rewritten(
  fields: readonly ComparedField[],
  declared: Properties,
  observed: Properties,
): Properties | undefined {
  const different = fields.filter((field) => !same(field, declared[field.name], observed[field.name]));
  if (different.length === 0) return undefined;
  return Object.fromEntries(different.map(({ name }) => [name, observed[name] ?? ""]));
}

/** A hidden object in state; empty if there is none. */
function hiddenIn(state: Properties, key: string): Properties {
  const value = state[key];
  return isRecord(value) ? value : {};
}

/** With the service's values after our last write or read. */
export const asLastSeen = (state: Properties): Properties => ({ ...state, ...hiddenIn(state, observedKey) });

/** State after a read: fields that have drifted have the observed value (R3). The same object if none has. */
export function applyDrift<State extends Properties>(
  fields: readonly ComparedField[],
  state: State,
  observed: Properties,
): State {
  const before = hiddenIn(state, observedKey);
  const drifted = fields.filter((field) => {
    const now = observed[field.name];
    if (!(field.name in state || field.name in before)) return field.canonical(now) !== undefined;
    return !same(field, asLastSeen(state)[field.name], now);
  });
  if (drifted.length === 0) return state;
  const now = Object.fromEntries(drifted.map(({ name, canonical }) => [name, canonical(observed[name])]));
  const kept = Object.fromEntries(Object.entries(before).filter(([name]) => !(name in now)));
  return { ...state, ...now, [observedKey]: nonEmpty(kept) };
}

/** The properties of these entries that have values. */
export function fromEntries(entries: readonly (readonly [string, unknown])[]): Properties {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

export function defined(properties: Properties): Properties {
  return fromEntries(Object.entries(properties));
}

/** The named properties, as far as they have values. */
export function pick(properties: Properties, names: readonly string[]): Properties {
  return fromEntries(names.map((name) => [name, properties[name]]));
}

/** The object or list; `undefined` for an empty one. */
export function nonEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** A copy without undefined values at any depth: what Pulumi's wire can carry. */
export function wireable(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties));
}
