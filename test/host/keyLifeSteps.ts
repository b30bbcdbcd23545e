import { expect } from "vitest";
import type { Dialect } from "../../standin";
import type { Held, Properties } from "./host";
import { declared, failureOf, granted, stored } from "./keyActs";
import { type Planned, planned } from "./plot";
import type { Scene } from "./scene";

/** The lifecycle of one ApiKey on one dialect. */
export interface Story extends Scene {
  readonly dialect: Dialect;
  readonly workspaceId: string;
}

/** R12: check and diff send no request. */
async function silently<T>({ standIn }: Story, operation: () => Promise<T>): Promise<T> {
  const before = standIn.requests.length;
  const result = await operation();
  expect(standIn.requests.length).toBe(before);
  return result;
}

/** The inputs in canonical form, in the story's workspace. */
export function checked(story: Story, inputs: Properties, olds?: Properties): Promise<Properties> {
  return silently(story, () => declared(story, { workspaceId: story.workspaceId, ...inputs }, olds));
}

export function diffed(story: Story, held: Held, inputs: Properties): Promise<Planned> {
  return planned({ ...story, resource: story.key }, held, inputs);
}

/** Creates a key, which is then as declared and shows no change. Without a secret, it is in state all the same (K6). */
export async function created(story: Story, inputs: Properties): Promise<Held> {
  const held =
    story.dialect.createAnswer === "withoutKey"
      ? await withoutKey(story, inputs)
      : await story.key.create(inputs);
  expect(held.id).not.toBe("");
  await story.standIn.settled();
  if (held.state["__keyLost"] === undefined) expect(held.state["key"]).toBe(stored(story, held).key);
  expectAsDeclared(story, held, inputs);
  await expectQuiet(story, held, inputs);
  return held;
}

async function withoutKey(story: Story, inputs: Properties): Promise<Held> {
  const { kept, message } = await failureOf(story.key.create(inputs));
  expect(message).toContain("did not return the secret");
  expect(kept?.reasons).toEqual([message]);
  const state = kept?.properties ?? {};
  expect(state).toMatchObject({ __keyLost: true });
  expect(state).not.toHaveProperty("key");
  return { id: kept?.id ?? "", state };
}

/** The service has the declared values as the dialect spells them; state has them as declared. */
export function expectAsDeclared(story: Story, held: Held, inputs: Properties): void {
  const key = stored(story, held);
  const { names } = story.dialect;
  const name = String(inputs["name"]);
  expect(key.name).toBe(
    names === "asSent" ? name : names === "trimmed" ? name.trim() : name.trim().toLowerCase(),
  );
  expect(key.enabled).toBe(inputs["enabled"]);
  expect(granted(key)).toEqual(inputs["scopes"]);
  expect(key.customerId).toBe(inputs["customerId"]);
  expect(held.state).toMatchObject(inputs);
}

/** R3: right after a write, neither a read nor a diff sees a change. */
export async function expectQuiet(story: Story, held: Held, inputs: Properties): Promise<void> {
  const read = await story.key.read(held);
  const { __failed, ...properties } = held.state;
  // A read without a change returns no inputs, unless the last write failed halfway.
  expect(read).toEqual({ id: held.id, properties, inputs: __failed === true ? inputs : undefined });
  const lost = held.state["__keyLost"] === true;
  const nothing = lost ? { changes: true, replaces: ["key"] } : { changes: false, replaces: [] };
  expect(await diffed(story, held, inputs)).toEqual(nothing);
  expect(await diffed(story, { id: held.id, state: read.properties }, inputs)).toEqual(nothing);
}

/** R6, R7: a read finds nothing, an update says so, a delete succeeds; if keys can't be listed, no key counts as gone. */
export async function expectGone(story: Story, held: Held, inputs: Properties): Promise<void> {
  const { standIn, key, dialect } = story;
  expect(standIn.key(held.id)?.deleted ?? true).toBe(true);
  // A list that lags behind may show the key for a while; any change made outside Pulumi lets it catch up.
  const { workspaceId } = story;
  if (dialect.listLag > 0) standIn.addScope({ workspaceId, representation: `added after ${held.id}` });
  if (!listsKeys(dialect)) {
    const remove = () => key.delete(held);
    const failing = [
      () => key.read(held),
      () => key.update(held, inputs),
      ...(acceptsAgain(dialect) ? [] : [remove]),
    ];
    for (const operation of failing) {
      const { message, kept } = await failureOf(operation());
      expect(message).toMatch(unbelieved);
      expect(kept).toBeUndefined();
    }
    if (acceptsAgain(dialect)) await remove();
    return;
  }
  const read = await key.read(held);
  expect(read).toEqual({ id: "", properties: {}, inputs: undefined });
  const failure = await failureOf(key.update(held, inputs));
  expect(failure.message).toMatch(/the key no longer exists.*`pulumi up --refresh`/);
  expect(failure.kept).toBeUndefined();
  await key.delete(held);
}

/** Whether the service lists keys: if not, no key counts as gone (R6). */
export function listsKeys({ keyLists }: Dialect): boolean {
  return keyLists === "answered";
}

/** Whether a deleted key can be deleted again: then DELETE confirms that it is gone (R7). */
export function acceptsAgain({ deleteAgain }: Dialect): boolean {
  return deleteAgain === 200;
}

/** The error of a key that may be gone, if keys can't be listed: why it stays in state, and the way out. */
export const unbelieved = /\blist.*`pulumi state delete`/s;

/** Whether any PATCH makes the service remove a permission. */
export function canNarrow({ patchScopes, scopeIds }: Dialect): boolean {
  return patchScopes !== "neverNarrows" && !(patchScopes === "merges" && scopeIds === "none");
}
