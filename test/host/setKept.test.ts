import { describe, expect, test } from "vitest";
import { type Held, HostFailure } from "./host";
import { declared, live, type Stage, stage } from "./setStage";

const forEver = { times: Number.POSITIVE_INFINITY };
const refused = { kind: "status", status: 403 } as const;
const existingKey = "sk_value_of_long_ago";
const idsOf = (held: Held) => held.state["ids"] as Record<string, string>;

async function keptOf(operation: Promise<unknown>): Promise<{ held: Held; message: string }> {
  const failure: unknown = await operation.catch((error: unknown) => error);
  if (!(failure instanceof HostFailure) || failure.kept === undefined) throw new Error("nothing was kept");
  return { held: { id: failure.kept.id, state: failure.kept.properties }, message: failure.message };
}

const isLive = ({ standIn }: Stage, id: string | undefined) =>
  standIn.keys().some((key) => key.id === id && !key.deleted);

test("K5 no message about a set's key contains its existingKey, even if the quoted answer is cut off within it", async (context) => {
  const at = await stage(context, {
    variant: { delete: "marks", createAnswer: "withoutKey", enabledOnCreate: "ignored" },
  });
  const body = { message: `${"x".repeat(290)}${existingKey}` };
  at.standIn.inject({ endpoint: "editApiKey", fault: { ...refused, body }, ...forEver });
  const inputs = await declared(at, { a: { existingKey, enabled: false } });
  const { message } = await keptOf(at.set.create(inputs));
  expect(message).toContain("xxx");
  expect(message).not.toContain(existingKey.slice(0, 6));
});

describe("a set doesn't delete a key in use", { concurrent: true }, () => {
  const variant = { delete: "marks", duplicateKey: "returned" } as const;

  test("K5 if its existingKey moves to another entry, and the service answers with the record that it has", async (context) => {
    const at = await stage(context, { variant });
    const before = await declared(at, { a: { existingKey } });
    const held = await at.set.create(before);
    // Without the old inputs, as after an update that failed halfway.
    const inputs = await declared(at, { b: { existingKey } });
    const after = await at.set.update(held, inputs);
    expect(idsOf(after)).toEqual({ b: idsOf(held)["a"] });
    expect(isLive(at, idsOf(after)["b"])).toBe(true);
    expect(await at.set.diff(after, inputs)).toEqual({ changes: "none", replaces: [] });
  });

  test("K5 if its existingKey is declared again after its delete failed", async (context) => {
    const at = await stage(context, { variant });
    const before = await declared(at, { a: { existingKey }, b: {} });
    const held = await at.set.create(before);
    at.standIn.inject({ endpoint: "deleteApiKey", fault: refused, ...forEver });
    const without = await declared(at, { b: {} }, before);
    const { held: left } = await keptOf(at.set.update(held, without));
    expect(idsOf(left)).toEqual(idsOf(held));
    at.standIn.clearFaults();
    const after = await at.set.update(left, await declared(at, { a: { existingKey }, b: {} }, without));
    expect(idsOf(after)).toEqual(idsOf(held));
    expect(live(at)).toEqual(["a", "b"]);
    expect(after.state["__toDelete"]).toBeUndefined();
  });

  test("K5 if existingKey is added to an entry whose key was imported without it", async (context) => {
    const at = await stage(context, { variant });
    const before = await declared(at, { a: {} });
    at.standIn.addKey({
      id: "key_a",
      workspaceId: "ws_main",
      name: "a",
      customerId: "cus_1",
      key: existingKey,
    });
    const held = { id: "keys-1", state: { ...before, ids: { a: "key_a" } } };
    const after = await at.set.update(held, await declared(at, { a: { existingKey } }, before));
    expect(idsOf(after)).toEqual({ a: "key_a" });
    expect(isLive(at, "key_a")).toBe(true);
    expect(after.state["__toDelete"]).toBeUndefined();
  });

  test("K5 if its entry changes in a way that existingKey doesn't allow, after an update that failed halfway", async (context) => {
    const at = await stage(context, { variant: { delete: "marks", duplicateKey: "created" } });
    const before = await declared(at, { b: {} });
    const held = await at.set.create(before);
    at.standIn.inject({ endpoint: "createApiKey", fault: refused, ...forEver });
    const more = await declared(at, { a: { existingKey }, b: {}, c: {} }, before);
    const { held: kept } = await keptOf(at.set.update(held, more));
    at.standIn.clearFaults();
    // After a failed update, the engine has the inputs from before it.
    const inputs = await declared(at, { a: { existingKey, keepers: { x: "1" } }, b: {}, c: {} }, before);
    const { held: after, message } = await keptOf(at.set.update(kept, inputs));
    expect(message).toMatch(/\n"a": .*keepers: can't change while existingKey stays/);
    expect(Object.keys(idsOf(after))).toEqual(["a", "b", "c"]);
    expect(idsOf(after)["a"]).toBe(idsOf(kept)["a"]);
    expect(live(at)).toEqual(["a", "b", "c"]);
  });

  test("K6 as long as its replacement has no secret", async (context) => {
    const at = await stage(context);
    const before = await declared(at, { a: {} });
    const held = await at.set.create(before);
    const first = idsOf(held)["a"];
    at.standIn.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
    const inputs = await declared(at, { a: { keepers: { x: "1" } } }, before);
    const { held: lost } = await keptOf(at.set.update(held, inputs));
    at.standIn.inject({ endpoint: "createApiKey", fault: refused });
    const { held: still } = await keptOf(at.set.update(lost, inputs));
    expect(isLive(at, first)).toBe(true);
    at.standIn.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
    const { held: again } = await keptOf(at.set.update(still, inputs));
    expect(isLive(at, first)).toBe(true);
    expect(live(at)).toEqual(["a", "a", "a"]);
    const after = await at.set.update(again, inputs);
    expect(live(at)).toEqual(["a"]);
    expect(isLive(at, idsOf(after)["a"])).toBe(true);
    expect(after.state["__toDelete"]).toBeUndefined();
  });
});
