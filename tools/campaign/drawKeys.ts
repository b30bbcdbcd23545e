import { defined } from "../../provider/core/state";
import type { Draw } from "./draw";
import { changes, drawKeyDrift, placement, presence, scopeSets } from "./drawProgram";
import { declaredKeys } from "./heldKeys";
import type { Declared, Drift, ExistingKey, Program, Properties, Schedule } from "./schedule";

/** Keys that exist before a stack adopts them. */
interface Pool {
  /** The id of one more, of this customer. */
  add(customerId: string): string;
  readonly keys: readonly ExistingKey[];
}

function openPool(draw: Draw, { variant, existing }: Schedule): Pool {
  const keys = [...existing];
  const forms = { text: "key_existing_", numeric: "9000", odd: "key existing/ü%2F?#" };
  return {
    keys,
    add(customerId) {
      const id = `${forms[variant.ids]}${keys.length + 1}`;
      const scopes = draw.one(scopeSets) as ExistingKey["scopes"];
      const name = draw.one(["key", "other", "made elsewhere"]);
      keys.push({ id, customerId, name, enabled: draw.chance(75), scopes });
      return id;
    },
  };
}

/** What the programs of a run say about one key that is adopted at first. */
interface Adoption {
  next(isThere: boolean): Properties;
  /** The other one's key, which still is the one that was adopted, is declared here, and there yet another. */
  takeFrom(other: Adoption): void;
  /** Gives the key away; `undefined` where it is no longer the one that was adopted. */
  give(): string | undefined;
}

function drawAdoption(draw: Draw, pool: Pool, customerId: string): Adoption {
  let id: string | undefined = pool.add(customerId);
  let version = 1;
  let begun = false;
  let wasThere = true;
  let isRefused = false;
  const ways = [
    // In its place there is to be a new one, which has to wait while the id is declared.
    () => {
      version += 1;
      isRefused = id !== undefined && draw.chance(30);
      if (!isRefused) id = undefined;
    },
    () => {
      id = pool.add(customerId);
    },
    () => {
      id = undefined;
    },
  ];
  return {
    takeFrom(other) {
      id = other.give() ?? id;
    },
    give() {
      if (!begun || !wasThere || isRefused) return undefined;
      const given = id;
      id = pool.add(customerId);
      return given;
    },
    next(isThere) {
      const wasRefused = isRefused;
      isRefused = false;
      // What was no longer declared is deleted.
      if (isThere && !wasThere) id = pool.add(customerId);
      else if (wasRefused) id = undefined;
      else if (isThere && begun && draw.chance(25)) draw.one(ways)();
      begun ||= isThere;
      wasThere = isThere;
      return {
        ...(id === undefined ? {} : { existingId: id }),
        keepers: { version: String(version) },
      };
    },
  };
}

/** Puts an ApiKey that adopts into a part of the schedules: drawn apart, so that it changes nothing of the rest. */
export function withAdoption(draw: Draw, schedule: Schedule): Schedule {
  if (draw.chance(70)) return schedule;
  const pool = openPool(draw, schedule);
  const next = adoptedSlot(draw, schedule, pool);
  const isFirst = draw.chance(50);
  const steps = schedule.steps.map((step, n) => {
    const drifts = n > 0 && draw.chance(20) ? [drawKeyDrift(draw, "adopted")] : [];
    const own = next();
    const program = isFirst ? [...own, ...step.program] : [...step.program, ...own];
    return { ...step, program, drifts: [...step.drifts, ...drifts] };
  });
  return { ...schedule, existing: pool.keys, steps };
}

function adoptedSlot(draw: Draw, { workspaceId }: Schedule, pool: Pool): () => readonly Declared[] {
  const customerId = "cus_adopted";
  const there = presence(draw);
  const name = changes(draw, 25, draw.number(0, 1), (before) => 1 - before);
  const scopes = changes(draw, 40, draw.number(0, 4), () => draw.number(0, 4));
  const enabled = changes(draw, 25, draw.chance(80), (before) => !before);
  const adoption = drawAdoption(draw, pool, customerId);
  return () => {
    const isThere = there();
    const inputs = {
      ...{ workspaceId, customerId, name: ["key", "other"][name()] },
      ...{ scopes: scopeSets[scopes()], enabled: enabled() },
      ...adoption.next(isThere),
    };
    return isThere ? [{ name: "adopted", kind: "ApiKey", inputs }] : [];
  };
}

