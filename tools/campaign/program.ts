/** The programs of a run, step after step: each differs from the one before in a few respects. */
import { defined, type Properties } from "../../provider/core/state";
import type { KeyScopeChange } from "../../standin";
import type { Draw } from "./draw";

export type Kind =
  | "ApiKey"
  | "ApiKeySet"
  | "RotatingApiKey"
  | "WorkspaceSettings"
  | "Scope"
  | "CustomerBilling";

/** One resource of a program. */
export interface Declared {
  readonly name: string;
  readonly kind: Kind;
  readonly inputs: Properties;
  /** The option retainOnDelete. */
  readonly retain?: boolean | undefined;
  /** The place of a key that another resource has: its id, which only a run tells, is declared, or no longer. */
  readonly shares?: { readonly place: string; readonly adopts: boolean };
}
export type Program = readonly Declared[];

/** A key that somebody else has made before the first command, and a program adopts. */
export interface ExistingKey {
  readonly id: string;
  readonly customerId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly scopes: readonly KeyScopeChange[];
}

/** The setting of all programs of a run. */
export interface Setting {
  readonly draw: Draw;
  readonly workspaceId: string;
  /** Whether operations run at once. Then the customer is what tells whose request it was. */
  readonly parallel: boolean;
  /** Ids as the service makes them begin with this. */
  readonly idPrefix: string;
  /** Grows with each key that a program is to adopt. */
  readonly existing: ExistingKey[];
}

/** One resource's place in the programs. Empty: it isn't declared in this step. */
type Slot = () => Program;

function slotOf(
  draw: Draw,
  kind: Kind,
  declare: (isThere: boolean) => { readonly name: string; readonly inputs: Properties },
): Slot {
  const there = presence(draw);
  return () => {
    const isThere = there();
    const { name, inputs } = declare(isThere);
    return isThere ? [{ name, kind, inputs: defined(inputs) }] : [];
  };
}

/** Gives the program of each step. */
export function drawPrograms(setting: Setting): () => Program {
  const { draw, parallel } = setting;
  // Keys of one name and customer, which nothing but their ids tells apart.
  const twins = !parallel && draw.chance(25);
  const keys = [keySlot, keySlot, keySlot].slice(0, draw.one([1, 1, 1, 2, 2, 3]));
  // A workspace has its settings once.
  const others = [setSlot, rotatingSlot, billingSlot, scopeSlot, settingsSlot].filter(() => draw.chance(40));
  const all = draw.chance(50) ? [...keys, ...others] : [...others, ...keys];
  const kinds = others.length > 0 && draw.chance(25) ? others : all;
  const slots = kinds.map((slot, n) => slot(setting, n, twins));
  return () => slots.flatMap((slot) => slot());
}

/** A change in this number of a hundred steps, none in the first. */
function changes<T>(draw: Draw, percent: number, first: T, next: (before: T) => T): () => T {
  let value = first;
  let begun = false;
  return () => {
    if (begun && draw.chance(percent)) value = next(value);
    begun = true;
    return value;
  };
}

function presence(draw: Draw): () => boolean {
  return changes(draw, 15, draw.chance(85), (before) => !before);
}

export const scopeSets: readonly (readonly KeyScopeChange[])[] = [
  [],
  [{ representation: "orders", read: true }],
  [{ representation: "orders", read: true, update: true }],
  [
    { representation: "orders", read: true, update: true, del: true },
    { representation: "users", create: true, read: true },
  ],
  [{ representation: "users", read: true }],
];
/** The representations in the keys' scopes. */
export const representations = ["orders", "users"] as const;

/** The inputs of a key that are updated in place. */
function updatable(draw: Draw): () => Properties {
  const name = changes(draw, 25, "key", () => draw.one(["key", "other"]));
  const scopes = changes(draw, 40, draw.one(scopeSets), () => draw.one(scopeSets));
  const enabled = changes(draw, 25, draw.chance(80), (before) => !before);
  return () => ({ name: name(), scopes: scopes(), enabled: enabled() });
}

