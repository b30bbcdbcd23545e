import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fault } from "../../standin";
import { describeInAll, itInAll } from "../inAll";
import { errorsFor, expectQuiet, expectSilentUp, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";
import { expectWhole, foundBy, sent, shownOf } from "./setExpectations";
import { programWithSet, type SetText } from "./setProgram";

const defaults = `{ customerId: "customer" }`;
const refused: Fault = { kind: "status", status: 403, body: { message: "not this one" } };

/** The next writes of keys with these names fail in this way. */
function failFor(scene: Scene, names: readonly string[], fault: Fault): void {
  for (const name of names) {
    const when = ({ body }: { readonly body: unknown }) => (body as { name?: unknown })?.name === name;
    scene.service.inject({ when, fault });
  }
}

const heldBy = async ({ stack }: Scene) => {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  const set = resources.find(({ urn }) => urn.endsWith("::set"));
  return { aliases: Object.keys(set?.outputs?.["ids"] ?? {}), set };
};

describe("a set in which some keys fail", () => {
  let scene: Scene;
  const five: SetText = { defaults, keys: { a: "{}", b: `{ name: "b" }`, c: "{}", d: "{}", e: "{}" } };
  beforeAll(async () => {
    scene = await setScene("set-partial", { program: programWithSet(five) });
  });
  afterAll(() => scene?.close());

  it("a create in which 2 of 5 keys are refused names them and the reason, and has the others in state", async () => {
    failFor(scene, ["b", "d"], refused);
    const up = await scene.stack.up();
    const [first, ...lines] = errorsFor(up, "set");
    expect(first).toBe(
      "Creating the keys of workspace ws_main: 2 of 5 failed. State records what succeeded. Do what the lines below say, then run `pulumi up` again.",
    );
    expect(lines.map((line) => line.trim())).toEqual([
      'For each of 2 keys ("b", "d"): the service answered 403 "not this one". Nothing was created. Check that workspace ws_main exists, that the access token is allowed to create keys in it, and that the service accepts the values.',
    ]);
    const { aliases, set } = await heldBy(scene);
    expect(aliases).toEqual(["a", "c", "e"]);
    expect(set?.outputs?.["keys"]).toEqual({ a: {}, c: {}, e: {} });
    expect(scene.service.keys().map(({ name }) => name)).toEqual(["a", "c", "e"]);
  });

  it("the next preview shows an update, with --refresh exactly what is missing, and the next update creates only that", async () => {
    const preview = await scene.stack.preview();
    expect(stepsFor(preview, "set").map(({ op }) => op)).toEqual(["update"]);
    const exact = await scene.stack.previewRefresh();
    expect(shownOf(exact)).toEqual({ "keys.b": "add", "keys.d": "add" });
    scene.service.clearRequests();
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(sent(scene)).toEqual({ listApiKeys: 1, createApiKey: 2 });
    await expectWhole(scene);
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  itInAll(
    "an update in which an edit and a create are refused does all the rest, including deletions",
    async () => {
      const keys = { a: "{ enabled: false }", b: `{ name: "new b" }`, c: "{}", f: "{}", g: "{}" };
      failFor(scene, ["new b", "f"], refused);
      await scene.declare(programWithSet({ defaults, keys }));
      const up = await scene.stack.up();
      const [first, ...lines] = errorsFor(up, "set");
      expect(first).toContain("Updating the keys of workspace ws_main: 2 of 6 failed.");
      expect(lines.map((line) => line.trim().slice(0, 5)).toSorted()).toEqual(['"b": ', '"f": ']);
      expect((await heldBy(scene)).aliases).toEqual(["a", "b", "c", "g"]);
      const live = scene.service.keys().map(({ name, enabled }) => `${name} ${enabled}`);
      expect(live.toSorted()).toEqual(["a false", "b true", "c true", "g true"]);
      // The engine keeps the inputs from before; a refresh replaces them by the actual ones.
      const preview = await scene.stack.previewRefresh();
      expect(shownOf(preview)).toEqual({ "keys.b.name": "update", "keys.f": "add" });
      scene.service.clearRequests();
      const next = await scene.stack.up();
      expect(next.ok, next.output).toBe(true);
      expect(sent(scene)).toEqual({ listApiKeys: 1, createApiKey: 1, readApiKey: 1, editApiKey: 1 });
      await expectWhole(scene);
      await expectSilentUp(scene);
      await expectQuiet(scene);
    },
  );

  itInAll(
    "a replacement whose old key can't be deleted keeps the new key, and the next update deletes the old one",
    async () => {
      const keys = {
        a: "{ enabled: false, keepers: { month: 'june' } }",
        b: `{ name: "new b" }`,
        c: "{}",
        f: "{}",
      };
      scene.service.inject({ endpoint: "deleteApiKey", times: 2, fault: refused });
      await scene.declare(programWithSet({ defaults, keys: { ...keys, g: "{}" } }));
      const failed = await scene.stack.up();
      expect(errorsFor(failed, "set")[1]).toContain('"a": Deleting key "a"');
      expect(scene.service.keys().filter(({ name }) => name === "a")).toHaveLength(2);
      scene.service.clearFaults();
      const refresh = await scene.stack.refresh();
      expect(refresh.ok, refresh.output).toBe(true);
      expect(refresh.output).not.toContain("Keys of workspace");
      scene.service.clearRequests();
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(true);
      expect(sent(scene)).toEqual({ deleteApiKey: 1 });
      await expectWhole(scene);
      await expectSilentUp(scene);
    },
  );

  itInAll(
    "a rename and a removal that failed can be taken back without a request, and no key or secret is lost",
    async () => {
      const before = await expectWhole(scene);
      const keys = { a: "{ enabled: false, keepers: { month: 'june' } }", b: `{ name: "new b" }`, f: "{}" };
      failFor(scene, ["renamed"], refused);
      scene.service.inject({ endpoint: "deleteApiKey", fault: refused });
      const renamed = `{ renamedFrom: "c" }`;
      await scene.declare(programWithSet({ defaults, keys: { ...keys, renamed } }));
      const failed = await scene.stack.up();
      expect(errorsFor(failed, "set")[0]).toContain("Updating the keys of workspace ws_main: 2 of 2 failed.");
      expect((await heldBy(scene)).aliases.toSorted()).toEqual(["a", "b", "c", "f", "g"]);
      scene.service.clearRequests();
      await scene.declare(programWithSet({ defaults, keys: { ...keys, c: "{}", g: "{}" } }));
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(true);
      expect(sent(scene)).toEqual({});
      expect(await expectWhole(scene)).toEqual(before);
      await expectSilentUp(scene);
      await expectQuiet(scene);
    },
  );

  itInAll("a refresh shows no change if the program writes the same values differently", async () => {
    const own = `{ ${defaults.slice(1, -1)} }`;
    const a = "{ enabled: false, keepers: { month: 'june' } }";
    await scene.declare(
      programWithSet({ defaults, keys: { a, b: `{ name: "new b" }`, f: "{}", c: own, g: own } }),
    );
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    await expectQuiet(scene);
  });

  it("a refresh in which a key can't be read fails with its alias, and leaves state unchanged", async () => {
    const before = await heldBy(scene);
    const [first] = scene.service.keys();
    scene.service.editKey(first?.id ?? "", { name: "renamed elsewhere" });
    const when = ({ path }: { readonly path: string }) => path.endsWith(String(first?.id));
    scene.service.inject({ endpoint: "readApiKey", when, times: 9, fault: refused });
    const refresh = await scene.stack.refresh();
    const [said, line] = errorsFor(refresh, "set");
    expect(said).toContain("Reading the keys of workspace ws_main: 1 of 5 failed. State is unchanged");
    expect(line).toContain(`"${first?.name}": `);
    expect((await heldBy(scene)).set?.outputs).toEqual(before.set?.outputs);
    scene.service.clearFaults();
  });

  it("a destroy in which a key can't be deleted fails, and the next destroy does the rest", async () => {
    scene.service.inject({ endpoint: "deleteApiKey", fault: refused });
    const failed = await scene.stack.destroy();
    expect(errorsFor(failed, "set")[0]).toContain("Deleting the keys of workspace ws_main: 1 of 5 failed.");
    expect(scene.service.keys()).toHaveLength(1);
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys()).toEqual([]);
  });
});

describeInAll("a set that creates nothing", () => {
  let scene: Scene;
  beforeAll(async () => {
    const keys = { plain: "{ enabeld: true } as object", "a b": `{ expiresAt: -1, renamedFrom: "plain" }` };
    scene = await setScene("set-refused", { program: programWithSet({ defaults, keys }) });
  });
  afterAll(() => scene?.close());

  it("R8 the preview reports all wrong values of its entries at once, by path and without a request", async () => {
    const preview = await scene.stack.preview();
    expect(preview.ok).toBe(false);
    for (const path of ["keys.plain", 'keys["a b"].expiresAt', 'keys["a b"].renamedFrom']) {
      expect(preview.error).toContain(path);
    }
    expect(preview.error).toContain("enabled");
    expect(sent(scene)).toEqual({});
  });

  it("a create in which all keys are refused leaves nothing in state", async () => {
    await scene.declare(programWithSet({ defaults, keys: { a: "{}", b: "{}" } }));
    scene.service.inject({ endpoint: "createApiKey", times: 2, fault: refused });
    const failed = await scene.stack.up();
    expect(errorsFor(failed, "set")[0]).toContain("2 of 2 failed. Nothing was created;");
    expect((await heldBy(scene)).set).toBeUndefined();
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    await expectWhole(scene);
  });
});

describeInAll("a set with a lost secret or a deleted key", () => {
  let scene: Scene;
  const keys = { whole: "{}", lost: "{}", other: "{}" };
  const again = { ...keys, lost: "{ keepers: { again: 'yes' } }" };
  beforeAll(async () => {
    scene = await setScene("set-lost", { program: programWithSet({ defaults, keys }) });
  });
  afterAll(() => scene?.close());

  // The old key of a replacement stays until the new one has a secret.
  it.each([
    { what: "a new key", refreshed: false, deleted: 1 },
    { what: "a replacement, then refreshed,", refreshed: true, deleted: 2 },
  ])(
    "K6 $what without a secret fails, and the next update creates another key",
    async ({ refreshed, deleted }) => {
      failFor(scene, ["lost"], { kind: "withoutKey" });
      const failed = await scene.stack.up();
      const [said, line] = errorsFor(failed, "set");
      expect(said).toMatch(/1 of [13] failed/);
      expect(line).toContain("did not return the secret");
      const lost = scene.service.keys().findLast(({ name }) => name === "lost");
      if (refreshed) expect((await scene.stack.refresh()).ok).toBe(true);
      const preview = await scene.stack.preview();
      expect(stepsFor(preview, "set").map(({ op }) => op)).toEqual(["update"]);
      scene.service.clearRequests();
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(true);
      expect(sent(scene)).toEqual({ listApiKeys: 1, createApiKey: 1, deleteApiKey: deleted });
      const replaced = (await expectWhole(scene)).get("lost");
      expect(replaced?.id).not.toBe(lost?.id);
      await expectSilentUp(scene);
      await expectQuiet(scene);
      await scene.declare(programWithSet({ defaults, keys: again }));
    },
  );

  it("R6 an update fails for a key that was deleted outside Pulumi, and `up --refresh` creates it again", async () => {
    const before = await expectWhole(scene);
    scene.service.deleteKey(before.get("other")?.id ?? "");
    const other = "{ enabled: false }";
    await scene.declare(programWithSet({ defaults, keys: { ...again, other } }));
    const failed = await scene.stack.up();
    expect(errorsFor(failed, "set")[1]).toMatch(/"other": Updating key "other".*pulumi up --refresh/);
    scene.service.clearRequests();
    const up = await scene.stack.up({ refresh: true });
    expect(up.ok, up.output).toBe(true);
    expect(foundBy(up)).toMatchObject({ "keys.other": "delete" });
    expect(shownOf(up)).toEqual({ "keys.other": "add" });
    const { createApiKey, editApiKey, deleteApiKey } = sent(scene);
    expect([createApiKey, editApiKey, deleteApiKey]).toEqual([1, undefined, undefined]);
    const after = await expectWhole(scene);
    expect(after.get("other")).toMatchObject({ enabled: false });
    expect(after.get("whole")).toEqual(before.get("whole"));
    await expectQuiet(scene);
  });
});
