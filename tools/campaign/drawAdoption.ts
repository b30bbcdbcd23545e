import type { Draw } from "./draw";
import { drawKeyDrift } from "./drawDrift";
import { changes, presence, scopeSets } from "./drawProgram";
import type { Declared, ExistingKey, Properties, Schedule } from "./schedule";

/** Keys that exist before a stack adopts them. */
export interface Pool {
  /** The id of one more, of this customer. */
  add(customerId: string): string;
  readonly keys: readonly ExistingKey[];
}

export function openPool(draw: Draw, { variant, existing }: Schedule): Pool {
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
export interface Adoption {
  next(isThere: boolean): Properties;
  /** The other one's key, which still is the one that was adopted, is declared here, and there yet another. */
  takeFrom(other: Adoption): void;
  /** Gives the key away; `undefined` where it is no longer the one that was adopted. */
  give(): string | undefined;
}

export function drawAdoption(draw: Draw, pool: Pool, customerId: string): Adoption {
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
