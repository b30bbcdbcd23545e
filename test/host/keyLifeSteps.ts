import { expect } from "vitest";
import type { Variant } from "../../standin";
import type { Held, Properties } from "./host";
import { failureOf, granted, least, stored } from "./outcomes";
import { checked as checkedBy, type Plot, planned } from "./plot";

/** The inputs in canonical form, in the plot's workspace. */
export function checked(plot: Plot, inputs: Properties, olds?: Properties): Promise<Properties> {
  return checkedBy(plot, { ...least, workspaceId: plot.workspaceId, ...inputs }, olds);
}

/** Creates a key, which is then as declared and shows no change. Without a secret, it is in state all the same (K6). */
export async function created(plot: Plot, inputs: Properties): Promise<Held> {
  const held =
    plot.variant.createAnswer === "withoutKey"
      ? await withoutKey(plot, inputs)
      : await plot.key.create(inputs);
  expect(held.id).not.toBe("");
  await plot.standIn.settled();
  if (held.state["__keyLost"] === undefined) expect(held.state["key"]).toBe(stored(plot, held).key);
  expectAsDeclared(plot, held, inputs);
  await expectQuiet(plot, held, inputs);
  return held;
}

async function withoutKey(plot: Plot, inputs: Properties): Promise<Held> {
  const { kept, message } = await failureOf(plot.key.create(inputs));
  expect(message).toContain("did not return the secret");
  expect(kept?.reasons).toEqual([message]);
  const state = kept?.properties ?? {};
  expect(state).toMatchObject({ __keyLost: true });
  expect(state).not.toHaveProperty("key");
  return { id: kept?.id ?? "", state };
}

/** The service has the declared values as the variant spells them; state has them as declared. */
export function expectAsDeclared(plot: Plot, held: Held, inputs: Properties): void {
  const key = stored(plot, held);
  const { names } = plot.variant;
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
export async function expectQuiet(plot: Plot, held: Held, inputs: Properties): Promise<void> {
  const read = await plot.key.read(held);
  const { __failed, ...properties } = held.state;
  // A read without a change returns no inputs, unless the last write failed halfway.
  expect(read).toEqual({ id: held.id, properties, inputs: __failed === true ? inputs : undefined });
  const lost = held.state["__keyLost"] === true;
  const nothing = lost ? { changes: true, replaces: ["key"] } : { changes: false, replaces: [] };
  expect(await planned(plot, held, inputs)).toEqual(nothing);
  expect(await planned(plot, { id: held.id, state: read.properties }, inputs)).toEqual(nothing);
}

/** R6, R7: a read finds nothing, an update says so, a delete succeeds; if keys can't be listed, no key counts as gone. */
export async function expectGone(plot: Plot, held: Held, inputs: Properties): Promise<void> {
  const { standIn, key, variant } = plot;
  expect(standIn.key(held.id)?.deleted ?? true).toBe(true);
  // A list that lags behind may show the key for a while; any change made outside Pulumi lets it catch up.
  const { workspaceId } = plot;
  if (variant.listLag > 0) standIn.addScope({ workspaceId, representation: `added after ${held.id}` });
  if (!listsKeys(variant)) {
    const remove = () => key.delete(held);
    const failing = [
      () => key.read(held),
      () => key.update(held, inputs),
      ...(acceptsAgain(variant) ? [] : [remove]),
    ];
    for (const operation of failing) {
      const { message, kept } = await failureOf(operation());
      expect(message).toMatch(unbelieved);
      expect(kept).toBeUndefined();
    }
    if (acceptsAgain(variant)) await remove();
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
export function listsKeys({ keyLists }: Variant): boolean {
  return keyLists === "answered";
}

/** Whether a deleted key can be deleted again: then DELETE confirms that it is gone (R7). */
export function acceptsAgain({ deleteAgain }: Variant): boolean {
  return deleteAgain === 200;
}

/** The error of a key that may be gone, if keys can't be listed: why it stays in state, and the way out. */
export const unbelieved = /\blist.*`pulumi state delete`/s;

/** Whether any PATCH makes the service remove a permission. */
export function canNarrow({ patchScopes, scopeIds }: Variant): boolean {
  return patchScopes !== "neverNarrows" && !(patchScopes === "merges" && scopeIds === "none");
}
