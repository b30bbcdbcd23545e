import type { Draw } from "./draw";
import { scopeSets } from "./drawProgram";
import { declaredKeys } from "./heldKeys";
import type { Declared, Program, Properties, Schedule } from "./schedule";

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
