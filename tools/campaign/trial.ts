import { inspect } from "node:util";
import { drawSchedule, type Extent } from "./drawSchedule";
import { type Column, columns, type Finding } from "./findings";
import { holdsKeys, idsIn } from "./heldKeys";
import { startInPlugin } from "./inPlugin";
import { startInProcess } from "./inProcess";
import { judge } from "./judge";
import { type Players, play } from "./play";
import type { Schedule } from "./schedule";
import { type Foreigner, openForeigner } from "./stage";
import type { Trace } from "./trace";

/** The result of one schedule. */
export interface Trial {
  readonly seed: number;
  readonly variant: string;
  readonly findings: readonly Finding[];
  /** Faults that requests met, and interruptions and outages, each by its kind. */
  readonly injected: Readonly<Record<string, number>>;
}

export async function tryOut(
  seed: number,
  tier: Tier,
  foreigner: Foreigner,
  onTrace: (trace: Trace) => void = () => {},
): Promise<Trial> {
  const schedule = drawSchedule(seed, foreigner.urlFor(seed), tier.extent);
  const trace = await play(schedule, tier, () => foreigner.visits(seed));
  onTrace(trace);
  const findings = [...judge(trace), ...(await stuck(trace, tier))];
  return { seed, variant: schedule.variantName, findings, injected: injectedInto(trace) };
}

/** A schedule of which nothing is known but why. */
export function unplayed(seed: number, what: string): Trial {
  return { seed, variant: "any service", findings: [{ column: "unplayed", what }], injected: {} };
}

/** Reports a stack that never became stable, unless the same schedule without faults doesn't either. */
async function stuck(trace: Trace, tier: Tier): Promise<readonly Finding[]> {
  if (trace.converged) return [];
  const reason = redEnd(trace);
  const what = lastWords(trace);
  if (reason !== undefined) return [{ column: "stuck", what, apart: reason }];
  const plain = await play(untroubled(trace.schedule), tier, () => 0);
  if (plain.converged) return [{ column: "stuck", what }];
  return [{ column: "stuck", what, apart: "the same without any fault" }];
}

function injectedInto({ requests, commands, schedule }: Trace): Record<string, number> {
  const kinds = [
    ...requests.flatMap(({ fault }) => fault ?? []),
    ...commands.flatMap(({ interruption }) => interruption ?? []),
    ...[...schedule.steps, schedule.ending].flatMap(({ outage }) => (outage === undefined ? [] : "outage")),
  ];
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

export type TierName = "process" | "plugin";

/** Where the schedules are played. */
export interface Tier extends Players {
  /** So many at once keep a processor busy while the others wait. */
  readonly atOnce: number;
  readonly extent: Extent;
}

export const tiers: Readonly<Record<TierName, Tier>> = {
  /** Below the host and the engine, in the campaign's own process. */
  process: {
    ...{ start: startInProcess, interruptsAtOnce: true, closesOnCancel: false },
    ...{ atOnce: 32, extent: { steps: 6, interrupted: 20 } },
  },
  /** In the plugin, over gRPC. */
  plugin: {
    ...{ start: startInPlugin, interruptsAtOnce: false, closesOnCancel: true },
    ...{ atOnce: 4, extent: { steps: 3, interrupted: 40 } },
  },
};

/** Tries out seeds, several at a time: they mostly wait. One that can't be played stops no other. */
export async function tryOutMany(
  seeds: Iterable<number>,
  tier: Tier,
  onTrial: (trial: Trial) => void,
): Promise<void> {
  const foreigner = await openForeigner();
  const left = seeds[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const seed = next.value;
      const trial = tryOut(seed, tier, foreigner).catch((error: unknown) => unplayed(seed, inspect(error)));
      onTrial(await trial);
    }
  };
  try {
    await Promise.all(Array.from({ length: tier.atOnce }, work));
  } finally {
    await foreigner.close();
  }
}

export function* seedsFrom(first: number, count: number, stride = 1): Generator<number> {
  for (let n = 0; n < count; n += stride) yield first + n;
}

/** The same schedule on the same service, where nothing goes wrong and nobody interrupts. */
function untroubled({ steps, ...schedule }: Schedule): Schedule {
  const none = { faults: [], outage: undefined, interruption: undefined };
  return { ...schedule, steps: steps.map((step) => ({ ...step, ...none })), ending: none };
}

