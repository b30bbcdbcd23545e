import fc from "fast-check";

/** Scopes of a key as programs and services spell them, for property-based tests. */

export const permissions = ["create", "read", "update", "del"] as const;
type Permission = (typeof permissions)[number];

/** What a set of scopes grants, whatever its spelling: representation → permissions. */
export type Grants = ReadonlyMap<string, ReadonlySet<Permission>>;

export type Entry = Record<string, unknown> & { readonly representation: string };

// Few names, so that two random sets often share one; some of them sort differently by locale.
const representation = fc.constantFrom("orders", "Orders", "users", "ä", "z", "a b", "__proto__");

export const grants: fc.Arbitrary<Grants> = fc
  .uniqueArray(fc.tuple(representation, fc.subarray([...permissions], { minLength: 1 })), {
    selector: ([name]) => name,
  })
  .map((pairs) => new Map(pairs.map(([name, granted]) => [name, new Set(granted)])));

/** One of the many spellings of the same grants: they differ in order, ids, how a flag is left out, and empty entries. */
export function spelling(of: Grants): fc.Arbitrary<Entry[]> {
  const entries = [...of].map(([name, granted]) => entry(name, granted));
  const empty = fc
    .uniqueArray(fc.constantFrom("empty 1", "empty 2"))
    .chain((names) => all(names.map((name) => entry(name, new Set()))));
  return fc
    .tuple(all(entries), empty)
    .chain(([some, more]) =>
      fc.shuffledSubarray([...some, ...more], { minLength: some.length + more.length }),
    );
}

/** Grants and two spellings of them. */
export const spelledTwice = grants.chain((of) => fc.tuple(spelling(of), spelling(of)));

function entry(name: string, granted: ReadonlySet<Permission>): fc.Arbitrary<Entry> {
  const flag = (permission: Permission) =>
    granted.has(permission) ? fc.constant(true) : fc.constantFrom(false, null, undefined);
  return fc
    .tuple(fc.option(fc.string()), flag("create"), flag("read"), flag("update"), flag("del"))
    .map(([id, create, read, update, del]) => ({
      ...(id === null ? {} : { id }),
      ...Object.fromEntries(
        Object.entries({ create, read, update, del }).filter(([, value]) => value !== undefined),
      ),
      representation: name,
    }));
}

function all<T>(arbitraries: fc.Arbitrary<T>[]): fc.Arbitrary<T[]> {
  return arbitraries.length === 0 ? fc.constant([]) : fc.tuple(...arbitraries);
}

export function sameGrants(left: Grants, right: Grants): boolean {
  const told = (of: Grants) => [...of].map(([name, granted]) => `${name}:${[...granted].sort()}`).sort();
  return JSON.stringify(told(left)) === JSON.stringify(told(right));
}
