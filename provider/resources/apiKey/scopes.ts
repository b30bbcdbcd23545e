import * as z from "zod";
import type { KeyScope } from "../../client/responses";
import { type Canonical, isRecord, type Properties } from "../../core/state";
import { containsUnknown, isUnknown } from "../../core/unknown";

/** The permission flags of a key's scope (interface, section 2). */
const permissions = ["create", "read", "update", "del"] as const;
export const scopeNames: readonly string[] = ["representation", ...permissions];

const permission = z.boolean({ error: "must be true or false" }).nullish();

/** A key's scopes as a program declares them. */
export const scopesSchema = z
  .array(
    z.strictObject(
      {
        representation: z
          .string({
            error: ({ input }) =>
              input === undefined
                ? "is missing: write the representation of a scope"
                : "must be text, the representation of a scope",
          })
          .min(1, { error: "must not be empty: write the representation of a scope" }),
        create: permission,
        read: permission,
        update: permission,
        del: permission,
      },
      {
        error: (issue) =>
          issue.code === "invalid_type"
            ? "must be a scope: {representation, create, read, update, del}"
            : undefined,
      },
    ),
    { error: "must be a list of scopes: [{representation, create, read, update, del}]" },
  )
  .nullish();

/**
 * Scopes in canonical form (K3): a set by representation, sorted, each with its true flags only; entries without any
 * permission are dropped. Unknown entries stand last, untouched, as does what is no scope at all.
 */
export const canonicalScopes: Canonical = (value) => {
  if (!Array.isArray(value)) return value ?? [];
  const sorted = new Map<string, Record<string, unknown>>();
  const rest: unknown[] = [];
  for (const entry of value) {
    const representation = isRecord(entry) ? entry["representation"] : undefined;
    if (!isRecord(entry) || typeof representation !== "string" || isUnknown(representation)) rest.push(entry);
    else {
      const granted = { ...sorted.get(representation), ...trueFlags(entry) };
      if (Object.keys(granted).length > 0) sorted.set(representation, granted);
    }
  }
  const known = [...sorted].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return [...known.map(([representation, granted]) => ({ representation, ...granted })), ...rest];
};

function trueFlags(entry: Properties): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).filter(([name, flag]) => name !== "representation" && name !== "id" && flag),
  );
}

/** Representations declared more than once, by the place of each repetition. */
export function repeated(value: unknown): readonly number[] {
  if (!Array.isArray(value)) return [];
  const seen = new Set<unknown>();
  return value.flatMap((entry, place) => {
    const representation = isRecord(entry) ? entry["representation"] : undefined;
    if (typeof representation !== "string" || containsUnknown(representation)) return [];
    if (seen.has(representation)) return [place];
    seen.add(representation);
    return [];
  });
}

/** Scopes as a request carries them: all four flags, and the id that the service has for the representation now. */
export function toWire(declared: unknown, current: readonly KeyScope[] = []): KeyScope[] {
  return (declared as Record<string, unknown>[]).map((scope) => {
    const representation = scope["representation"] as string;
    return {
      ...idOf(representation, current),
      representation,
      create: scope["create"] === true,
      read: scope["read"] === true,
      update: scope["update"] === true,
      del: scope["del"] === true,
    };
  });
}

/** Representations by which more is granted than declared. */
export function excess(declared: unknown, current: readonly KeyScope[]): ReadonlySet<string> {
  const wanted = new Map(
    (canonicalScopes(declared) as Granted[]).map((scope) => [scope.representation, scope]),
  );
  const granted = canonicalScopes(current) as Granted[];
  const wider = granted.filter((scope) => {
    const declaredOne = wanted.get(scope.representation);
    return permissions.some((name) => scope[name] === true && declaredOne?.[name] !== true);
  });
  return new Set(wider.map(({ representation }) => representation));
}

type Granted = { readonly representation: string } & {
  readonly [name in (typeof permissions)[number]]?: boolean;
};

/** Scopes as declared, but the named representations with no permission at all (K4). */
export function toWireWithout(
  revoked: Iterable<string>,
  declared: unknown,
  current: readonly KeyScope[],
): KeyScope[] {
  const without = new Set(revoked);
  const kept = (declared as Granted[]).filter(({ representation }) => !without.has(representation));
  return toWire([...kept, ...[...without].map((representation) => ({ representation }))], current);
}

function idOf(representation: string, current: readonly KeyScope[]): { id?: string } {
  const id = current.find((scope) => scope.representation === representation && scope.id !== undefined)?.id;
  return id === undefined ? {} : { id };
}

/** Scopes in words for a message: `orders (read, update)`. */
export function inWords(scopes: unknown): string {
  const words = (canonicalScopes(scopes) as Record<string, unknown>[]).map(
    (scope) =>
      `${scope["representation"]} (${permissions.filter((name) => scope[name] === true).join(", ")})`,
  );
  return words.length === 0 ? "no scopes" : words.join(", ");
}
