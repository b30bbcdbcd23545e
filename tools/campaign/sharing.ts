import type { Properties } from "../../provider/core/state";
import type { Draw } from "./draw";
import { declaredKeys } from "./heldKeys";
import { type Declared, type Program, scopeSets } from "./program";

/**
 * Lets one more resource declare a key of the programs by its id: beside the resource that has it, in its place, or after
 * that has released it by `retainOnDelete` or `release: true`. It may want a new key later, or be removed.
 */
export function withSharing(
  draw: Draw,
  workspaceId: string,
  programs: readonly Program[],
): readonly Program[] {
  const begin = draw.number(1, programs.length - 1);
  const keys = (programs[begin - 1] ?? []).flatMap((owner) =>
    declaredKeys(owner).map(({ place, alias }) => ({ owner, place, alias })),
  );
  if (keys.length === 0) return programs;
  const { owner, place, alias } = draw.one(keys);
  const way = draw.one(["beside", "instead", "released", "released"] as const);
  const removed = {
    beside: draw.number(begin + 1, programs.length + 1),
    instead: begin,
    released: begin + 1,
  }[way];
  const from = begin + (way === "released" ? 1 : 0) + draw.number(0, 1);
  const later = () =>
    draw.chance(40) ? draw.number(from + 1, programs.length + 2) : Number.POSITIVE_INFINITY;
  const [renewed, left] = [later(), later()];
  const kind = draw.one(["ApiKey", "ApiKey", "ApiKeySet", "RotatingApiKey"] as const);
  const key = { name: draw.one(["key", "other"]), scopes: draw.one(scopeSets), enabled: draw.chance(85) };
  const isFirst = draw.chance(50);
  return programs.map((program, n) => {
    const rest = program.flatMap((one) => {
      if (one.name !== owner.name || n < begin) return [one];
      if (alias !== undefined) return [withEntry(one, alias, way, n >= removed)];
      return n >= removed ? [] : [{ ...one, retain: way === "released" }];
    });
    if (n < from || n >= left) return rest;
    const keepers = { version: n < renewed ? "1" : "2" };
    const inputs = { workspaceId, ...key, keepers, ...(kind === "RotatingApiKey" && { rotateEvery: "30d" }) };
    const own: Declared = { name: "sharer", kind, inputs, shares: { place, adopts: n < renewed } };
    return isFirst ? [own, ...rest] : [...rest, own];
  });
}

function withEntry(set: Declared, alias: string, way: string, isRemoved: boolean): Declared {
  const keys = set.inputs["keys"] as Readonly<Record<string, Properties>>;
  if (!Object.hasOwn(keys, alias)) return set;
  const { [alias]: entry, ...others } = keys;
  const changed = way === "released" ? { ...entry, release: true } : entry;
  return { ...set, inputs: { ...set.inputs, keys: isRemoved ? others : { ...others, [alias]: changed } } };
}
