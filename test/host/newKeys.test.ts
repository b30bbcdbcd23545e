import { describe, expect, type TestContext, test } from "vitest";
import type { LoggedRequest } from "../../standin";
import { failureOf, declared as keyInputs } from "./outcomes";
import { quickTimers } from "./quickTimers";
import { declared, type Stage, stage } from "./setStage";

const env = quickTimers({ 300: 300, 600: 600 });

describe("R6 a new key that the service shows only after a while", () => {
  /** A key, and a set of two keys, which are shown 200 ms after that many GETs of keys were answered with 404. */
  async function fresh(context: TestContext, hiddenFor: number) {
    let left = hiddenFor;
    const onRequest = ({ endpoint, status }: LoggedRequest) => {
      if (endpoint !== "readApiKey" || status !== 404) return;
      left -= 1;
      if (left === 0) setTimeout(show, 200, at);
    };
    const variant = { newKeys: "later", laterMs: 60_000 } as const;
    const at = await stage(context, { env, variant, onRequest });
    const inputs = await keyInputs(at);
    const sets = await declared(at, { a: {}, b: {} });
    const [set, held] = await Promise.all([at.set.create(sets), at.key.create(inputs)]);
    return { at, set, held, inputs, notFound: () => hiddenFor - left };
  }
  const show = ({ standIn }: Stage) => {
    for (const { id } of standIn.keys()) standIn.editKey(id, {});
  };

  test("stays in state, as do those of a set", async (context) => {
    const { at, set, held, notFound } = await fresh(context, 3);
    const [read, both] = await Promise.all([at.key.read(held), at.set.read(set)]);
    expect(notFound()).toBe(3);
    expect(read).toMatchObject({ id: held.id, properties: held.state, inputs: undefined });
    expect(both).toMatchObject({ id: set.id, properties: set.state, inputs: undefined });
  });

  test("can be updated", async (context) => {
    const { at, held, inputs, notFound } = await fresh(context, 1);
    await at.key.update(held, { ...inputs, enabled: false });
    expect(notFound()).toBe(1);
    expect(at.standIn.key(held.id)).toMatchObject({ enabled: false });
  });

  test("is not treated as deleted because DELETE doesn't find it", async (context) => {
    const { at, held } = await fresh(context, 1);
    const { message } = await failureOf(at.key.delete(held));
    expect(message).toMatch(/the service answered 404.*It stays in state/);
    await at.key.delete(held);
    expect(at.standIn.key(held.id)).toBeUndefined();
  });

  test("is found by get and by an adoption", async (context) => {
    const { at, held, notFound } = await fresh(context, 2);
    const sought = { workspaceId: "ws_main", __external: true };
    const scopes = [{ representation: "a", read: true }];
    const adopting = await keyInputs(at, { existingId: held.id, scopes });
    const [found, adopted] = await Promise.all([at.key.get(held.id, sought), at.key.create(adopting)]);
    expect(notFound()).toBe(2);
    expect([found.id, adopted.id]).toEqual([held.id, held.id]);
  });

  test("is removed from state if it was deleted, after one wait for all keys", async (context) => {
    const { at, set, held } = await fresh(context, 0);
    show(at);
    at.standIn.setVariant({});
    for (const { id } of at.standIn.keys()) at.standIn.deleteKey(id);
    const [read, both] = await Promise.all([at.key.read(held), at.set.read(set)]);
    expect([read.id, both.properties["ids"]]).toEqual(["", {}]);
    expect(at.host.output.stderr.match(/^Waiting for .*$/gm)).toEqual([
      expect.stringMatching(/^Waiting for the service to show key key_\w+\.$/),
    ]);
  });
});
