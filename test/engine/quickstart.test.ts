import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { execute } from "./command";
import { expectQuiet, expectSilentUp, expectUnsaid } from "./expectations";
import { checkout } from "./folders";
import { type Scene, setScene } from "./scene";

describe("examples/quickstart with the packed package", () => {
  let scene: Scene;
  const file = (name: string) => readFile(join(scene.project.dir, name), "utf8");

  beforeAll(async () => {
    scene = await setScene("apikeys-quickstart", { example: "quickstart", byCli: true });
  });
  afterAll(() => scene?.close());

  it("has the same files as the repository", async () => {
    for (const name of ["index.ts", "Pulumi.yaml", "package.json", "tsconfig.json"]) {
      expect(await file(name)).toBe(await readFile(join(checkout, "examples", "quickstart", name), "utf8"));
    }
  });

  it("compiles against the package's declarations, with its own tsconfig.json", async () => {
    const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
    const compiled = await execute(process.execPath, [tsc, "-p", scene.project.dir]);
    expect(compiled.output).toBe("");
    expect(compiled.code).toBe(0);
  });

  it("names the package and the version of this repository", async () => {
    const { name, version } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
    const { dependencies, main } = JSON.parse(await file("package.json"));
    expect(dependencies).toMatchObject({ [name]: `^${version}`, "@pulumi/pulumi": expect.any(String) });
    expect(main).toBe("index.ts");
    expect(await file("Pulumi.yaml")).toMatch(
      /^name: apikeys-quickstart$[\s\S]*^runtime:\n {2}name: nodejs$/m,
    );
  });

  it("creates its keys, exports the secret as a secret, shows no change, and is destroyed", async () => {
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 3 }, diagnostics: [] });
    const keys = scene.service.keys();
    const shop = keys.find(({ name }) => name === "shop");
    const partner = keys.find(({ name }) => name === "partner");
    expect(shop).toMatchObject({ customerId: "customer-shop", enabled: true });
    expect(partner).toMatchObject({
      customerId: "customer-partner",
      prefix: "partner",
      expiresAt: 1924991999,
    });
    expect(await scene.stack.outputs()).toEqual({
      shopKeyId: { value: shop?.id, secret: false },
      shopKey: { value: shop?.key, secret: true },
      partnerKeyMasked: { value: partner?.maskedKey, secret: false },
    });
    await expectSilentUp(scene);
    await expectQuiet(scene);
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys()).toEqual([]);
    await expectUnsaid(
      scene,
      keys.map(({ key }) => key),
    );
  });
});
