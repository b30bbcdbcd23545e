import { isDeepStrictEqual } from "node:util";
import type { LoggedRequest, StoredKey } from "../../standin";
import type { Outcome, Step } from "../../test/engine/outcome";

/** Something that a step of the demo is to show, with what was seen. Neither side ever holds a secret. */
export interface Claim {
  readonly text: string;
  readonly expected: unknown;
  readonly seen: unknown;
}

export function claim(text: string, expected: unknown, seen: unknown): Claim {
  return { text, expected, seen };
}

export function holds({ expected, seen }: Claim): boolean {
  return isDeepStrictEqual(seen, expected);
}

/** What the engine did or would do, without what stays the same: `update shop`. Refreshes are left out. */
export function actions({ ok, steps }: Outcome): readonly string[] | string {
  if (!ok) return "the command failed";
  const acting = steps.filter(({ op, duringRefresh }) => op !== "same" && op !== "refresh" && !duringRefresh);
  return acting.map(({ op, name }) => `${op} ${name}`).sort();
}

/** The changed inputs of a step as the preview shows them, by name: `name: shop => cafe`. */
export function changes(step: Step | undefined): Readonly<Record<string, string>> {
  const words = (value: unknown) => (typeof value === "object" ? scopesInWords(value as Scopes) : `${value}`);
  return Object.fromEntries(
    Object.entries(step?.changed ?? {}).map(([name, { old, new: now }]) => [
      name,
      `${words(old)} => ${words(now)}`,
    ]),
  );
}

/** A key of the service in the terms of the program. */
export function declaredFormOf(key: StoredKey | undefined): unknown {
  if (key === undefined) return "there is no such key";
  return { name: key.name, enabled: key.enabled, scopes: scopesInWords(key.scopes) };
}

type Scopes = readonly ({ readonly representation: string } & Partial<Record<Permission, boolean>>)[];
type Permission = (typeof permissions)[number];
const permissions = ["create", "read", "update", "del"] as const;

/** Scopes as a set, without what grants nothing: `customers (read), orders (create, read, update)`. */
function scopesInWords(scopes: Scopes): string {
  const words = scopes.flatMap((scope) => {
    const granted = permissions.filter((permission) => scope[permission]);
    return granted.length === 0 ? [] : [`${scope.representation} (${granted.join(", ")})`];
  });
  return words.sort().join(", ");
}

/** How often the service was asked, by method. */
export function counted(requests: readonly LoggedRequest[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { method } of requests) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
}
