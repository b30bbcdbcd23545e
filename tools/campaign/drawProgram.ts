import { defined } from "../../provider/core/state";
import type { Draw } from "./draw";
import type { Declared, Drift, Program, Properties } from "./schedule";

/** The programs of a run, step after step: each differs from the one before in a few respects. */
export interface ProgramSource {
  next(): Program;
}

/** One resource's place in the programs. `undefined`: it isn't declared in this step. */
type Slot = () => Declared | undefined;

interface Place {
  readonly n: number;
  readonly workspaceId: string;
  /** Keys of one name and customer, which nothing but their ids tells apart. */
  readonly twins: boolean;
}

export function drawPrograms(draw: Draw, workspaceId: string, parallel: boolean): ProgramSource {
  // Where operations run at once, the customer is what tells whose request it was.
  const twins = !parallel && draw.chance(25);
  const kinds = [keySlot, ...draw.one(companions)];
  const slots = kinds.map((slot, n) => slot(draw, { n, workspaceId, twins }));
  return { next: () => slots.map((slot) => slot()).filter((declared) => declared !== undefined) };
}

/** A change in so many of a hundred steps, none in the first. */
export function changes<T>(draw: Draw, percent: number, first: T, next: (before: T) => T): () => T {
  let value = first;
  let begun = false;
  return () => {
    if (begun && draw.chance(percent)) value = next(value);
    begun = true;
    return value;
  };
}

/** Where one resource stands among the others of a program, alone of them in a third of the schedules. */
export function placement(draw: Draw): (own: Program, others: Program) => Program {
  const where = draw.one(["alone", "first", "last"] as const);
  return (own, others) => ({ alone: own, first: [...own, ...others], last: [...others, ...own] })[where];
}

export function presence(draw: Draw): () => boolean {
  return changes(draw, 15, draw.chance(85), (before) => !before);
}

export const scopeSets: readonly (readonly Properties[])[] = [
  [],
  [{ representation: "orders", read: true }],
  [{ representation: "orders", read: true, update: true }],
  [
    { representation: "orders", read: true, update: true, del: true },
    { representation: "users", create: true, read: true },
  ],
  [{ representation: "users", read: true }],
];
/** What the keys' scopes name: services may want them to be defined. */
export const representations = ["orders", "users"] as const;

function keySlot(draw: Draw, { n, workspaceId, twins }: Place): Slot {
  const existing = draw.chance(25);
  const there = presence(draw);
  const name = changes(draw, 25, 0, (before) => 1 - before);
  const scopes = changes(draw, 45, draw.number(0, 4), () => draw.number(0, 4));
  const enabled = changes(draw, 25, draw.chance(80), (before) => !before);
  // A value that was taken over once can't be taken over anew while its old record lives.
  const replaced = changes(draw, 25, 1, (before) => before + 1);
  let returned = 0;
  let declared = true;
  return () => {
    const isThere = there();
    if (isThere && !declared) returned += 1;
    declared = isThere;
    const version = replaced();
    const inputs = {
      workspaceId,
      customerId: twins ? "cus_twins" : `cus_${n}`,
      name: twins ? "twin" : ["key", "other"][name()],
      scopes: scopeSets[scopes()] ?? [],
      enabled: enabled(),
      ...(existing
        ? { existingKey: `existing-canary-${n}-${version}-${returned}` }
        : { keepers: { version: String(version) } }),
    };
    return isThere ? { name: `key${n}`, kind: "ApiKey", inputs } : undefined;
  };
}

function settingsSlot(draw: Draw, { workspaceId }: Place): Slot {
  const there = presence(draw);
  const prefix = changes(draw, 40, "acme", () => draw.one(["acme", "beta", undefined]));
  const rate = changes(draw, 40, 20, () => draw.one([20, 40, 60]));
  const ips = changes(draw, 30, ["10.0.0.1"], () => draw.one([["10.0.0.1"], ["10.0.0.0/8", "192.168.1.1"]]));
  const onDestroy = draw.one(["retain", "restore"]);
  return () => {
    const all = {
      workspaceId,
      defaultKeyPrefix: prefix(),
      defaultRateLimitPerSecond: rate(),
      defaultAllowedIPs: ips(),
      onDestroy,
    };
    return there() ? { name: "settings", kind: "WorkspaceSettings", inputs: defined(all) } : undefined;
  };
}

function scopeSlot(draw: Draw, { n, workspaceId }: Place): Slot {
  const there = presence(draw);
  const version = changes(draw, 30, 1, (before) => before + 1);
  return () => {
    const representation = `team-${n}-${version()}`;
    const inputs = { workspaceId, name: `Team ${representation}`, representation, description: "a team" };
    return there() ? { name: `scope${n}`, kind: "Scope", inputs } : undefined;
  };
}

/** Each value of `grant` is declared in one stretch of steps only: to come back to an old one would grant again. */
function billingSlot(draw: Draw, { n, workspaceId }: Place): Slot {
  const there = presence(draw);
  const grant = changes(draw, 25, 1, (before) => before + 1);
  let returned = 0;
  let declared = true;
  let adopted: number | undefined;
  return () => {
    const isThere = there();
    if (isThere && !declared) returned += 1;
    declared = isThere;
    const version = grant();
    if (draw.chance(8)) adopted = version;
    const name = `credits${n}-${returned}`;
    const granting = { totalCredits: "100", spendCap: "0", externalMeterId: `${name}-${version}` };
    const inputs = {
      workspaceId,
      ...(adopted === version ? { billingId: "bill_adopted" } : granting),
      ...(version === 1 ? {} : { grant: `again-${version}` }),
    };
    return isThere ? { name, kind: "CustomerBilling", inputs } : undefined;
  };
}

/** What stands beside the first key. A workspace has its settings once. */
const companions: readonly (readonly ((draw: Draw, place: Place) => Slot)[])[] = [
  [],
  [keySlot],
  [billingSlot],
  [scopeSlot],
  [settingsSlot],
  [keySlot, keySlot],
  [keySlot, billingSlot],
  [scopeSlot, billingSlot],
  [settingsSlot, keySlot],
  [keySlot, billingSlot, scopeSlot],
  [billingSlot, settingsSlot, scopeSlot],
];

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
