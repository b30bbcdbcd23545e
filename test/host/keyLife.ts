import { expect } from "vitest";
import type { Variant } from "../../standin";
import { type Held, HostFailure, type Properties } from "./host";
import { canNarrow, checked, created, expectAsDeclared, expectGone, expectQuiet } from "./keyLifeSteps";
import { failureOf, granted, stored } from "./outcomes";
import { type Declared, type Planned, type Plot, planned } from "./plot";
import { accessToken, type Scene } from "./scene";

const few = [
  { representation: "users", read: true, create: false },
  { representation: "orders", update: true, read: true },
];
const many = [...few, { representation: "bills", create: true, read: true, update: true, del: true }];
/** `many` with one entry less, fewer permissions, and one entry more. */
const others = [
  { representation: "orders", read: true },
  { representation: "bills", create: true, del: true },
  { representation: "audit", read: true },
];
const all = [...many, { representation: "audit", read: true }];

/**
 * Create, read, empty diff, update of each field, drift and its reversal, replacement, deletion outside Pulumi, migration:
 * the same on every variant. After each write, a read and a diff show no change, and the key has only declared scopes.
 */
export async function keyLife(scene: Scene, variant: Variant, workspaceId: string): Promise<void> {
  const plot: Plot = { ...scene, resource: scene.key, variant, workspaceId };
  plot.standIn.setVariant(variant);
  for (const representation of ["orders", "users", "bills", "audit"]) {
    plot.standIn.addScope({ workspaceId, representation });
  }

  let now = await firstOne(plot);
  now = await updated(plot, now, { name: "Evening Build" });
  now = await updated(plot, now, { enabled: true });
  now = await updated(plot, now, { scopes: many });
  now = await narrowed(plot, now, { scopes: others });
  now = await updated(plot, now, { name: "evening build ", enabled: false, scopes: all });
  now = await reverted(plot, now);
  now = await replaced(plot, now, { customerId: "cus_2" });
  plot.standIn.deleteKey(now.held.id);
  await expectGone(plot, now.held, now.inputs);
  await migrated(plot);
  await refused(plot);
}

async function firstOne(plot: Plot): Promise<Declared> {
  const inputs = await checked(plot, {
    name: " Nightly Build",
    scopes: few,
    enabled: false,
    prefix: "acme",
    expiresAt: 86_399,
    externalMeterId: "meter_1",
    metadata: { team: "build", tags: ["a", null] },
  });
  const held = await created(plot, inputs);
  return { held, inputs };
}

/** K1: one PATCH applies the change on every variant, as long as it removes no permission. */
async function updated(plot: Plot, { held, inputs }: Declared, change: Properties): Promise<Declared> {
  const next = await checked(plot, { ...inputs, ...change }, inputs);
  expect(await planned(plot, held, next)).toEqual(expectedChange(held));
  const before = plot.standIn.requests.length;
  const after = await plot.key.update(held, next);
  const requests = plot.standIn.requests.slice(before).filter(({ status }) => status !== 429);
  expect(requests.filter(({ method }) => method === "PATCH")).toHaveLength(1);
  expect(requests.filter(({ method }) => method !== "GET" && method !== "PATCH")).toEqual([]);
  await expectSettled(plot, held, after, next);
  return { held: after, inputs: next };
}

/** K4: fewer permissions, in as many PATCHes as it takes; an error if the service removes none. */
async function narrowed(plot: Plot, now: Declared, change: Properties): Promise<Declared> {
  const next = await checked(plot, { ...now.inputs, ...change }, now.inputs);
  if (canNarrow(plot.variant)) {
    const after = await plot.key.update(now.held, next);
    await expectSettled(plot, now.held, after, next);
    return { held: after, inputs: next };
  }
  const failure = await failureOf(plot.key.update(now.held, next));
  expect(failure.message).toMatch(/scopes: the program has .*, the service has /);
  const scopes = granted(stored(plot, now.held));
  expect(failure.kept).toMatchObject({ id: now.held.id, properties: { scopes } });
  const held = { id: now.held.id, state: failure.kept?.properties ?? {} };
  expect(await planned(plot, held, next)).toEqual(expectedChange(held));
  return updated(plot, { held, inputs: next }, { scopes, name: "Given In" });
}