/** The red ends that need a human, by the rule that says so. */
const expected: readonly (readonly [RegExp, string])[] = [
  [/Check in the service\. If the credits were granted/, "an open grant (B3)"],
  [/Adopting .*no such key, or the key was deleted/, "a key to adopt that is gone (K11)"],
  [
    /can't change while existingId stays the same or is added/,
    "a new key where existingId is declared (K11)",
  ],
  [/should be "(\w+)", the service has "\1_"/, "a value that the service always changes (R4)"],
  [/needs a new key, but the previous key/, "a change that needs a third key (T2)"],
  [/two resources can't manage one key/, "two resources that declare one key (R17)"],
  [/(Migrating|For each of) .*\b409\b/, "a value to take over that a record holds already (K5)"],
];

/** Why a run may have come to a red end, as far as a documented rule says so. */
function redEnd(trace: Trace): string | undefined {
  const { commands, schedule } = trace;
  if (isUnlisted(trace)) return "a key that is gone, where keys are not listed (R6)";
  const messages = commands
    .filter(({ name, step, green }) => name === "up" && step === schedule.steps.length && !green)
    .flatMap(({ operations }) => operations.map(({ message }) => message))
    .join("\n");
  const rule = expected.find(([pattern]) => pattern.test(messages))?.[1];
  if (
    rule === undefined &&
    schedule.variant.listLimit > 0 &&
    /has a scope with this|Creating scope .*answered 409/.test(messages)
  ) {
    return "a scope that the service has but does not list";
  }
  return rule;
}

/**
 * Whether all that failed in the last up and refresh was about keys that live no more, on a service that lists none: it
 * has no other way to say that they are gone.
 */
function isUnlisted({ commands, schedule }: Trace): boolean {
  if (schedule.variant.keyLists === "answered") return false;
  const failures = commands
    .filter(({ name, step }) => name !== "destroy" && step === schedule.steps.length)
    .slice(-2)
    .flatMap(({ operations, after, live }) => {
      const living = new Set(live.map(({ id }) => id));
      const gone = (resource: string) =>
        after.entries
          .filter(({ name, kind }) => name === resource && holdsKeys(kind))
          .some((entry) => idsIn(entry).some((id) => !living.has(id)));
      return operations.filter(({ ended }) => ended === "failed").map(({ resource }) => gone(resource));
    });
  return failures.length > 0 && failures.every((isGone) => isGone);
}

/** What the last up ended with. */
function lastWords({ commands, schedule }: Trace): string {
  const last = commands
    .filter(({ step, name }) => name !== "destroy" && step === schedule.steps.length)
    .slice(-2);
  const words = last.flatMap(({ name, green, operations }) => [
    `${name} ${green ? "green" : "red"}`,
    ...operations.filter(({ ended }) => ended === "failed").map(({ message }) => message),
  ]);
  return words.join(" | ");
}

/** The results of many trials. */
export interface Tally {
  schedules: number;
  readonly injected: Record<string, number>;
  /** Violations by column. */
  readonly violations: Record<Column, number>;
  /** What was counted apart, by column and reason. */
  readonly apart: Record<string, number>;
  /** For each violation a line that says where to find it. */
  readonly failures: { readonly seed: number; readonly text: string }[];
}

export function openTally(): Tally {
  const violations = Object.fromEntries(Object.keys(columns).map((column) => [column, 0]));
  return {
    schedules: 0,
    injected: {},
    violations: violations as Record<Column, number>,
    apart: {},
    failures: [],
  };
}

export function count(tally: Tally, { seed, variant, findings, injected }: Trial): void {
  tally.schedules += 1;
  for (const [kind, times] of Object.entries(injected)) add(tally.injected, kind, times);
  for (const { column, what, apart } of findings) {
    if (apart !== undefined) add(tally.apart, `${columns[column]}: ${apart}`, 1);
    else {
      tally.violations[column] += 1;
      tally.failures.push({ seed, text: `${columns[column]} (${variant}): ${what}` });
    }
  }
}

function add(counts: Record<string, number>, name: string, times: number): void {
  counts[name] = (counts[name] ?? 0) + times;
}

export function violationsIn({ violations }: Tally): number {
  return Object.values(violations).reduce((sum, times) => sum + times, 0);
}
