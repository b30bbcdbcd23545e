/** Generated inputs of an ApiKey, as programs and services spell them, for property-based tests. */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";

const permissions = ["create", "read", "update", "del"] as const;
type Permission = (typeof permissions)[number];

/** The permissions that a set of scopes grants, however it is spelled, by representation. */
export type Grants = ReadonlyMap<string, ReadonlySet<Permission>>;

type Entry = Record<string, unknown> & { readonly representation: string };

// Few names, so that two random sets often share one; some of them sort differently by locale.
const representation = fc.constantFrom("orders", "Orders", "users", "ä", "z", "a b", "__proto__");

export const grants: fc.Arbitrary<Grants> = fc
  .uniqueArray(fc.tuple(representation, fc.subarray([...permissions], { minLength: 1 })), {
    selector: ([name]) => name,
  })
  .map((pairs) => new Map(pairs.map(([name, granted]) => [name, new Set(granted)])));

/** Scopes in canonical form: sorted, with their true flags only. */
export function canonicalOf(of: Grants): object[] {
  const sorted = [...of].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([representation, granted]) => ({
    representation,
    ...Object.fromEntries([...granted].map((permission) => [permission, true])),
  }));
}

/** One of the many spellings of the same grants: they differ in order, ids, how a flag is left out, and empty entries. */
export function spelling(of: Grants): fc.Arbitrary<Entry[]> {
  const entries = [...of].map(([name, granted]) => entry(name, granted));
  const empty = ["empty 1", "empty 2"].map((name) => entry(name, new Set()));
  return fc
    .tuple(fc.tuple(...entries), fc.subarray([0, 1]), fc.tuple(...empty))
    .chain(([some, chosen, more]) => shuffled([...some, ...chosen.flatMap((place) => more[place] ?? [])]));
}

export function shuffled<T>(all: T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray(all, { minLength: all.length });
}

function entry(name: string, granted: ReadonlySet<Permission>): fc.Arbitrary<Entry> {
  const flags = permissions.map((permission) =>
    granted.has(permission) ? fc.constant(true) : fc.constantFrom(false, null, undefined),
  );
  return fc.tuple(fc.option(fc.string()), fc.tuple(...flags)).map(([id, values]) => ({
    ...(id === null ? {} : { id }),
    ...defined(Object.fromEntries(permissions.map((permission, place) => [permission, values[place]]))),
    representation: name,
  }));
}

function defined(all: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** The meaning of an ApiKey's inputs, however they are spelled, without existingKey. Absent is `undefined`. */
export interface Meant {
  readonly workspaceId: string;
  readonly customerId: string;
  readonly name: string;
  readonly scopes: Grants;
  readonly enabled: boolean;
  readonly prefix: string | undefined;
  readonly expiresAt: number | undefined;
  readonly externalMeterId: string | undefined;
  readonly metadata: Record<string, unknown> | undefined;
  readonly keepers: Record<string, string> | undefined;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const either = fc.constantFrom("a", "A");

// Few values, so that two draws often agree in a field.
export const meant: fc.Arbitrary<Meant> = fc.record({
  workspaceId: either,
  customerId: either,
  name: either,
  scopes: grants,
  enabled: fc.boolean(),
  prefix: maybe(either),
  expiresAt: maybe(fc.constantFrom(1, 2)),
  externalMeterId: maybe(either),
  metadata: maybe(fc.dictionary(either, fc.constantFrom(null, 1, [1], { b: 1 }), { minKeys: 1 })),
  keepers: maybe(fc.dictionary(either, either, { minKeys: 1 })),
});

const nothing = fc.constantFrom(undefined, null);

/** One of the many ways in which a program may write these inputs. Only answers have ids of scopes, programs never do. */
export function written(of: Meant): fc.Arbitrary<Record<string, unknown>> {
  const { workspaceId, customerId, name } = of;
  const or = (value: unknown, ...absent: unknown[]) =>
    value === undefined ? fc.oneof(nothing, fc.constantFrom(...absent)) : fc.constant(value);
  const scopes = spelling(of.scopes).map((entries) => entries.map(({ id: _, ...entry }) => entry));
  const optional = {
    scopes: of.scopes.size === 0 ? fc.oneof(nothing, scopes) : scopes,
    enabled: of.enabled ? fc.constantFrom(true, null, undefined) : fc.constant(false),
    prefix: or(of.prefix, ""),
    expiresAt: or(of.expiresAt, null),
    externalMeterId: or(of.externalMeterId, ""),
    metadata: or(of.metadata, {}),
    keepers: or(of.keepers, {}),
  };
  return fc.record(optional).map((spelled) => ({ ...defined(spelled), workspaceId, customerId, name }));
}

/** The fields in which two declarations differ. */
export function differing(left: Meant, right: Meant): string[] {
  return (Object.keys(left) as (keyof Meant)[]).filter((name) => !isDeepStrictEqual(left[name], right[name]));
}
