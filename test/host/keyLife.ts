import { expect } from "vitest";
import type { Dialect } from "../../standin";
import { type Held, HostFailure, type Properties } from "./host";
import { failureOf, granted, stored } from "./keyActs";
import {
  canNarrow,
  checked,
  created,
  diffed,
  expectAsDeclared,
  expectGone,
  expectQuiet,
  type Story,
} from "./keyLifeSteps";
import type { Planned } from "./plot";
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

/** A key as the engine has it, and what the program declares for it now. */
interface Declared {
  readonly held: Held;
  readonly inputs: Properties;
}

/**
 * Create, read, empty diff, update of each field, drift and its reversal, replacement, deletion outside Pulumi, migration:
 * the same on every dialect. After each write, a read and a diff show no change, and the key has only declared scopes.
 */
export async function keyLife(scene: Scene, dialect: Dialect, workspaceId: string): Promise<void> {
  const story: Story = { ...scene, dialect, workspaceId };
  story.standIn.setDialect(dialect);
  for (const representation of ["orders", "users", "bills", "audit"]) {
    story.standIn.addScope({ workspaceId, representation });
  }

  let now = await firstOne(story);
  now = await updated(story, now, { name: "Evening Build" });
  now = await updated(story, now, { enabled: true });
  now = await updated(story, now, { scopes: many });
  now = await narrowed(story, now, { scopes: others });
  now = await updated(story, now, { name: "evening build ", enabled: false, scopes: all });
  now = await reverted(story, now);
  now = await replaced(story, now, { customerId: "cus_2" });
  story.standIn.deleteKey(now.held.id);
  await expectGone(story, now.held, now.inputs);
  await migrated(story);
  await refused(story);
}

async function firstOne(story: Story): Promise<Declared> {
  const inputs = await checked(story, {
    name: " Nightly Build",
    scopes: few,
    enabled: false,
    prefix: "acme",
    expiresAt: 86_399,
    externalMeterId: "meter_1",
    metadata: { team: "build", tags: ["a", null] },
  });
  const held = await created(story, inputs);
  return { held, inputs };
}

/** K1: one PATCH applies the change on every dialect, as long as it removes no permission. */
async function updated(story: Story, { held, inputs }: Declared, change: Properties): Promise<Declared> {
  const next = await checked(story, { ...inputs, ...change }, inputs);
  expect(await diffed(story, held, next)).toEqual(expectedChange(held));
  const before = story.standIn.requests.length;
  const after = await story.key.update(held, next);
  const requests = story.standIn.requests.slice(before).filter(({ status }) => status !== 429);
  expect(requests.filter(({ method }) => method === "PATCH")).toHaveLength(1);
  expect(requests.filter(({ method }) => method !== "GET" && method !== "PATCH")).toEqual([]);
  await expectSettled(story, held, after, next);
  return { held: after, inputs: next };
}

/** K4: fewer permissions, in as many PATCHes as it takes; an error if the service removes none. */
async function narrowed(story: Story, now: Declared, change: Properties): Promise<Declared> {
  const next = await checked(story, { ...now.inputs, ...change }, now.inputs);
  if (canNarrow(story.dialect)) {
    const after = await story.key.update(now.held, next);
    await expectSettled(story, now.held, after, next);
    return { held: after, inputs: next };
  }
  const failure = await failureOf(story.key.update(now.held, next));
  expect(failure.message).toMatch(/scopes: the program has .*, the service has /);
  const scopes = granted(stored(story, now.held));
  expect(failure.kept).toMatchObject({ id: now.held.id, properties: { scopes } });
  const held = { id: now.held.id, state: failure.kept?.properties ?? {} };
  expect(await diffed(story, held, next)).toEqual(expectedChange(held));
  return updated(story, { held, inputs: next }, { scopes, name: "Given In" });
}

/** R3, R5: a read shows a change made outside Pulumi, and the next update reverts it. */
async function reverted(story: Story, { held, inputs }: Declared): Promise<Declared> {
  const { standIn, key } = story;
  const scopes = canNarrow(story.dialect) ? [{ representation: "audit", read: true, del: true }] : [];
  const drift = { name: "somebody else's", enabled: inputs["enabled"] !== true, scopes };
  standIn.editKey(held.id, drift);
  const read = await key.read(held);
  expect(read.inputs).toEqual({ ...inputs, ...drift });
  expect(read.properties).toMatchObject(drift);
  const seen = { id: held.id, state: read.properties };
  expect(await key.read(seen)).toEqual({ ...read, inputs: undefined });
  expect(await diffed(story, seen, inputs)).toEqual(expectedChange(held));
  const after = await key.update(seen, inputs);
  await expectSettled(story, held, after, inputs);
  return { held: after, inputs };
}

/** R10: the new key is created, then the old one deleted. */
async function replaced(story: Story, { held, inputs }: Declared, change: Properties): Promise<Declared> {
  const next = await checked(story, { ...inputs, ...change });
  const { replaces } = await diffed(story, held, next);
  expect(replaces).toEqual(expect.arrayContaining(Object.keys(change)));
  const after = await created(story, next);
  expect(after.id).not.toBe(held.id);
  await story.key.delete(held);
  await expectGone(story, held, inputs);
  await expectQuiet(story, after, next);
  return { held: after, inputs: next };
}

/** K5: an existing key keeps its value; leaving existingKey out later is no change. */
async function migrated(story: Story): Promise<void> {
  const existingKey = `sk_live_${story.workspaceId}_of_old`;
  const inputs = await checked(story, { name: "Old One", existingKey, scopes: few });
  const held = await story.key.create(inputs);
  expect(held.state["key"]).toBe(existingKey);
  await story.standIn.settled();
  expect(stored(story, held).key).toBe(existingKey);
  await expectSettled(story, held, held, inputs);
  const { existingKey: _, ...dropped } = inputs;
  expect(await diffed(story, held, await checked(story, dropped, inputs))).toEqual({
    changes: false,
    replaces: [],
  });
  const { held: after } = await updated(story, { held, inputs: dropped }, { enabled: false });
  await story.key.delete(after);
  await expectGone(story, after, dropped);
}

/** An error is one line, whatever the form of the service's error, and has no secret, even if the service echoes it. */
async function refused(story: Story): Promise<void> {
  const existingKey = "sk_live_never_told";
  const inputs = await checked(story, { workspaceId: "ws_nobody", existingKey });
  const failure = await failureOf(story.key.create(inputs));
  expect(failure).toBeInstanceOf(HostFailure);
  expect(failure.kept).toBeUndefined();
  expect(failure.message).toMatch(/^Migrating key "ci" in workspace ws_nobody: the service answered 404.*$/);
  expect(failure.message).not.toContain(existingKey);
  expect(failure.message).not.toContain(accessToken);
}

async function expectSettled(story: Story, before: Held, after: Held, inputs: Properties): Promise<void> {
  expect(after.id).toBe(before.id);
  expect(after.state["key"]).toEqual(before.state["key"]);
  expectAsDeclared(story, after, inputs);
  await expectQuiet(story, after, inputs);
}

function expectedChange({ state }: Held): Planned {
  return state["__keyLost"] === true ? { changes: true, replaces: ["key"] } : { changes: true, replaces: [] };
}
