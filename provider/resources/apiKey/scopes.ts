import { isDeepStrictEqual } from "node:util";
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
      ...{ create: optionalFlag, read: optionalFlag, update: optionalFlag, del: optionalFlag },
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

/** The form in which a list has a representation: the same, or the only one that differs in nothing but form. */
function formIn(scopes: readonly Granted[], representation: string): string | undefined {
  const forms = scopes.map((one) => one.representation);
  if (forms.includes(representation)) return representation;
  const [found, ...others] = forms.filter((one) => caseFolded(one) === caseFolded(representation));
  return others.length === 0 ? found : undefined;
}

/** Whether the service has the declared scopes in its own form. */
export function isInOwnForm(declared: unknown, has: unknown): boolean {
  const [wanted = [], now = []] = [declared, has].map(canonicalScopes);
  const own = wanted.map((one) => ({ ...one, representation: formIn(now, one.representation) }));
  return (
    wanted.length === now.length && now.every((one) => own.some((other) => isDeepStrictEqual(one, other)))
  );
}

/** With unknown flags, which may be true. */
function trueFlags({ representation: _, id: __, ...flags }: Properties): Properties {
  return Object.fromEntries(Object.entries(flags).filter(([, flag]) => flag));
}

/** Representations declared more than once, by the index of each repetition. */
export function repeated(value: unknown): readonly number[] {
  const all = Array.isArray(value) ? value.map((entry) => entry?.representation) : [];
  return all.flatMap((one, index) =>
    typeof one === "string" && !isUnknown(one) && all.indexOf(one) < index ? [index] : [],
  );
}

/** Scopes as a request carries them: all four flags, and the id that the service has for the representation now. */
export function toWire(declared: readonly Granted[], current: readonly KeyScope[] = []): KeyScope[] {
  const ids = new Map(current.map(({ representation, id }) => [representation, id]));
  return declared.map(({ representation, create, read, update, del }) => {
    const id = ids.get(representation);
    const flags = { create: !!create, read: !!read, update: !!update, del: !!del };
    return { ...(id !== undefined && { id }), representation, ...flags };
  });
}

/** Scopes that grant what the declared ones, spelled in the same way, don't. */
export function excess(current: readonly KeyScope[], declared: readonly Granted[]): readonly Granted[] {
  const wanted = new Map(declared.map((scope) => [scope.representation, scope]));
  return (canonicalScopes(current) ?? []).filter((scope) =>
    permissions.some((name) => scope[name] && !wanted.get(scope.representation)?.[name]),
  );
}

/** The granted scopes that are not declared in any form: without permissions, as an edit names them that revokes them (K4). */
export function undeclared(declared: readonly Granted[], current: readonly KeyScope[]): readonly Granted[] {
  const granted = canonicalScopes(current) ?? [];
  const forms = new Set(declared.map(({ representation }) => formIn(granted, representation)));
  return granted.flatMap(({ representation }) => (forms.has(representation) ? [] : [{ representation }]));
}
