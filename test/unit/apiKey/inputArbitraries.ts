import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { type Grants, grants, sameGrants, spelling } from "./scopeArbitraries";

/** What an ApiKey's inputs mean, however they are spelled, without existingKey. Absent is `undefined`. */
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

/** One of the many ways in which a program may write these inputs. */
export function written(of: Meant): fc.Arbitrary<Record<string, unknown>> {
  const or = (value: unknown, ...absent: unknown[]) =>
    value === undefined ? fc.oneof(nothing, fc.constantFrom(...absent)) : fc.constant(value);
  const optional = {
    scopes: of.scopes.size === 0 ? fc.oneof(nothing, scopesOf(of)) : scopesOf(of),
    enabled: of.enabled ? fc.constantFrom(true, null, undefined) : fc.constant(false),
    prefix: or(of.prefix, ""),
    expiresAt: or(of.expiresAt, null),
    externalMeterId: or(of.externalMeterId, ""),
    metadata: or(of.metadata, {}),
    keepers: or(of.keepers, {}),
  };
  return fc.record(optional).map((spelled) => ({
    ...Object.fromEntries(Object.entries(spelled).filter(([, value]) => value !== undefined)),
    workspaceId: of.workspaceId,
    customerId: of.customerId,
    name: of.name,
  }));
}

/** Only answers have ids, programs never do. */
function scopesOf(of: Meant): fc.Arbitrary<unknown[]> {
  return spelling(of.scopes).map((entries) => entries.map(({ id: _, ...entry }) => entry));
}

/** The fields in which two declarations differ. */
export function differing(left: Meant, right: Meant): string[] {
  return (Object.keys(left) as (keyof Meant)[]).filter((name) =>
    name === "scopes" ? !sameGrants(left.scopes, right.scopes) : !isDeepStrictEqual(left[name], right[name]),
  );
}