/** R3, R5: a read shows a change made outside Pulumi, and the next update reverts it. */
async function reverted(plot: Plot, { held, inputs }: Declared): Promise<Declared> {
  const { standIn, key } = plot;
  const scopes = canNarrow(plot.variant) ? [{ representation: "audit", read: true, del: true }] : [];
  const drift = { name: "somebody else's", enabled: inputs["enabled"] !== true, scopes };
  standIn.editKey(held.id, drift);
  const read = await key.read(held);
  expect(read.inputs).toEqual({ ...inputs, ...drift });
  expect(read.properties).toMatchObject(drift);
  const seen = { id: held.id, state: read.properties };
  expect(await key.read(seen)).toEqual({ ...read, inputs: undefined });
  expect(await planned(plot, seen, inputs)).toEqual(expectedChange(held));
  const after = await key.update(seen, inputs);
  await expectSettled(plot, held, after, inputs);
  return { held: after, inputs };
}

/** R10: the new key is created, then the old one deleted. */
async function replaced(plot: Plot, { held, inputs }: Declared, change: Properties): Promise<Declared> {
  const next = await checked(plot, { ...inputs, ...change });
  const { replaces } = await planned(plot, held, next);
  expect(replaces).toEqual(expect.arrayContaining(Object.keys(change)));
  const after = await created(plot, next);
  expect(after.id).not.toBe(held.id);
  await plot.key.delete(held);
  await expectGone(plot, held, inputs);
  await expectQuiet(plot, after, next);
  return { held: after, inputs: next };
}

/** K5: an existing key keeps its value; leaving existingKey out later is no change. */
async function migrated(plot: Plot): Promise<void> {
  const existingKey = `sk_live_${plot.workspaceId}_of_old`;
  const inputs = await checked(plot, { name: "Old One", existingKey, scopes: few });
  const held = await plot.key.create(inputs);
  expect(held.state["key"]).toBe(existingKey);
  await plot.standIn.settled();
  expect(stored(plot, held).key).toBe(existingKey);
  await expectSettled(plot, held, held, inputs);
  const { existingKey: _, ...dropped } = inputs;
  expect(await planned(plot, held, await checked(plot, dropped, inputs))).toEqual({
    changes: false,
    replaces: [],
  });
  const { held: after } = await updated(plot, { held, inputs: dropped }, { enabled: false });
  await plot.key.delete(after);
  await expectGone(plot, after, dropped);
}

/** An error is one line, whatever the form of the service's error, and has no secret, even if the service echoes it. */
async function refused(plot: Plot): Promise<void> {
  const existingKey = "sk_live_never_told";
  const inputs = await checked(plot, { workspaceId: "ws_nobody", existingKey });
  const failure = await failureOf(plot.key.create(inputs));
  expect(failure).toBeInstanceOf(HostFailure);
  expect(failure.kept).toBeUndefined();
  expect(failure.message).toMatch(/^Migrating key "ci" in workspace ws_nobody: the service answered 404.*$/);
  expect(failure.message).not.toContain(existingKey);
  expect(failure.message).not.toContain(accessToken);
}

async function expectSettled(plot: Plot, before: Held, after: Held, inputs: Properties): Promise<void> {
  expect(after.id).toBe(before.id);
  expect(after.state["key"]).toEqual(before.state["key"]);
  expectAsDeclared(plot, after, inputs);
  await expectQuiet(plot, after, inputs);
}

function expectedChange({ state }: Held): Planned {
  return state["__keyLost"] === true ? { changes: true, replaces: ["key"] } : { changes: true, replaces: [] };
}
