import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeInAll, itInAll } from "../inAll";
import { programWithKeys } from "./apiKeyProgram";
import { expectQuiet, expectSilentUp, expectUnsaid, onlyLine, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";

describe("a service that doesn't apply what is declared", () => {
  let scene: Scene;
  const wide = [{ representation: "orders", read: true, update: true }];
  const narrow = [{ representation: "orders", read: true }];
  const declare = (scopes: object, name = "narrowed") =>
    scene.declare(
      programWithKeys({
        narrowed: `{ ...base, name: "${name}", scopes: ${JSON.stringify(scopes)} }`,
        disabled: "{ ...base, enabled: false }",
      }),
    );
  const stored = (name: string) => scene.service.keys({ deleted: false }).find((key) => key.name === name);

  beforeAll(async () => {
    scene = await setScene("convergence", {
      dialect: { enabledOnCreate: "ignored", patchScopes: "neverNarrows" },
    });
    await declare(wide);
  });
  afterAll(() => scene?.close());

  it("R4 `enabled` is as declared after one update, although the create ignores it", async () => {
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(stored("disabled")).toMatchObject({ enabled: false });
    await expectQuiet(scene);
  });

  it("K4 a permission that the service doesn't remove fails the update, with the declared and the observed value", async () => {
    await declare(narrow);
    const line = onlyLine(await scene.stack.up(), "narrowed");
    expect(line).toContain(
      "scopes: the program has orders (read), the service still has orders (read, update)",
    );
  });

  it("R4 state then has the key with the service's values, and the next preview shows what is still to do", async () => {
    const { resources = [] } = await scene.stack.exportState({ showSecrets: true });
    const state = resources.find(({ urn }) => urn.endsWith("::narrowed"));
    const secret = { plaintext: JSON.stringify(stored("narrowed")?.key) };
    expect(state).toMatchObject({ id: stored("narrowed")?.id, outputs: { scopes: wide, key: secret } });
    for (const outcome of [await scene.stack.preview(), await scene.stack.previewRefresh()]) {
      const step = stepsFor(outcome, "narrowed").find(({ op }) => op === "update");
      expect(step).toMatchObject({ diffs: ["scopes"], changed: { scopes: { old: wide, new: narrow } } });
    }
  });

  it("K4 the next update applies the change once the service does", async () => {
    scene.service.setDialect({ patchScopes: "merges" });
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { update: 1 } });
    expect(stored("narrowed")?.scopes).toMatchObject([
      { representation: "orders", read: true, update: false },
    ]);
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  itInAll(
    "R5 a refresh after an update that failed halfway returns inputs with the service's values",
    async () => {
      await declare(wide);
      expect((await scene.stack.up()).ok).toBe(true);
      scene.service.setDialect({ patchScopes: "neverNarrows" });
      await declare(narrow, "renamed");
      expect((await scene.stack.up()).ok).toBe(false);
      const kept = async () => {
        const { resources = [] } = await scene.stack.exportState();
        return resources.find(({ urn }) => urn.endsWith("::narrowed"));
      };
      const held = { name: "renamed", scopes: wide };
      expect(await kept()).toMatchObject({
        inputs: { name: "narrowed" },
        outputs: { ...held, __failed: true },
      });
      for (const _ of ["the first", "one that finds nothing"]) {
        const refresh = await scene.stack.refresh();
        expect(refresh.ok, refresh.output).toBe(true);
        const { inputs, outputs } = (await kept()) ?? {};
        expect({ inputs, outputs }).toMatchObject({ inputs: held, outputs: held });
        expect(outputs).not.toHaveProperty("__failed");
      }
      const step = stepsFor(await scene.stack.preview(), "narrowed");
      expect(step).toMatchObject([{ op: "update", changed: { scopes: { old: wide, new: narrow } } }]);
      expect(step).toMatchObject([{ diffs: ["scopes"] }]);
    },
  );
});

describeInAll("existingKey", () => {
  let scene: Scene;
  const value = "sk_value_from_elsewhere";
  const declare = (args: string) => scene.declare(programWithKeys({ moved: args }));

  beforeAll(async () => {
    scene = await setScene("existing-key");
    await declare(`{ ...base, existingKey: "${value}" }`);
  });
  afterAll(() => scene?.close());

  it("K5 migrates a key by its value, which is then the secret", async () => {
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(scene.service.requests.map(({ endpoint }) => endpoint)).toEqual(["listApiKeys", "migrateApiKey"]);
    expect(scene.service.keys()).toMatchObject([{ name: "moved", key: value }]);
    expect(await scene.stack.outputs()).toMatchObject({ movedSecret: { value, secret: true } });
  });

  it("K5 fails the preview of a change that would need a new key, by field", async () => {
    await declare(`{ ...base, customerId: "another", existingKey: "${value}" }`);
    const line = onlyLine(await scene.stack.preview(), "moved");
    expect(line).toContain("customerId: can't change while existingKey stays");
    expect(line).not.toContain(value);
  });

  it("K5 can be left out later without a change, and the secret stays", async () => {
    await declare("base");
    await expectSilentUp(scene);
    const refresh = await scene.stack.refresh({ expectNoChanges: true });
    expect(refresh.ok, refresh.output).toBe(true);
    const preview = await scene.stack.preview({ expectNoChanges: true });
    expect(preview.ok, preview.output).toBe(true);
    await expectSilentUp(scene);
    expect(await scene.stack.outputs()).toMatchObject({ movedSecret: { value, secret: true } });
  });

  it("K5 is printed and stored nowhere in plain text, even in a refresh after it was left out", async () => {
    // The refreshed state has the value, which the program no longer marks as secret.
    scene.service.editKey(scene.service.keys()[0]?.id ?? "", { enabled: false });
    const refresh = await scene.stack.refresh();
    expect(refresh.ok, refresh.output).toBe(true);
    await declare(`{ ...base, name: "renamed" }`);
    const preview = await scene.stack.preview({ diff: true });
    expect(preview.stdout).toContain('"renamed"');
    await expectUnsaid(scene, [value]);
  });
});