/**
 * Where a key comes from: it is a new one, or one whose value exists, or one that exists, and some changes ask for another.
 * A value can't be taken over twice while its first record lives, and a key that is no longer declared is deleted: after
 * an absence, and for `isAnother`, it is another one.
 */
function origin(setting: Setting, label: string, customerId: string) {
  const { draw } = setting;
  const way = draw.one(["new", "new", "new", "value", "id"] as const);
  const version = changes(draw, 25, 1, (before) => before + 1);
  let existingId = way === "id" ? addExisting(setting, customerId) : undefined;
  let keepers = way === "id" ? undefined : { version: "1" };
  let last = 1;
  let others = 0;
  let wasThere = true;
  return (isThere: boolean, isAnother = false): Properties => {
    if (isAnother || (isThere && !wasThere)) {
      others += 1;
      existingId &&= addExisting(setting, customerId);
    }
    wasThere = isThere;
    const now = version();
    if (way === "value") return { existingKey: `existing-canary-${label}-${now}-${others}` };
    if (now !== last) {
      const isAdopted = existingId !== undefined;
      existingId &&= draw.chance(35) ? addExisting(setting, customerId) : undefined;
      // To leave out the id asks for nothing, but other keepers do.
      if (existingId === undefined && !(isAdopted && draw.chance(50))) keepers = { version: String(now) };
    }
    last = now;
    return { existingId, keepers };
  };
}

function addExisting({ draw, idPrefix, existing }: Setting, customerId: string): string {
  const id = `${idPrefix}${existing.length + 1}`;
  const name = draw.one(["key", "other", "made elsewhere"]);
  existing.push({ id, customerId, name, enabled: draw.chance(75), scopes: draw.one(scopeSets) });
  return id;
}

function keySlot(setting: Setting, n: number, twins: boolean): Slot {
  const { draw, workspaceId } = setting;
  const customerId = twins ? "cus_twins" : `cus_${n}`;
  const inputs = updatable(draw);
  const given = origin(setting, `${n}`, customerId);
  return slotOf(draw, "ApiKey", (isThere) => ({
    name: `key${n}`,
    inputs: { workspaceId, customerId, ...inputs(), ...(twins && { name: "twin" }), ...given(isThere) },
  }));
}

function settingsSlot({ draw, workspaceId }: Setting): Slot {
  const prefix = changes(draw, 40, "acme", () => draw.one(["acme", "beta", undefined]));
  const rate = changes(draw, 40, 20, () => draw.one([20, 40, 60]));
  const ips = changes(draw, 30, ["10.0.0.1"], () => draw.one([["10.0.0.1"], ["10.0.0.0/8", "192.168.1.1"]]));
  const onDestroy = draw.one(["retain", "restore"]);
  return slotOf(draw, "WorkspaceSettings", () => {
    const defaults = {
      defaultKeyPrefix: prefix(),
      defaultRateLimitPerSecond: rate(),
      defaultAllowedIPs: ips(),
    };
    return { name: "settings", inputs: { workspaceId, ...defaults, onDestroy } };
  });
}

function scopeSlot({ draw, workspaceId }: Setting, n: number): Slot {
  const version = changes(draw, 30, 1, (before) => before + 1);
  return slotOf(draw, "Scope", () => {
    const representation = `team-${n}-${version()}`;
    const inputs = { workspaceId, name: `Team ${representation}`, representation, description: "a team" };
    return { name: `scope${n}`, inputs };
  });
}

