import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectQuiet, expectSilentUp } from "./expectations";
import { checkout } from "./folders";
import { type Scene, setScene } from "./scene";
import { shownOf } from "./setExpectations";
import { programWithSet } from "./setProgram";

/** The file that docs/api-key-set.md shows. */
function importFile(): string {
  const page = readFileSync(join(checkout, "docs", "api-key-set.md"), "utf8");
  const [, json = ""] = /```json\n(\{\n {2}"resources":.*?\n\})\n```/s.exec(page) ?? [];
  return json.replace('"name": "partners"', '"name": "set"');
}

describe("existing keys that are imported as a set", () => {
  let scene: Scene;
  const keys = { acme: '{ customerId: "cus_1" }', beta: '{ customerId: "cus_2" }' };
  beforeAll(async () => {
    scene = await setScene("set-import", { program: "export {};" });
    const scopes = [{ representation: "orders", read: true }];
    scene.service.addKey({
      id: "key_acme",
      workspaceId: "ws_main",
      customerId: "cus_1",
      name: "acme",
      scopes,
    });
    scene.service.addKey({ id: "key_beta", workspaceId: "ws_main", customerId: "cus_2", name: "beta" });
    await scene.project.write("import.json", importFile());
  });
  afterAll(() => scene?.close());

  it("K8 are imported without a request, and a refresh fills in their values", async () => {
    const imported = await scene.stack.import("import.json");
    expect(imported, imported.output).toMatchObject({ ok: true, changes: { import: 1 } });
    expect(scene.service.requests).toEqual([]);
    const refresh = await scene.stack.refresh();
    expect(refresh.ok, refresh.output).toBe(true);
    const acme = '{ customerId: "cus_1", scopes: [{ representation: "orders", read: true }] }';
    await scene.declare(programWithSet({ keys: { ...keys, acme } }));
    await expectSilentUp(scene);
    await expectQuiet(scene);
    expect(await scene.stack.outputs()).toMatchObject({
      ids: { value: { acme: "key_acme", beta: "key_beta" } },
    });
  });

  it("K8 are edited like those of any set, and have a secret only after a replacement", async () => {
    await scene.declare(programWithSet({ keys }));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(shownOf(up)).toEqual({ "keys.acme.scopes": "delete" });
    expect(scene.service.key("key_acme")).toMatchObject({ scopes: [], deleted: false });
    const rotated = '{ customerId: "cus_2", keepers: { turn: "1" } }';
    await scene.declare(programWithSet({ keys: { ...keys, beta: rotated } }));
    expect(await scene.stack.up()).toMatchObject({ ok: true });
    const { secrets, ids } = await scene.stack.outputs();
    const beta = scene.service.key(ids?.value.beta);
    expect(beta?.id).not.toBe("key_beta");
    expect(secrets).toMatchObject({ value: { beta: beta?.key }, secret: true });
    expect(Object.keys(secrets?.value)).toEqual(["beta"]);
    expect(scene.service.keys({ deleted: false })).toHaveLength(2);
    await expectQuiet(scene);
  });
});
