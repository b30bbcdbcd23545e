import { expect, it } from "vitest";
import { expectQuiet, expectSilentUp } from "./expectations";
import { createFixture, runApikeys } from "./fixture";

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

it("R19 K8 the resource option import takes objects without a write, and `get` reads by ids of the same form, with the plugin", async () => {
  const fixture = await createFixture("import", {
    host: "plugin",
    tenants: [
      {
        accessToken: "team-access-token",
        workspaces: [{ id: "ws_main", name: "Main", defaultRateLimitPerSecond: 7 }],
      },
    ],
  });
  const { service, stack } = fixture;
  const inMain = { workspaceId: "ws_main" };
  service.addScope({ ...inMain, representation: "orders", name: "Orders" });
  const stock = { name: "Stock", description: "All" };
  service.addScope({ ...inMain, ...stock, id: "sc_stock", representation: "a/b c" });
  const scopes = [{ representation: "orders", read: true }];
  service.addKey({ ...inMain, id: "key_1", name: "ci", customerId: "cus_1", scopes });
  service.addKey({ ...inMain, id: "key_theirs", name: "theirs", enabled: false });
  const writes = () => service.requests.filter(({ method }) => method !== "GET");
  const update = async (program: string) => {
    await fixture.declare(program);
    service.clearRequests();
    const up = await stack.up();
    expect(up.ok, up.output).toBe(true);
    return up;
  };
  const expectNoChange = async () => {
    await fixture.declare(programOf(declared));
    await expectSilentUp(fixture);
    await expectQuiet(fixture);
  };

  const [kind, args] = objects.ci;
  for (const [program, said] of [
    [
      programOf({ ci: [kind, args, "key_1"] }),
      'ApiKey: the id "key_1" does not have the form workspaceId/keyId.',
    ],
    [programOf({ ci: [kind, args, "ws_main/key_9"] }), "resource 'ws_main/key_9' does not exist"],
    [
      programOf({ set: ["ApiKeySet", "keys: {}", "ws_main/key_1"] }),
      "APIKEYS1007: ApiKeySet: can't be imported or read by an id.",
    ],
    // If a program gives only the id, the engine itself reports that.
    [reading("ws_main/key_9"), "resource 'ws_main/key_9' does not exist"],
    [reading("key_theirs"), "does not have the form workspaceId/keyId."],
  ] as const) {
    await fixture.declare(program);
    const { ok, error } = await stack.preview();
    expect(ok).toBe(false);
    expect(error).toContain(said);
  }

  const imported = await update(programOf(objects));
  expect(imported.steps.map(({ op }) => op)).toEqual(Object.keys(objects).map(() => "import"));
  expect(imported.diagnostics).toEqual([]);
  expect(writes()).toEqual([]);
  await expectNoChange();
  const { resources = [] } = await stack.exportState();
  const ids = Object.fromEntries(resources.map(({ urn, id }) => [urn.split("::").at(-1), id]));
  expect(ids).toMatchObject({ ci: "key_1", stock: "sc_stock", main: "ws_main" });

  // Objects that state has already are imported again without a deleted key.
  const again = await update(programOf(objects));
  expect(again.steps.map(({ op }) => op)).toContain("import-replacement");
  expect(writes()).toEqual([]);
  await expectNoChange();

  await update(programOf({ ...declared, ci: ["ApiKey", 'customerId: "cus_1", enabled: false'] }));
  expect(service.key("key_1")).toMatchObject({ enabled: false, scopes: [], deleted: false });
  await expectQuiet(fixture);

  await fixture.declare(reading("ws_main/key_theirs"));
  const read = await stack.up({ args: ["--target", "**theirs"] });
  expect(read.ok, read.output).toBe(true);
  expect(await stack.outputs()).toMatchObject({ found: { value: ["key_theirs", "theirs", false] } });

  const destroy = await stack.destroy();
  expect(destroy.ok, destroy.output).toBe(true);
  expect(service.keys({ deleted: false }).map(({ id }) => id)).toEqual(["key_theirs"]);
  expect(service.scopes("ws_main")).toHaveLength(2);
  expect(service.workspaces()).toMatchObject([{ defaultRateLimitPerSecond: 7 }]);
});

it("K12 K8 the file that `adopt --import` writes imports all keys with the plugin, without a write", async () => {
  const fixture = await createFixture("importing", { host: "plugin", program: "export {};" });
  const { service, stack, project } = fixture;
  const ids = ["ci", "CI", " 2nd key ", "__proto__"].map(
    (name) => service.addKey({ workspaceId: "ws_main", customerId: "cus_1", name }).id,
  );
  const file = await runApikeys(fixture, "adopt", "--workspace", "ws_main", "--import");
  await project.write("keys.json", file.stdout);
  const imported = await stack.import("keys.json", "--protect=false");
  expect(imported.ok, imported.output).toBe(true);
  const { resources = [] } = await stack.exportState();
  const held = resources.filter(({ type }) => type === "apikeys:index:ApiKey").map(({ id }) => id);
  expect(new Set(held)).toEqual(new Set(ids));
  expect(service.requests.filter(({ method }) => method !== "GET")).toEqual([]);
});