/** Puts a set of keys into half of the schedules: drawn apart, so that it changes nothing of the rest. */
export function withSet(draw: Draw, schedule: Schedule): Schedule {
  if (draw.chance(50)) return schedule;
  const placed = placement(draw);
  const pool = openPool(draw, schedule);
  const next = setSlot(draw, schedule, pool);
  let before: Declared | undefined;
  const steps = schedule.steps.map((step) => {
    const known = before === undefined ? [] : declaredKeys(before);
    const drifts = known.length > 0 && draw.chance(30) ? [drawKeyDrift(draw, draw.one(known).place)] : [];
    const set = next();
    before = set ?? before;
    const program = placed(set === undefined ? [] : [set], step.program);
    return { ...step, program, drifts: [...step.drifts, ...drifts] };
  });
  return { ...schedule, existing: pool.keys, steps };
}

/** Names that programs, and the language, may take for something else. */
const aliases = ["acme", "constructor", "42", "a b.ü"] as const;

interface Customers {
  /** Keys of one name and customer, which nothing but their ids tells apart. */
  readonly twins: boolean;
  /** All keys are one customer's. */
  readonly shared: boolean;
  readonly pool: Pool;
  /** Those of all its entries. */
  readonly adoptions: Adoption[];
}

function setSlot(draw: Draw, { workspaceId, parallel }: Schedule, pool: Pool): () => Declared | undefined {
  const twins = !parallel && draw.chance(20);
  const shared = twins || draw.chance(30);
  const adoptions: Adoption[] = [];
  const there = presence(draw);
  const scopes = changes(draw, 30, draw.number(0, 4), () => draw.number(0, 4));
  const enabled = changes(draw, 20, draw.chance(85), (before) => !before);
  const entries = aliases
    .slice(0, draw.number(2, 4))
    .map((alias, n) => entrySlot(draw, alias, n, { twins, shared, pool, adoptions }));
  return () => {
    const isThere = there();
    const keys = Object.fromEntries(entries.flatMap((entry) => entry(isThere)));
    const defaults = {
      ...(shared ? { customerId: "cus_set" } : {}),
      ...(twins ? { name: "twin" } : {}),
      keepers: { of: "set" },
      scopes: scopeSets[scopes()],
      enabled: enabled(),
    };
    return isThere ? { name: "set", kind: "ApiKeySet", inputs: { workspaceId, defaults, keys } } : undefined;
  };
}

/** An entry with its alias, while it and its set are there. */
type EntrySlot = (isSetThere: boolean) => readonly (readonly [string, Properties])[];

function entrySlot(draw: Draw, first: string, n: number, others: Customers): EntrySlot {
  const { twins, shared, pool, adoptions } = others;
  const existing = draw.chance(25);
  const customerId = shared ? "cus_set" : `cus_set_${n}`;
  const adoption = draw.chance(30) ? drawAdoption(draw, pool, customerId) : undefined;
  if (adoption !== undefined) adoptions.push(adoption);
  const there = changes(draw, 25, draw.chance(85), (before) => !before);
  const alias = changes(draw, 15, first, (before) => (before === first ? `${first}-new` : first));
  const name = changes(draw, 25, draw.number(0, 2), () => draw.number(0, 2));
  // What is not among them leaves the default, or takes it away.
  const scopes = changes(draw, 40, draw.number(0, 7), () => draw.number(0, 7));
  const enabled = changes(draw, 25, draw.number(0, 4), () => draw.number(0, 4));
  const version = changes(draw, 25, 1, (before) => before + 1);
  let former: string | undefined;
  let last: string | undefined;
  // A value that was taken over once can't be taken over again while its old record lives.
  let returned = 0;
  const origin = (isThere: boolean): Properties => {
    if (adoption !== undefined) {
      const other = draw.one(adoptions);
      if (shared && isThere && other !== adoption && draw.chance(10)) adoption.takeFrom(other);
      return adoption.next(isThere);
    }
    const made = version();
    return existing
      ? { existingKey: `existing-canary-set-${n}-${made}-${returned}` }
      : ([{ keepers: { version: String(made) } }, { keepers: null }, {}][made % 3] ?? {});
  };
  return (isSetThere) => {
    const isThere = there() && isSetThere;
    const now = alias();
    if (last !== undefined && now !== last) {
      former = draw.chance(70) ? last : undefined;
      if (former === undefined) returned += 1;
    }
    last = now;
    if (!isThere) returned += 1;
    const given = {
      ...(shared ? {} : { customerId }),
      name: twins ? undefined : [undefined, "key", "other"][name()],
      // Those of a key to adopt have to be stated.
      scopes: [...scopeSets, adoption === undefined ? null : []][scopes()],
      enabled: [true, false, null][enabled()],
      ...origin(isThere),
      renamedFrom: former,
    };
    return isThere ? [[now, defined(given)]] : [];
  };
}

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

