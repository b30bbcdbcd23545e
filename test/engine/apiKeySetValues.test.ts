import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeInAll, itInAll } from "../inAll";
import { expectQuiet, expectSilentUp, expectUnsaid, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";
import { becomes, expectWhole, foundBy, sent, shownOf } from "./setExpectations";
import { programWithSet, type SetText } from "./setProgram";

const defaults = `{ customerId: "customer", scopes: [{ representation: "orders", read: true }] }`;
const source = (name: string, more = "") =>
  `const source = new ApiKey("source", { workspaceId: "ws_second", customerId: "customer", name: "${name}" });${more}`;

describe("unknown values in the preview of a set", () => {
  let scene: Scene;
  const steady: SetText = {
    before: source("source"),
    defaults,
    keys: {
      linked: "{ keepers: { by: source.id } }",
      same: "{ customerId: source.id, keepers: { masked: source.maskedKey as pulumi.Output<string> } }",
      plain: "{}",
      changing: `{ name: "first" }`,
    },
  };
  beforeAll(async () => {
    scene = await setScene("set-unknown", { program: programWithSet(steady) });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  it("R15 in one entry leave the changes of the others exact, and the update decides with the real value", async () => {
    const more = `
const fresh = new ApiKey("fresh", { workspaceId: "ws_second", customerId: "customer" });`;
    const keys = {
      ...steady.keys,
      linked: "{ keepers: { by: fresh.id } }",
      changing: `{ name: "second" }`,
    };
    await scene.declare(programWithSet({ ...steady, before: source("source, renamed", more), keys }));
    const preview = await scene.stack.preview({ diff: true });
    expect(preview.ok, preview.output).toBe(true);
    expect(shownOf(preview)).toEqual({
      "keys.linked.keepers.by": "update",
      "keys.same.keepers.masked": "update",
      "keys.changing.name": "update",
    });
    expect(preview.stdout).toContain('~ name: "first" => "second"');
    expect(preview.stdout).not.toContain("plain");
    scene.service.clearRequests();
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(shownOf(up)).toEqual({ "keys.linked.keepers.by": "update", "keys.changing.name": "update" });
    const { createApiKey, deleteApiKey, editApiKey } = sent(scene);
    // Including the two ApiKeys, of which one is created and one edited.
    expect({ createApiKey, deleteApiKey, editApiKey }).toEqual({
      createApiKey: 2,
      deleteApiKey: 1,
      editApiKey: 2,
    });
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  itInAll("R15 may be a whole entry, and the update shows its real changes", async () => {
    const more = `
const newest = new ApiKey("newest", { workspaceId: "ws_second", customerId: "customer" });
const fresh = new ApiKey("fresh", { workspaceId: "ws_second", customerId: "customer" });`;
    const keys = {
      ...steady.keys,
      linked: "{ keepers: { by: fresh.id } }",
      changing: "newest.id.apply(() => ({ enabled: false }))",
    };
    await scene.declare(programWithSet({ ...steady, before: source("source, renamed", more), keys }));
    const preview = await scene.stack.preview({ diff: true });
    expect(preview.ok, preview.output).toBe(true);
    expect(shownOf(preview)).toEqual({ "keys.changing": "update" });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(shownOf(up)).toEqual({ "keys.changing.enabled": "add", "keys.changing.name": "delete" });
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });
});

describe("a program that uses a set's keys", () => {
  let scene: Scene;
  const text: SetText = { defaults, keys: { one: "{}", two: "{}" } };
  const taking = (alias: string) => ({ ...text, after: `export const taken = set.key("${alias}");` });
  beforeAll(async () => {
    scene = await setScene("set-outputs", { program: programWithSet(taking("two")) });
  });
  afterAll(() => scene?.close());

  /** The preview fails because the set has no such key, and has sent no request. */
  const expectNoKey = async (program: SetText, alias: string) => {
    await scene.declare(programWithSet(program));
    scene.service.clearRequests();
    const preview = await scene.stack.preview();
    expect(preview.ok, preview.output).toBe(false);
    expect(preview.output).toContain(`ApiKeySet "set" has no key "${alias}".`);
    expect(scene.service.requests).toEqual([]);
  };

  it("fails the first preview for key(alias) of an undeclared alias, before any key is created", () =>
    expectNoKey(taking("three"), "three"));

  it("gets from key(alias) one secret, which is unknown in the first preview", async () => {
    await scene.declare(programWithSet(taking("two")));
    const preview = await scene.stack.preview();
    expect(preview.ok, preview.output).toBe(true);
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    const keys = await expectWhole(scene);
    const { taken, secrets, ids } = await scene.stack.outputs();
    expect(taken).toEqual({ value: keys.get("two")?.key, secret: true });
    expect([secrets?.secret, ids?.secret]).toEqual([true, false]);
    await expectSilentUp(scene);
  });

  it("fails for key(alias) of an alias that the set does not have, and names both", async () => {
    await scene.declare(programWithSet(taking("three")));
    for (const outcome of [await scene.stack.preview(), await scene.stack.up()]) {
      expect(outcome.ok).toBe(false);
      expect(outcome.output).toContain('ApiKeySet "set" has no key "three".');
      expect(outcome.output).not.toMatch(/^\s+at /m);
    }
  });

  it("fails the preview for key(alias) of a removed entry, before its key is deleted", () =>
    expectNoKey({ ...taking("two"), keys: { one: "{}" } }, "two"));
});

describeInAll("existingKey in an entry of a set", () => {
  let scene: Scene;
  const values = ["sk_value_in_the_dark_1", "sk_value_in_the_dark_2"] as const;
  const taking = (value: string): SetText => ({
    defaults,
    keys: { taken: `{ existingKey: "${value}" }`, made: "{}" },
  });
  beforeAll(async () => {
    scene = await setScene("set-existing", { program: programWithSet(taking(values[0])) });
  });
  afterAll(() => scene?.close());
  const stateOf = async () => {
    const { resources = [] } = await scene.stack.exportState({ showSecrets: true });
    const set = resources.find(({ urn }) => urn.endsWith("::set"));
    return { inputs: set?.inputs?.["keys"], outputs: set?.outputs };
  };
  const plaintext = (value: string) => expect.objectContaining({ plaintext: JSON.stringify(value) });

  it("K5 is migrated, and its value is only in inputs and in the output secrets, as a secret", async () => {
    const preview = await scene.stack.preview({ diff: true });
    expect(preview.ok, preview.output).toBe(true);
    expect(preview.stdout).toContain("existingKey: [secret]");
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(sent(scene)).toMatchObject({ createApiKey: 1, migrateApiKey: 1 });
    const keys = await expectWhole(scene);
    expect(keys.get("taken")?.key).toBe(values[0]);
    const { inputs, outputs } = await stateOf();
    expect(inputs.taken).toEqual({ existingKey: plaintext(values[0]) });
    expect(outputs?.["keys"]).toEqual({ made: {}, taken: {} });
    await expectUnsaid(scene, values);
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("K5 stays a secret in inputs that a refresh returns", async () => {
    const { ids } = await scene.stack.outputs();
    scene.service.editKey(ids?.value.taken, { enabled: false });
    const refresh = await scene.stack.refresh();
    expect(refresh.ok, refresh.output).toBe(true);
    expect(foundBy(refresh)).toEqual({ "keys.taken.enabled": "add" });
    expect((await stateOf()).inputs.taken).toEqual({ enabled: false, existingKey: plaintext(values[0]) });
    await expectUnsaid(scene, values);
    const { requests } = await becomes(scene, taking(values[0]), { "keys.taken.enabled": "delete" });
    expect(requests).toEqual({ readApiKey: 1, editApiKey: 1 });
    await expectUnsaid(scene, values);
  });

  it("K5 replaces the key if it changes, leaves the key if it is removed, and destroy deletes all keys", async () => {
    const { requests } = await becomes(scene, taking(values[1]), { "keys.taken.existingKey": "update" });
    expect(requests).toEqual({ listApiKeys: 1, migrateApiKey: 1, deleteApiKey: 1 });
    await scene.declare(programWithSet({ defaults, keys: { taken: "{}", made: "{}" } }));
    await expectSilentUp(scene);
    expect((await expectWhole(scene)).get("taken")?.key).toBe(values[1]);
    const quiet = await scene.stack.previewRefresh({ expectNoChanges: true, diff: true });
    expect(quiet.ok, quiet.output).toBe(true);
    expect(quiet.stdout).not.toContain("taken");
    await expectUnsaid(scene, values);
    const destroy = await scene.stack.destroy();
    expect(stepsFor(destroy, "set")).toMatchObject([{ op: "delete", failed: false }]);
    expect(scene.service.keys({ deleted: false })).toEqual([]);
  });
});
