import type { Draw } from "./draw";
import type { Drift, Program } from "./schedule";

/** What somebody else changes. */
export function drawDrift(draw: Draw, program: Program): Drift | readonly Drift[] {
  if (draw.chance(20)) return { kind: "editWorkspace", change: { defaultRateLimitPerSecond: 50 } };
  const keys = program.filter(({ kind }) => kind === "ApiKey");
  return keys.length === 0 ? [] : drawKeyDrift(draw, draw.one(keys).name);
}

export function drawKeyDrift(draw: Draw, place: string): Drift {
  if (draw.chance(40)) return { kind: "deleteKey", place };
  const change = draw.one([
    { name: "renamed elsewhere" },
    { enabled: draw.chance(50) },
    { scopes: [{ representation: "orders", create: true, read: true, update: true, del: true }] },
  ]);
  return { kind: "editKey", place, change };
}
