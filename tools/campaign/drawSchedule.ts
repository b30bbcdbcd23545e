import { defaultVariant, type PresetName, presets, type Variant } from "../../standin";
import { knobValues, laterMs } from "../../test/host/knobs";
import { type Draw, drawing } from "./draw";
import { withAdoption } from "./drawAdoption";
import { drawDrift } from "./drawDrift";
import { drawPrograms } from "./drawProgram";
import { withRotation } from "./drawRotation";
import { withSet } from "./drawSet";
import { withSharing } from "./drawSharing";
import { drawTrouble } from "./drawTrouble";
import type { CampaignFault, Program, Schedule, Step, Trouble } from "./schedule";

/** What schedules are like on a tier. */
export interface Extent {
  /** So many steps at most. */
  readonly steps: number;
  /** So many of a hundred troubled commands are interrupted. */
  readonly interrupted: number;
}

/** What is drawn apart has a seed of its own. */
const apart = 1_000_000_000;

/** The schedule of a seed. `foreignUrl` is the origin to which redirects lead. */
export function drawSchedule(seed: number, foreignUrl: string, extent: Extent): Schedule {
  const draw = drawing(seed);
  const [variantName, knobs] = drawVariant(draw);
  // A pause for the pace would take whole seconds; faults bring 429 too.
  const plain = { ...defaultVariant, ...knobs, rateLimitPerSecond: 0, laterMs };
  const workspaceId = { text: "ws_main", numeric: "4711", odd: "ws main/ü%2F?#" }[plain.ids];
  const parallel = draw.chance(35);
  const programs = drawPrograms(draw, workspaceId, parallel);
  const count = draw.number(2, extent.steps);
  const trouble = () => detectable(plain, drawTrouble(draw, foreignUrl, extent.interrupted));
  const steps = Array.from({ length: count }, (_, n) => drawStep(draw, n, programs.next(), trouble));
  const ending = trouble();
  // What an error repeats of the request is where secrets come from.
  const variant: Variant = draw.chance(25) ? { ...plain, errorEchoes: "request" } : plain;
  const schedule = { seed, variantName, variant, workspaceId, parallel, existing: [], steps, ending };
  const kept = withSet(drawing(-seed), schedule);
  const whole = withRotation(drawing(apart - seed), withAdoption(drawing(apart + seed), kept));
  return withSharing(drawing(-apart - seed), whole);
}

/** Without the untrue answers that only a list could contradict, where the service has none that does. */
function detectable(variant: Variant, { faults, ...trouble }: Trouble): Trouble {
  return { ...trouble, faults: faults.filter((rule) => !isUndetectable(variant, rule)) };
}

function isUndetectable(variant: Variant, { endpoint, fault }: CampaignFault): boolean {
  const hidesKeys = variant.listLimit > 0 || variant.listLag > 0;
  switch (fault.kind) {
    case "markedDeleted":
      return hidesKeys || variant.zeroValues === "omitted";
    case "status":
      return hidesKeys && endpoint !== undefined && (fault.status === 404 || fault.status === 410);
    case "otherRecord":
      return variant.keyLists !== "answered";
    default:
      return false;
  }
}

function drawStep(draw: Draw, n: number, program: Program, trouble: () => Trouble): Step {
  const drifts = n > 0 && draw.chance(25) ? [drawDrift(draw, program)].flat() : [];
  const command = n === 0 ? "up" : draw.one(["up", "up", "up", "upRefresh", "refresh"] as const);
  return { program, days: 0, drifts, command, ...trouble() };
}

function drawVariant(draw: Draw): readonly [string, Partial<Variant>] {
  const which = draw.number(1, 100);
  if (which <= 25) return ["default", {}];
  if (which <= 65) {
    const name = draw.one(Object.keys(presets) as PresetName[]);
    return [name, presets[name]];
  }
  const knobs = Array.from({ length: draw.number(1, 4) }, () => drawKnob(draw));
  return [knobs.map(([knob, value]) => `${knob}=${value}`).join(" "), Object.fromEntries(knobs)];
}

const undrawn: ReadonlySet<keyof Variant> = new Set<keyof Variant>([
  // The same in all.
  "laterMs",
  // A new key that is to be taken back can't be told from one that is gone while requests do not find it.
  "newKeys",
]);

function drawKnob(draw: Draw): readonly [string, unknown] {
  const knobs = Object.keys(knobValues) as (keyof Variant)[];
  const knob = draw.one(knobs.filter((name) => !undrawn.has(name)));
  return [knob, draw.one<unknown>(knobValues[knob])];
}
