import { defined } from "../../provider/core/state";
import type { Draw } from "./draw";
import { type Adoption, drawAdoption, openPool, type Pool } from "./drawAdoption";
import { drawKeyDrift } from "./drawDrift";
import { changes, placement, presence, scopeSets } from "./drawProgram";
import { declaredKeys } from "./heldKeys";
import type { Declared, Properties, Schedule } from "./schedule";

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
  // A value that was taken over once can't be taken over anew while its old record lives.
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
