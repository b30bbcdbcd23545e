import { afterAll, beforeAll, expect, it } from "vitest";
import { itInAll } from "../inAll";
import { expectUnsaid } from "./expectations";
import { programOfFunctions } from "./functionsProgram";
import { type Scene, setScene } from "./scene";

const tenants = [
  {
    name: "acme",
    accessToken: "token-of-acme",
    workspaces: [
      { id: "ws_main", name: "Main", defaultKeyPrefix: "main" },
      { id: "ws_twin", name: "Twin" },
      { id: "ws_other", name: "Twin" },
    ],
  },
  { name: "globex", accessToken: "token-of-globex", workspaces: [{ id: "ws_theirs", name: "Theirs" }] },
];
const anyOf = `{ workspaceId: "ws_main" }`;
const filtered = (filter: string) =>
  `{ workspaceId: "ws_main", ${filter} }).then(({ apiKeys }) => apiKeys.map(({ id }) => id)`;

let scene: Scene;
const outputs = async () =>
  Object.fromEntries(Object.entries(await scene.stack.outputs()).map(([name, { value }]) => [name, value]));
const endpoints = () => scene.service.requests.map(({ endpoint }) => endpoint);

beforeAll(async () => {
  // The token is a secret of the stack's config. The results that it gives access to must not become secret.
  scene = await setScene("functions", {
    tenants,
    dialect: { delete: "marksAndLists" },
    env: () => ({ APIKEYS_TOKEN_OF_GLOBEX: "token-of-globex" }),
    config: ({ url }) => ({
      "apikeys:baseUrl": url,
      "apikeys:accessToken": { value: "token-of-acme", secret: true },
    }),
  });
  const { service } = scene;
  const add = (id: string, more: object) =>
    service.addKey({ id, workspaceId: "ws_main", name: id, customerId: "customer-1", ...more });
  add("key_ci", { scopes: [{ representation: "orders", read: true }], prefix: "ci" });
  add("key_off", { enabled: false });
  add("key_two", { customerId: "customer-2", name: "double" });
  add("key_too", { customerId: "customer-2", name: "double" });
  add("key_gone", { name: "gone" });
  service.deleteKey("key_gone");
  service.addScope({ id: "sc_orders", workspaceId: "ws_main", representation: "orders", name: "Orders" });
});
afterAll(() => scene?.close());

it("the plain forms return what the service has under the interface's names, and read it in each preview and update", async () => {
  await scene.declare(
    programOfFunctions({
      workspaces: "apikeys.getWorkspaces()",
      byId: `apikeys.getWorkspace({ id: "ws_twin" })`,
      byName: `apikeys.getWorkspace({ name: "Main" })`,
      all: `apikeys.getApiKeys(${filtered("")})`,
      named: `apikeys.getApiKeys(${filtered(`name: "double"`)})`,
      ofCustomer: `apikeys.getApiKeys(${filtered(`customerId: "customer-1"`)})`,
      disabled: `apikeys.getApiKeys(${filtered("enabled: false")})`,
      narrow: `apikeys.getApiKeys(${filtered(`customerId: "customer-1", enabled: true`)})`,
      withDeleted: `apikeys.getApiKeys(${filtered("includeDeleted: true")})`,
      keyById: `apikeys.getApiKey({ workspaceId: "ws_main", id: "key_ci" })`,
      keyByName: `apikeys.getApiKey({ workspaceId: "ws_main", name: "key_off" })`,
      scopes: `apikeys.getScopes(${anyOf})`,
    }),
  );
  const up = await scene.stack.up({ args: ["--skip-preview"] });
  expect(up.ok, up.output).toBe(true);
  expect(up.diagnostics).toEqual([]);
  const reads = ["listApiKeys", "listScopes", "listWorkspaces", "readApiKey", "readWorkspace"];
  expect([...new Set(endpoints())].sort()).toEqual(reads);
  expect(await outputs()).toMatchObject({
    workspaces: { workspaces: tenants[0]?.workspaces },
    byId: { id: "ws_twin", name: "Twin", teamId: "team_acme" },
    byName: { id: "ws_main", defaultKeyPrefix: "main" },
    all: ["key_ci", "key_off", "key_two", "key_too"],
    named: ["key_two", "key_too"],
    ofCustomer: ["key_ci", "key_off"],
    disabled: ["key_off"],
    narrow: ["key_ci"],
    withDeleted: ["key_ci", "key_off", "key_two", "key_too", "key_gone"],
    keyById: {
      name: "key_ci",
      prefix: "ci",
      enabled: true,
      scopes: [{ representation: "orders", create: false, read: true, update: false, del: false }],
    },
    keyByName: { id: "key_off", enabled: false },
    scopes: { scopes: [{ id: "sc_orders", representation: "orders", name: "Orders" }] },
  });
  scene.service.clearRequests();
  const preview = await scene.stack.preview({ expectNoChanges: true });
  expect(preview.ok, preview.output).toBe(true);
  expect([...new Set(endpoints())].sort()).toEqual(reads);
});

