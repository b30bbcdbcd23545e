import { isDeepStrictEqual } from "node:util";

/** Properties as the engine stores them: plain JSON values by name. */
export type Properties = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name by which Pulumi marks secrets, assets and other special values on its wire. Source: its provider protocol. */
export const specialKey = "4dabf18193072939515e22adb298388d";

// Names that begin with two underscores the engine hides from previews.
/** What the service has for managed fields where it is not what was declared (R1). */
export const observedKey = "__observed";
export const providerKey = "__provider";
/** An input too: which inputs the program made secret (R16). */
export const secretsKey = "__secrets";
/** The resource's name, from the program; check removes it, so that it is not in state. */
export const nameKey = "__resourceName";
/** Set where the resource only reads an object that it does not manage (R19); an input too, of Node.js programs. */
export const readingKey = "__reading";
/** The service of the last write, or where it has moved since. */
export const serviceKey = "__service";
/** Set by a write that failed halfway: the engine's inputs may say something else, until the next read or write. */
export const failedKey = "__failed";

/** A field as state compares it. */
export interface ManagedField {
  readonly name: string;
  readonly canonical: (value: unknown) => unknown;
}

export function same(field: Pick<ManagedField, "canonical">, left: unknown, right: unknown): boolean {
  // Most are equal as they are.
  return isDeepStrictEqual(left, right) || isDeepStrictEqual(field.canonical(left), field.canonical(right));
}

/** Text as it is but for outer white space and case, which a service may rewrite; other values as text. */
export function caseFolded(value: unknown): string {
  return String(value ?? "")
    .trim()
    .toLowerCase();
}

/**
 * Whether a service may have turned the declared string into `now` by adding separators at its ends, such as an underscore.
 * If the value was there before, it can't be known whether the service did so then, or ignores the new value.
 */
export function hasAddedSeparators(declared: unknown, now: unknown): boolean {
  const [short, long] = [caseFolded(declared), caseFolded(now)];
  if (short === "" || long === short) return false;
  const at = long.indexOf(short);
  return at >= 0 && !/[\p{L}\p{N}]/u.test(long.slice(0, at) + long.slice(at + short.length));
}

/**
 * What the service answered for the managed fields after our last write, where it is not what was declared: a service
 * may rewrite what it is sent. A field that is not named here was answered as declared. `undefined` when there is none.
 */
export function rewritten(
  fields: readonly ManagedField[],
  declared: Properties,
  observed: Properties,
): Properties | undefined {
  const different = fields.filter((field) => !same(field, declared[field.name], observed[field.name]));
  if (different.length === 0) return undefined;
  return Object.fromEntries(different.map(({ name }) => [name, observed[name] ?? ""]));
}

/** An object that the state keeps to itself; empty where somebody edited the state into something else. */
export function hiddenIn(state: Properties, key: string): Properties {
  const value = state[key];
  return isRecord(value) ? value : {};
}

/**
 * State after a read: a field that drifted holds what was observed, every other one what was declared. The same object
 * where none drifted.
 */
export function applyDrift<State extends Properties>(
  fields: readonly ManagedField[],
  state: State,
  observed: Properties,
): State {
  const before = hiddenIn(state, observedKey);
  const others = fields.filter((field) => {
    const now = observed[field.name];
    if (!(field.name in state)) return field.canonical(now) !== undefined;
    return !same(field, field.name in before ? before[field.name] : state[field.name], now);
  });
  if (others.length === 0) return state;
  const next: Record<string, unknown> = { ...state };
  const kept: Record<string, unknown> = { ...before };
  for (const field of others) {
    next[field.name] = field.canonical(observed[field.name]);
    delete kept[field.name];
  }
  next[observedKey] = nonEmpty(kept);
  return next as State;
}

export function defined(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

/** Those of the named properties that have a value. */
export function pick(properties: Properties, names: readonly string[]): Properties {
  return defined(Object.fromEntries(names.map((name) => [name, properties[name]])));
}

/** The object or list; `undefined` for an empty one. */
export function nonEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** A copy that the wire can carry: without undefined values, at any depth. */
export function wireable(properties: Properties): Properties {
  return strip(properties) as Properties;
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => entry !== undefined).map(strip);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([name, entry]) => [name, strip(entry)]),
  );
}
