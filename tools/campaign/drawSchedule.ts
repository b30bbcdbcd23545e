import {
  defaultVariant,
  type Endpoint,
  type Fault,
  type PresetName,
  presets,
  type Variant,
} from "../../standin";
import { laterMs, variantValues } from "../../test/host/serverVariants";
import { type Draw, drawing } from "./draw";
import { withAdoption, withRotation, withSet, withSharing } from "./drawKeys";
import { drawDrift, drawPrograms } from "./drawProgram";
import type {
  CampaignFault,
  Interruption,
  InterruptionKind,
  Outage,
  Program,
  Schedule,
  Step,
  Trouble,
} from "./schedule";

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
  const knobs = Object.keys(variantValues) as (keyof Variant)[];
  const knob = draw.one(knobs.filter((name) => !undrawn.has(name)));
  return [knob, draw.one<unknown>(variantValues[knob])];
}

/** What goes wrong in one command: in so many of a hundred it is interrupted. */
function drawTrouble(draw: Draw, foreignUrl: string, interrupted: number): Trouble {
  if (draw.chance(20)) return { faults: [], outage: undefined, interruption: undefined };
  return {
    faults: drawFaults(draw, foreignUrl),
    outage: draw.chance(12) ? drawOutage(draw) : undefined,
    interruption: draw.chance(interrupted) ? drawInterruption(draw) : undefined,
  };
}

const writes: readonly Endpoint[] = [
  "createApiKey",
  "migrateApiKey",
  "editApiKey",
  "deleteApiKey",
  "editWorkspace",
  "createScope",
  "createBilling",
];
const reads: readonly Endpoint[] = [
  "listApiKeys",
  "readApiKey",
  "readWorkspace",
  "listScopes",
  "listWorkspaces",
];

function drawFaults(draw: Draw, foreignUrl: string): readonly CampaignFault[] {
  const faults = Array.from({ length: draw.number(0, 3) }, () => drawRule(draw, foreignUrl));
  if (draw.chance(70)) return faults;
  // Two untrue answers that agree with each other can't be told from the truth.
  const others = faults.slice(1).filter(({ fault }) => fault.kind !== "status" || fault.status !== 404);
  return [{ ...draw.one(untrue)(draw), ...drawCount(draw) }, ...others];
}

function drawCount(draw: Draw): Pick<CampaignFault, "after" | "times"> {
  return { times: draw.one([1, 1, 1, 1, 2, 3, 4, 6]), after: draw.one([0, 0, 0, 1, 2]) };
}

function drawRule(draw: Draw, foreignUrl: string): CampaignFault {
  const fault = draw.one(kinds)(draw, foreignUrl);
  const rule = { fault, ...drawCount(draw) };
  // A token of another tenant.
  if (fault.kind === "status" && fault.status === 404) return { ...rule, times: rule.times + 3 };
  const where = draw.number(1, 100);
  if (where <= 55) return { ...rule, endpoint: [draw.one(writes)] };
  if (where <= 75) return { ...rule, endpoint: [draw.one(reads)] };
  return where <= 88 ? { ...rule, method: draw.one(["POST", "PATCH", "GET"]) } : rule;
}

/** Answers that say what is not so, where a plausible service gives them. */
const untrue: readonly ((draw: Draw) => Pick<CampaignFault, "endpoint" | "fault">)[] = [
  // Gone, though it lives.
  (draw) => ({
    endpoint: [draw.one(["readApiKey", "editApiKey", "deleteApiKey", "readWorkspace", "editWorkspace"])],
    fault: { kind: "status", status: draw.one([404, 410]) },
  }),
  (draw) => ({ endpoint: [draw.one(["readApiKey", "editApiKey"])], fault: { kind: "markedDeleted" } }),
  // Done, though nothing was. An answer with the record as it is to be is taken for true (R4, R7), so there is none.
  (draw) => ({
    endpoint: [draw.one(["editApiKey", "editWorkspace"])],
    fault: { kind: "withoutEffect", answer: draw.one(["before", "nothing", "emptyObject"]), status: 200 },
  }),
  (draw) => ({
    endpoint: [draw.one(["editApiKey", "editWorkspace", "deleteApiKey"])],
    fault: { kind: "withoutEffect", answer: "before", status: 202 },
  }),
  (draw) => ({
    endpoint: ["deleteApiKey"],
    fault: { kind: "withoutEffect", answer: draw.one(["before", "nothing", "emptyObject"]), status: 200 },
  }),
  // Refused, though it was done: something between sent it twice, and hands back the second answer.
  (draw) => ({
    endpoint: [draw.one(["createApiKey", "migrateApiKey", "createScope", "createBilling"])],
    fault: { kind: "errorAfter", status: 409 },
  }),
  (draw) => ({
    endpoint: ["deleteApiKey"],
    fault: { kind: "errorAfter", status: draw.one([400, 404, 409, 410, 422]) },
  }),
];

/** The lost answers, on which secrets and credits depend, come more often than the rest. */
const kinds: readonly ((draw: Draw, foreignUrl: string) => Fault)[] = [
  () => ({ kind: "resetBefore" }),
  () => ({ kind: "resetAfter" }),
  () => ({ kind: "resetAfter" }),
  (draw) => ({ kind: "errorAfter", status: draw.one([500, 502, 503, 504]) }),
  (draw) => ({ kind: "status", status: draw.one([400, 401, 403, 404, 409, 429, 500, 502, 503, 504]) }),
  () => ({ kind: "truncated" }),
  () => ({ kind: "garbled" }),
  () => ({ kind: "hang" }),
  () => ({ kind: "hang", carriedOut: true }),
  (draw) => ({ kind: "drip", bytesPerSecond: draw.one([20, 20_000]) }),
  (draw) => {
    const wait = draw.one(["1", "0", "30", "3600", "soon", "Fri, 31 Dec 2199 23:59:59 GMT", "-5", undefined]);
    return { kind: "status", status: 429, headers: wait === undefined ? {} : { "retry-after": wait } };
  },
  (draw, foreignUrl) => ({
    kind: "status",
    status: draw.one([301, 302, 303, 307, 308]),
    headers: { location: foreignUrl },
  }),
  (draw) => ({ kind: "hugeBody", bytes: draw.one([70_000, 4_300_000]), contentLength: draw.chance(50) }),
  (draw) => ({ kind: "html", status: draw.one([200, 502]) }),
  () => ({ kind: "otherRecord" }),
  () => ({ kind: "withoutKey" }),
  (draw) => ({ kind: "emptyBody", status: draw.one([200, 204]) }),
];

function drawOutage(draw: Draw): Outage {
  return { afterRequests: draw.one([0, 0, 1, 2, 3, 5]), repetitions: draw.number(0, 3) };
}

const interruptions: readonly InterruptionKind[] = ["ctrlC", "twoCtrlC", "engineKilled", "hostKilled"];

function drawInterruption(draw: Draw): Interruption {
  return {
    kind: draw.one(interruptions),
    at: {
      moment: draw.one(["arrives", "answered"]),
      writes: draw.chance(70),
      nth: draw.one([1, 1, 1, 2, 2, 3, 4]),
    },
  };
}
