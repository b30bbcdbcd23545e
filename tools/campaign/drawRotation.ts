import { defined } from "../../provider/core/state";
import type { Draw } from "./draw";
import { drawAdoption, openPool, type Pool } from "./drawAdoption";
import { drawKeyDrift } from "./drawDrift";
import { changes, placement, presence, scopeSets } from "./drawProgram";
import type { Declared, Drift, Properties, Schedule } from "./schedule";

const name = "rotating";

/** Puts a rotating key, and time, into a part of the schedules: drawn apart, so that it changes nothing of the rest. */
export function withRotation(draw: Draw, schedule: Schedule): Schedule {
  if (draw.chance(55)) return schedule;
  const pool = openPool(draw, schedule);
  const next = rotatingSlot(draw, schedule, pool);
  const placed = placement(draw);
  const steps = schedule.steps.map((step, n) => {
    const program = placed(next(), step.program);
    const drifts = n > 0 && draw.chance(30) ? [drawRotatingDrift(draw)] : [];
    return { ...step, program, days: n === 0 ? 0 : drawDays(draw), drifts: [...step.drifts, ...drifts] };
  });
  return { ...schedule, existing: pool.keys, steps };
}

/** Shorter than an overlap, longer than one, longer than it takes until a key is due, and back again. */
function drawDays(draw: Draw): number {
  return draw.one([0, 0, 0.5, 1, 3, 8, 8, 8, 15, 31, 31, 31, 100, -1, -40]);
}

function drawRotatingDrift(draw: Draw): Drift {
  const place = draw.chance(60) ? `${name}.previous` : name;
  return draw.chance(50) ? { kind: "useKey", place } : drawKeyDrift(draw, place);
}

function rotatingSlot(draw: Draw, { workspaceId }: Schedule, pool: Pool): () => readonly Declared[] {
  const customerId = "cus_rotating";
  const there = presence(draw);
  const named = changes(draw, 15, 0, (before) => 1 - before);
  const scopes = changes(draw, 30, draw.number(0, 4), () => draw.number(0, 4));
  const enabled = changes(draw, 15, draw.chance(90), (before) => !before);
  const periods = changes(draw, 25, drawPeriods(draw), () => drawPeriods(draw));
  const given = drawOrigin(draw, pool, customerId);
  return () => {
    const isThere = there();
    const all = {
      ...{ workspaceId, customerId, name: ["key", "other"][named()] },
      ...{ scopes: scopeSets[scopes()], enabled: enabled() },
      ...periods(),
      ...given(isThere),
    };
    return isThere ? [{ name, kind: "RotatingApiKey", inputs: defined(all) }] : [];
  };
}

function drawPeriods(draw: Draw): Properties {
  const overlap = draw.one([undefined, "7d", "0d", "36h"]);
  return {
    rotateEvery: draw.one(["30d", "30d", "30d", "720h", "10d", "8w"]),
    overlap,
    // No use can be seen in no time.
    retire: draw.one([undefined, "afterOverlap", ...(overlap === "0d" ? [] : ["whenUnused", "whenUnused"])]),
  };
}

/** Its first key is a new one, one whose value exists, or one that exists; and some change asks for another. */
function drawOrigin(draw: Draw, pool: Pool, customerId: string): (isThere: boolean) => Properties {
  const version = changes(draw, 20, 1, (before) => before + 1);
  const keepers = () => ({ keepers: { version: String(version()) } });
  const origin = draw.number(1, 100);
  if (origin <= 60) return keepers;
  if (origin <= 80) {
    const adoption = drawAdoption(draw, pool, customerId);
    return (isThere) => adoption.next(isThere);
  }
  const leftOut = changes(draw, 25, false, () => true);
  let returned = 0;
  let wasThere = true;
  return (isThere) => {
    if (isThere && !wasThere) returned += 1;
    wasThere = isThere;
    return { ...keepers(), existingKey: leftOut() ? undefined : `existing-canary-rotating-${returned}` };
  };
}
