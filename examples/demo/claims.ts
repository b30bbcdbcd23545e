import { isDeepStrictEqual } from "node:util";
import type { LoggedRequest, StoredKey } from "../../standin";
import type { Outcome, Step } from "../../tools/engine/stack";

/** Something that a step of the demo should show, and what it showed. Neither side ever contains a secret. */
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

/** The steps that the engine took or would take, such as `update shop`. Leaves out unchanged resources and refreshes. */
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

/** A key of the service, in the form in which the program declares it. */
export function declaredFormOf(key: StoredKey | undefined): unknown {
  if (key === undefined) return "the key does not exist";
  return { name: key.name, enabled: key.enabled, scopes: scopesInWords(key.scopes) };
}

type Scopes = readonly ({ readonly representation: string } & Partial<Record<Permission, boolean>>)[];
type Permission = (typeof permissions)[number];
const permissions = ["create", "read", "update", "del"] as const;

/** Scopes as a set, without permissions that are not granted: `customers (read), orders (create, read, update)`. */
function scopesInWords(scopes: Scopes): string {
  const words = scopes.flatMap((scope) => {
    const granted = permissions.filter((permission) => scope[permission]);
    return granted.length === 0 ? [] : [`${scope.representation} (${granted.join(", ")})`];
  });
  return words.sort().join(", ");
}

/** The number of requests to the service, by method. */
export function counted(requests: readonly LoggedRequest[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { method } of requests) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
}