it("results are not secret although the token is, and contain no key's secret", async () => {
  const marks = Object.values(await scene.stack.outputs()).map(({ secret }) => secret);
  expect(marks.length).toBeGreaterThan(0);
  expect(marks.filter((secret) => secret)).toEqual([]);
  const found = (await outputs())["keyById"];
  expect(found).toHaveProperty("maskedKey");
  expect(found).not.toHaveProperty("key");
  await expectUnsaid(scene, ["token-of-acme", ...scene.service.keys().map(({ key }) => key)]);
});

itInAll(
  "a function with `{provider}` uses that Provider's credentials, and the Output forms wait for Outputs among them",
  async () => {
    const by = (name: string, args: string) =>
      `const ${name} = new apikeys.Provider("${name}", { ${args} });`;
    const url = scene.service.url;
    await scene.declare(
      programOfFunctions(
        {
          plain: "apikeys.getWorkspaces({ provider: plain })",
          byEnv: "apikeys.getWorkspaces({ provider: byEnv })",
          eventual: "apikeys.getWorkspacesOutput({ provider: eventual })",
          ofSecret: "apikeys.getWorkspacesOutput({ provider: configured })",
          eventualKey: `apikeys.getApiKeyOutput({ workspaceId: pulumi.output("ws_main"), name: "key_ci" })`,
          eventualKeys: `apikeys.getApiKeysOutput({ workspaceId: "ws_main", enabled: pulumi.output(false) })`,
          eventualWorkspace: `apikeys.getWorkspaceOutput({ name: pulumi.output("Main") })`,
          eventualScopes: `apikeys.getScopesOutput(${anyOf})`,
          refused: "messageOf(() => apikeys.getWorkspaces({ provider: eventual }))",
          refusedToo: `messageOf(() => apikeys.getApiKey({ workspaceId: "ws_main", id: "key_ci" }, { provider: configured }))`,
        },
        [
          by("plain", `baseUrl: "${url}", accessToken: "token-of-globex"`),
          by("byEnv", `accessTokenEnv: "APIKEYS_TOKEN_OF_GLOBEX"`),
          by("eventual", `accessToken: pulumi.output("token-of-globex")`),
          by("configured", `accessToken: new pulumi.Config("apikeys").requireSecret("accessToken")`),
        ].join("\n"),
      ),
    );
    const up = await scene.stack.up({ args: ["--skip-preview"] });
    expect(up.ok, up.output).toBe(true);
    const theirs = { workspaces: [{ id: "ws_theirs", name: "Theirs" }] };
    const refusal = (name: string) =>
      `${name}: the Provider's accessToken is an Output, whose value may not be known yet: use ${name}Output, which waits for it.`;
    expect(await outputs()).toMatchObject({
      plain: theirs,
      byEnv: theirs,
      eventual: theirs,
      ofSecret: { workspaces: tenants[0]?.workspaces },
      eventualKey: { id: "key_ci" },
      eventualKeys: { apiKeys: [{ id: "key_off" }] },
      eventualWorkspace: { id: "ws_main" },
      eventualScopes: { scopes: [{ id: "sc_orders" }] },
      refused: refusal("getWorkspaces"),
      refusedToo: refusal("getApiKey"),
    });
    const marks = Object.values(await scene.stack.outputs()).map(({ secret }) => secret);
    expect(marks.filter((secret) => secret)).toEqual([]);
    await expectUnsaid(scene, ["token-of-acme", "token-of-globex"]);
  },
);

it("the Output form stays unknown in a preview with an unknown argument, without a request; the update resolves it", async () => {
  await scene.declare(
    programOfFunctions(
      { found: "apikeys.getApiKeyOutput({ workspaceId: made.workspaceId, id: made.id })" },
      `const made = new apikeys.ApiKey("made", { workspaceId: "ws_main", customerId: "customer-3" });`,
    ),
  );
  scene.service.clearRequests();
  const preview = await scene.stack.preview();
  expect(preview.ok, preview.output).toBe(true);
  expect(endpoints()).toEqual([]);
  const stack = preview.events.findLast(({ resOutputsEvent: event }) =>
    event?.metadata.type.endsWith(":Stack"),
  );
  const shown = stack?.resOutputsEvent?.metadata.new?.outputs["found"];
  expect(shown).toMatch(/^[0-9a-f]{8}-|unknown/);
  const up = await scene.stack.up({ args: ["--skip-preview"] });
  expect(up.ok, up.output).toBe(true);
  expect(endpoints()).toEqual(["listApiKeys", "createApiKey", "readApiKey"]);
  expect(await outputs()).toMatchObject({ found: { name: "made", customerId: "customer-3" } });
});
