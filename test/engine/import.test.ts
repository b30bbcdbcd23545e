import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectQuiet, expectSilentUp } from "./expectations";
import { hurried, type Scene, setScene } from "./scene";

/** A program that declares existing objects: the kind, source text of the arguments and import id of each, by name. */
function programOf(resources: Readonly<Record<string, readonly [kind: string, args: string, id?: string]>>) {
  const lines = Object.entries(resources).map(([name, [kind, args, id]]) => {
    const options = id === undefined ? "" : `, { import: ${JSON.stringify(id)} }`;
    return `new apikeys.${kind}(${JSON.stringify(name)}, { workspaceId: "ws_main", ${args} }${options});`;
  });
  return `import * as apikeys from "pulumi-apikeys";\n\n${lines.join("\n")}\n`;
}

/** Reads a key as an SDK's `get` does. */
const reading = (id: string) => `import * as pulumi from "@pulumi/pulumi";

class Key extends pulumi.CustomResource {
  constructor() {
    super("apikeys:index:ApiKey", "theirs", { name: undefined, enabled: undefined }, { id: ${JSON.stringify(id)} });
  }
}
const key: any = new Key();
export const found = [key.id, key.name, key.enabled];
`;

const objects = {
  ci: ["ApiKey", 'customerId: "cus_1", scopes: [{ representation: "orders", read: true }]', "ws_main/key_1"],
  orders: ["Scope", 'name: "Orders", representation: "orders"', "ws_main/orders"],
  stock: ["Scope", 'name: "Stock", representation: "a/b c", description: "All"', "ws_main/sc_stock"],
  main: ["WorkspaceSettings", "defaultRateLimitPerSecond: 7", "ws_main"],
} as const;
/** The same without the ids to import. */
const declared = Object.fromEntries(
  Object.entries(objects).map(([name, [kind, args]]) => [name, [kind, args] as const]),
);

describe("the resource option import, with the plugin", () => {
  let scene: Scene;
  const requests = () => scene.service.requests.map(({ method, path }) => `${method} ${path}`);
  const writes = () => requests().filter((request) => !request.startsWith("GET "));
  const errorsOf = async (program: string) => {
    await scene.declare(program);
    const { ok, error } = await scene.stack.preview();
    expect(ok).toBe(false);
    return error;
  };

  beforeAll(async () => {
    const workspaces = [{ id: "ws_main", name: "Main", defaultRateLimitPerSecond: 7 }];
    scene = await setScene("import", {
      host: "plugin",
      env: hurried,
      tenants: [{ accessToken: "team-access-token", workspaces }],
    });
    const { service } = scene;
    const inMain = { workspaceId: "ws_main" };
    service.addScope({ ...inMain, representation: "orders", name: "Orders" });
    const stock = { name: "Stock", description: "All" };
    service.addScope({ ...inMain, ...stock, id: "sc_stock", representation: "a/b c" });
    const scopes = [{ representation: "orders", read: true }];
    service.addKey({ ...inMain, id: "key_1", name: "ci", customerId: "cus_1", scopes });
  });
  afterAll(() => scene?.close());

  it("K8 fails the preview for an id of the wrong form, and for an id that no object has", async () => {
    const [kind, args] = objects.ci;
    expect(await errorsOf(programOf({ ci: [kind, args, "key_1"] }))).toContain(
      'ApiKey: the id "key_1" does not have the form workspaceId/keyId.',
    );
    expect(await errorsOf(programOf({ ci: [kind, args, "ws_main/key_9"] }))).toContain(
      "resource 'ws_main/key_9' does not exist",
    );
    expect(await errorsOf(programOf({ set: ["ApiKeySet", "keys: {}", "ws_main/key_1"] }))).toContain(
      "ApiKeySet: can't be imported or read by an id. Declare an existing key by existingId",
    );
    expect(writes()).toEqual([]);
  });

  it("K8 imports objects without a write, and the next preview shows no change", async () => {
    await scene.declare(programOf(objects));
    scene.service.clearRequests();
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(up.steps.map(({ op }) => op)).toEqual(Object.keys(objects).map(() => "import"));
    expect(up.diagnostics).toEqual([]);
    expect(writes()).toEqual([]);
    await expectSilentUp(scene);
    await expectQuiet(scene);
    await scene.declare(programOf(declared));
    await expectSilentUp(scene);
    await expectQuiet(scene);
    const { resources = [] } = await scene.stack.exportState();
    const ids = Object.fromEntries(resources.map(({ urn, id }) => [urn.split("::").at(-1), id]));
    expect(ids).toMatchObject({ ci: "key_1", stock: "sc_stock", main: "ws_main" });
  });

  it("K5 deletes no key if objects are imported that state has already", async () => {
    await scene.declare(programOf(objects));
    scene.service.clearRequests();
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(up.steps.map(({ op }) => op)).toContain("import-replacement");
    expect(writes()).toEqual([]);
    expect(scene.service.keys({ deleted: false })).toHaveLength(1);
    await scene.declare(programOf(declared));
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("K8 edits imported keys in place, without their secrets", async () => {
    await scene.declare(
      programOf({
        ...declared,
        ci: ["ApiKey", 'customerId: "cus_1", enabled: false'],
      }),
    );
    const preview = await scene.stack.preview();
    const changing = preview.steps
      .filter(({ op, duringRefresh }) => op !== "same" && !duringRefresh)
      .map(({ op, name }) => `${op} ${name}`);
    expect(changing.toSorted()).toEqual(["update ci"]);
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(scene.service.key("key_1")).toMatchObject({ enabled: false, scopes: [], deleted: false });
    expect(scene.service.keys()).toHaveLength(1);
    await expectQuiet(scene);
  });

  it("R19 accepts ids of the same form in `get`, which reads an unmanaged key", async () => {
    scene.service.addKey({ id: "key_theirs", workspaceId: "ws_main", name: "theirs", enabled: false });
    // If a program gives only the id, the engine itself reports that.
    expect(await errorsOf(reading("ws_main/key_9"))).toContain("resource 'ws_main/key_9' does not exist");
    expect(await errorsOf(reading("key_theirs"))).toContain("does not have the form workspaceId/keyId.");
    await scene.declare(reading("ws_main/key_theirs"));
    const up = await scene.stack.up({ args: ["--target", "**theirs"] });
    expect(up.ok, up.output).toBe(true);
    expect(await scene.stack.outputs()).toMatchObject({
      found: { value: ["ws_main/key_theirs", "theirs", false] },
    });
  });

  it("leaves everything but keys in the service on destroy", async () => {
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys({ deleted: false }).map(({ id }) => id)).toEqual(["key_theirs"]);
    expect(scene.service.scopes("ws_main")).toHaveLength(2);
    expect(scene.service.workspaces()).toMatchObject([{ defaultRateLimitPerSecond: 7 }]);
  });
});