/** Each value of `grant` is declared in one stretch of steps only: to come back to an old one would grant again. */
function billingSlot({ draw, workspaceId }: Setting, n: number): Slot {
  const grant = changes(draw, 25, 1, (before) => before + 1);
  let returned = 0;
  let wasThere = true;
  let adopted: number | undefined;
  return slotOf(draw, "CustomerBilling", (isThere) => {
    if (isThere && !wasThere) returned += 1;
    wasThere = isThere;
    const version = grant();
    if (draw.chance(8)) adopted = version;
    const name = `credits${n}-${returned}`;
    const granting = { totalCredits: "100", spendCap: "0", externalMeterId: `${name}-${version}` };
    const inputs = {
      workspaceId,
      ...(adopted === version ? { billingId: "bill_adopted" } : granting),
      ...(version === 1 ? {} : { grant: `again-${version}` }),
    };
    return { name, inputs };
  });
}

/** Names that programs, and the language, may take for something else. */
const aliases = ["acme", "constructor", "42", "a b.ü"] as const;

function setSlot(setting: Setting): Slot {
  const { draw, workspaceId, parallel } = setting;
  const twins = !parallel && draw.chance(20);
  const customerId = twins || draw.chance(30) ? "cus_set" : undefined;
  const inputs = updatable(draw);
  const entries = aliases
    .slice(0, draw.number(2, 4))
    .map((alias, n) => entrySlot(setting, alias, customerId ?? `cus_set_${n}`));
  return slotOf(draw, "ApiKeySet", (isThere) => {
    const { scopes, enabled } = inputs();
    const common = defined({ customerId, name: twins ? "twin" : undefined });
    const keys = entries
      .flatMap((entry) => entry(isThere))
      .map(([alias, given]) => {
        return [alias, Object.fromEntries(Object.entries(given).filter(([input]) => !(input in common)))];
      });
    const defaults = { ...common, scopes, enabled, keepers: { of: "set" } };
    return { name: "set", inputs: { workspaceId, defaults, keys: Object.fromEntries(keys) } };
  });
}

/** An entry with its alias, while it and its set are there. */
function entrySlot(setting: Setting, first: string, customerId: string) {
  const { draw } = setting;
  const there = presence(draw);
  const alias = changes(draw, 15, first, (before) => (before === first ? `${first}-new` : first));
  const inputs = updatable(draw);
  // It leaves the set's defaults, or takes them away.
  const left = changes(draw, 25, {}, () => draw.one([{}, { scopes: undefined }, { enabled: null }]));
  const given = origin(setting, first, customerId);
  let last = first;
  let renamedFrom: string | undefined;
  return (isSetThere: boolean): readonly (readonly [string, Properties])[] => {
    const isThere = there() && isSetThere;
    const now = alias();
    const isRenamed = now !== last;
    if (isRenamed) renamedFrom = draw.chance(70) ? last : undefined;
    last = now;
    const own = given(isThere, isRenamed && renamedFrom === undefined);
    // The scopes of a key to adopt have to be stated.
    const others = own["existingId"] === undefined ? left() : {};
    return isThere ? [[now, defined({ customerId, ...inputs(), ...others, ...own, renamedFrom })]] : [];
  };
}

function rotatingSlot(setting: Setting): Slot {
  const { draw, workspaceId } = setting;
  const customerId = "cus_rotating";
  const inputs = updatable(draw);
  const periods = changes(draw, 25, drawPeriods(draw), () => drawPeriods(draw));
  const given = origin(setting, "rotating", customerId);
  return slotOf(draw, "RotatingApiKey", (isThere) => ({
    name: "rotating",
    inputs: { workspaceId, customerId, ...inputs(), ...periods(), ...given(isThere) },
  }));
}

function drawPeriods(draw: Draw): Properties {
  const overlap = draw.one([undefined, "7d", "0d", "36h"]);
  return {
    rotateEvery: draw.one(["30d", "30d", "30d", "720h", "10d", "8w"]),
    overlap,
    // The check refuses the other two together.
    retire: draw.one([undefined, "afterOverlap", ...(overlap === "0d" ? [] : ["whenUnused", "whenUnused"])]),
  };
}