/** The key that two resources are to have. */
interface Target {
  readonly resource: string;
  readonly place: string;
  /** In a set. */
  readonly alias?: string;
}

/**
 * Lets another resource declare the key of one, in a part of the schedules: beside it, in its place, or once it is
 * released. Drawn apart, so that it changes nothing of the rest.
 */
export function withSharing(draw: Draw, schedule: Schedule): Schedule {
  if (draw.chance(50)) return schedule;
  const { steps } = schedule;
  const begin = draw.number(1, steps.length - 1);
  const targets = (steps[begin - 1]?.program ?? []).flatMap((declared) =>
    declaredKeys(declared).map(({ place, alias }): Target => {
      return { resource: declared.name, place, ...(alias === undefined ? {} : { alias }) };
    }),
  );
  if (targets.length === 0) return schedule;
  const target = draw.one(targets);
  const others =
    target.alias === undefined
      ? drawGivenUp(draw, target, begin, steps.length)
      : drawReleased(draw, target, target.alias, begin, steps.length);
  const from = begin + (others.isRetained ? 1 : 0) + draw.number(0, 1);
  const adopter = drawAdopter(draw, schedule.workspaceId, target.place, from, steps.length);
  const isFirst = draw.chance(50);
  return {
    ...schedule,
    steps: steps.map((step, n) => {
      const own = adopter(n);
      const rest = others.programAt(step.program, n);
      return { ...step, program: isFirst ? [...own, ...rest] : [...rest, ...own] };
    }),
  };
}

/** What becomes of the resource that has the key. */
interface Others {
  readonly isRetained?: boolean;
  programAt(program: Program, n: number): Program;
}

function drawGivenUp(draw: Draw, { resource }: Target, begin: number, end: number): Others {
  const without = (program: Program) => program.filter(({ name }) => name !== resource);
  switch (draw.one(["beside", "instead", "retained"] as const)) {
    case "beside": {
      const removed = draw.number(begin + 1, end + 1);
      return { programAt: (program, n) => (n >= removed ? without(program) : program) };
    }
    case "instead":
      return { programAt: (program, n) => (n >= begin ? without(program) : program) };
    case "retained": {
      const retained = (program: Program) =>
        program.map((one) => (one.name === resource ? { ...one, retain: true } : one));
      return {
        isRetained: true,
        programAt: (program, n) => {
          if (n < begin) return program;
          return n === begin ? retained(program) : without(program);
        },
      };
    }
  }
}

function drawReleased(draw: Draw, { resource }: Target, alias: string, begin: number, end: number): Others {
  const isReleased = draw.chance(80);
  const removed = draw.number(begin, end);
  const entryAt = (entry: Properties | undefined, n: number) => {
    if (n < begin) return entry;
    if (n >= removed) return undefined;
    return isReleased && entry !== undefined ? { ...entry, release: true } : entry;
  };
  return {
    programAt: (program, n) =>
      program.map((one) =>
        one.name === resource ? withEntry(one, alias, (entry) => entryAt(entry, n)) : one,
      ),
  };
}

function withEntry(
  set: Declared,
  alias: string,
  change: (entry: Properties | undefined) => Properties | undefined,
): Declared {
  const { [alias]: entry, ...others } = set.inputs["keys"] as Readonly<Record<string, Properties>>;
  const changed = change(entry);
  const keys = changed === undefined ? others : { ...others, [alias]: changed };
  return { ...set, inputs: { ...set.inputs, keys } };
}

/** The resource that adopts the key, which may want a new one later, or leave. */
function drawAdopter(draw: Draw, workspaceId: string, place: string, from: number, end: number) {
  const kind = draw.one(["ApiKey", "ApiKey", "ApiKeySet", "RotatingApiKey"] as const);
  const renewed = draw.chance(25) ? draw.number(from + 1, end + 2) : end + 2;
  const left = draw.chance(40) ? draw.number(from + 1, end + 2) : end + 2;
  const same = { name: draw.one(["key", "other"]), scopes: draw.one(scopeSets), enabled: draw.chance(85) };
  return (n: number): Program => {
    if (n < from || n >= left) return [];
    const isRenewed = n >= renewed;
    const key = { ...same, keepers: { version: isRenewed ? "2" : "1" } };
    const inputs = {
      ApiKey: { workspaceId, ...key },
      RotatingApiKey: { workspaceId, rotateEvery: "30d", ...key },
      ApiKeySet: { workspaceId, keys: { shared: key } },
    }[kind];
    return [{ name: "sharer", kind, inputs, shares: { place, adopts: !isRenewed } }];
  };
}
