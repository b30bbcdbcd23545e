import * as z from "zod/mini";
import type { KeyScope } from "../../client/service";
import { type Canonical, isUnknown } from "../../core/fields";
import { caseFolded, isRecord, type Properties } from "../../core/state";
import { optionalFlag, requiredString } from "../fields/schemas";

/** The permission flags of a key's scope (interface, section 2). */
const permissions = ["create", "read", "update", "del"] as const;

/** A key's scopes as a program declares them. */
export const scopesSchema = z.nullish(
  z.array(
    z.strictObject({
      representation: requiredString,
      create: optionalFlag,
      read: optionalFlag,
      update: optionalFlag,
      del: optionalFlag,
    }),
  ),
);

/** A scope in canonical form: only the permissions that are granted. */
export type Granted = { readonly representation: string } & {
  readonly [name in (typeof permissions)[number]]?: true;
};

/**
 * Scopes in canonical form (K3): a set by representation, sorted, each with its true flags only; entries without any
 * permission are dropped. Entries whose representation is not known yet come last, untouched; anything else is left out.
 */
export const canonicalScopes: Canonical<readonly Granted[]> = (value) => {
  if (isUnknown(value)) return value as unknown as readonly Granted[];
  if (!Array.isArray(value)) return [];
  const sorted = new Map<string, Properties>();
  const unknown: unknown[] = [];
  for (const entry of value) {
    const representation = isRecord(entry) ? entry["representation"] : undefined;
    if (isUnknown(entry) || isUnknown(representation)) unknown.push(entry);
    else if (isRecord(entry) && typeof representation === "string") {
      const granted = { ...sorted.get(representation), ...trueFlags(entry) };
      if (Object.keys(granted).length > 0) sorted.set(representation, granted);
    }
  }
  const known = [...sorted].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const scopes = known.map(([representation, granted]) => ({ representation, ...granted }));
  return [...scopes, ...unknown] as readonly Granted[];
};

/** With unknown flags, which may be true. */
function trueFlags(entry: Properties): Properties {
  const flags: Record<string, unknown> = {};
  for (const name of Object.keys(entry))
    if (entry[name] && name !== "representation" && name !== "id") flags[name] = entry[name];
  return flags;
}

/** Representations declared more than once, by the index of each repetition. */
export function repeated(value: unknown): readonly number[] {
  if (!Array.isArray(value)) return [];
  const seen = new Set<unknown>();
  return value.flatMap((entry, index) => {
    const representation = isRecord(entry) ? entry["representation"] : undefined;
    if (typeof representation !== "string" || isUnknown(representation)) return [];
    if (seen.has(representation)) return [index];
    seen.add(representation);
    return [];
  });
}

/** Scopes as a request carries them: all four flags, and the id that the service has for the representation now. */
export function toWire(declared: readonly Granted[], current: readonly KeyScope[] = []): KeyScope[] {
  const ids = new Map(
    current.flatMap(({ representation, id }) =>
      id === undefined ? [] : [[representation, { id }] as const],
    ),
  );
  return declared.map(({ representation, create, read, update, del }) => ({
    ...ids.get(representation),
    representation,
    create: create === true,
    read: read === true,
    update: update === true,
    del: del === true,
  }));
}

const grantsMore = (scope: Granted, than: Granted | undefined) =>
  permissions.some((name) => scope[name] && !than?.[name]);

const byRepresentation = (scopes: readonly Granted[]) =>
  new Map(scopes.map((scope) => [scope.representation, scope]));

/** Whether the scopes grant more than the declared ones, spelled in the same way. */
export function isWider(current: readonly KeyScope[], declared: readonly Granted[]): boolean {
  const wanted = byRepresentation(declared);
  return (canonicalScopes(current) ?? []).some((scope) =>
    grantsMore(scope, wanted.get(scope.representation)),
  );
}

/** Granted representations that are not declared, unless the service spells a declared one in another form. */
export function undeclared(declared: readonly Granted[], current: readonly KeyScope[]): readonly string[] {
  const granted = byRepresentation(canonicalScopes(current) ?? []);
  const wanted = byRepresentation(declared);
  const absent = declared.filter(({ representation }) => !granted.has(representation));
  const inOtherForm = new Map(absent.map((scope) => [caseFolded(scope.representation), scope]));
  return [...granted]
    .filter(([representation]) => !wanted.has(representation))
    .filter(([representation, scope]) => grantsMore(scope, inOtherForm.get(caseFolded(representation))))
    .map(([representation]) => representation);
}

/** Scopes as declared, but the named representations with no permission at all (K4). */
export function toWireWithout(
  revoked: readonly string[],
  declared: readonly Granted[],
  current: readonly KeyScope[],
): KeyScope[] {
  const without = new Set(revoked);
  const kept = declared.filter(({ representation }) => !without.has(representation));
  return toWire([...kept, ...[...without].map((representation) => ({ representation }))], current);
}

/** Scopes in words for a message: `orders (read, update)`. */
export function inWords(scopes: readonly Granted[]): string {
  const words = scopes.map(
    (scope) => `${scope.representation} (${permissions.filter((name) => scope[name]).join(", ")})`,
  );
  return words.length === 0 ? "no scopes" : words.join(", ");
}
