import { afterAll, beforeAll, expect, it } from "vitest";
import { execute } from "../../tools/engine/command";
import { inWords } from "../words";
import { expectUnsaid } from "./expectations";
import { credentials, type Fixture, openFixture } from "./fixture";

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

/** A program that calls functions: the source text of each output, by its name. `before` declares what they use. */
function programOfFunctions(outputs: Readonly<Record<string, string>>, before = ""): string {
  const exported = Object.entries(outputs).map(([name, text]) => `export const ${name} = ${text};`);
  return `import * as pulumi from "@pulumi/pulumi";
import * as apikeys from "pulumi-apikeys";

/** The message of a failed function; \`undefined\` if it does not fail. */
const messageOf = (found: () => Promise<unknown>) =>
  found().then(
    () => undefined,
    (error) => (pulumi.RunError.isInstance(error) ? error.message : \`not a RunError: \${error}\`),
  );
${before}
${exported.join("\n")}
`;
}

const anyOf = `{ workspaceId: "ws_main" }`;
const filtered = (filter: string) =>
  `{ workspaceId: "ws_main", ${filter} }).then(({ apiKeys }) => apiKeys.map(({ id }) => id)`;

let fixture: Fixture;
const outputs = async () =>
  Object.fromEntries(Object.entries(await fixture.stack.outputs()).map(([name, { value }]) => [name, value]));
const endpoints = () => fixture.service.requests.map(({ endpoint }) => endpoint);

/** The results are not secret although the token is, and contain no key's secret. */
const expectPlain = async () => {
  const marks = Object.values(await fixture.stack.outputs()).map(({ secret }) => secret);
  expect(new Set(marks)).toEqual(new Set([false]));
  await expectUnsaid(fixture, [
    "token-of-acme",
    "token-of-globex",
    ...fixture.service.keys().map(({ key }) => key),
  ]);
};

beforeAll(async () => {
  // The token is a secret of the stack's config. The results that it gives access to must not become secret.
  fixture = await openFixture("functions", {
    tenants,
    variant: { delete: "marksAndLists", errorEchoes: "request" },
    env: () => ({ APIKEYS_TOKEN_OF_GLOBEX: "token-of-globex" }),
    config: ({ url }) => ({
      "apikeys:baseUrl": url,
      "apikeys:accessToken": { value: "token-of-acme", secret: true },
    }),
  });
  const { service } = fixture;
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
afterAll(() => fixture?.close());

it("the plain forms of functions return the service's values under the interface's names, and read them in each preview and update", async () => {
  await fixture.declare(
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
  const up = await fixture.stack.up({ args: ["--skip-preview"] });
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
  fixture.service.clearRequests();
  const preview = await fixture.stack.preview({ expectNoChanges: true });
  expect(preview.ok, preview.output).toBe(true);
  expect([...new Set(endpoints())].sort()).toEqual(reads);
  expect((await outputs())["keyById"]).not.toHaveProperty("key");
  await expectPlain();
});

it("a function with `{provider}` uses that Provider's credentials, and the Output forms wait for Outputs among them", async () => {
  const by = (name: string, args: string) => `const ${name} = new apikeys.Provider("${name}", { ${args} });`;
  const url = fixture.service.url;
  await fixture.declare(
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
  const up = await fixture.stack.up({ args: ["--skip-preview"] });
  expect(up.ok, up.output).toBe(true);
  const theirs = { workspaces: [{ id: "ws_theirs", name: "Theirs" }] };
  const refusal = (name: string) =>
    `APIKEYS1001: ${name}: the Provider's accessToken is an Output, whose value may not be known yet.\nUse ${name}Output, which waits for it.`;
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
  await expectPlain();
});

it("a function fails for a name or id that is missing or ambiguous, with a code and the names that exist", async () => {
  const key = (by: string) => `messageOf(() => apikeys.getApiKey({ workspaceId: "ws_main", ${by} }))`;
  await fixture.declare(
    programOfFunctions(
      {
        twice: `messageOf(() => apikeys.getWorkspace({ name: "Twin" }))`,
        none: `messageOf(() => apikeys.getWorkspace({ name: "main" }))`,
        neither: "messageOf(() => apikeys.getWorkspace({}))",
        both: `messageOf(() => apikeys.getWorkspace({ id: "ws_main", name: "Main" }))`,
        unknown: `messageOf(() => apikeys.getWorkspace({ id: "ws_nobodys" }))`,
        keyTwice: key(`name: "double"`),
        keyNone: key(`name: "triple"`),
        keyDeleted: key(`id: "key_gone"`),
        keyUnknown: key(`id: "key_nobodys"`),
        keysUnknown: `messageOf(() => apikeys.getApiKeys({ workspaceId: "ws_nobodys" }))`,
        scopesUnknown: `messageOf(() => apikeys.getScopes({ workspaceId: "ws_nobodys" }))`,
        token: "messageOf(() => apikeys.getWorkspaces({ provider: wrong }))",
      },
      `const wrong = new apikeys.Provider("wrong", { accessToken: "token-of-nobody" });`,
    ),
  );
  const up = await fixture.stack.up({ args: ["--skip-preview"] });
  expect(up.ok, up.output).toBe(true);
  const said = Object.fromEntries(
    Object.entries(await fixture.stack.outputs()).map(([name, { value }]) => [name, String(value)]),
  );
  for (const [name, text] of Object.entries(said)) expect(text, name).toMatch(/^APIKEYS\d{4}: /);
  expect(Object.fromEntries(Object.entries(said).map(([name, text]) => [name, inWords(text)]))).toMatchObject(
    {
      twice:
        '2 of the workspaces are named "Twin". Check the name, or use an id. The service shows: ws_twin ("Twin"), ws_other ("Twin").',
      none: '0 of the workspaces are named "main". Check the name, or use an id. The service shows: ws_main ("Main"), ws_twin ("Twin"), ws_other ("Twin").',
      neither: expect.stringContaining("give either id or name"),
      both: expect.stringContaining("give either id or name"),
      unknown: expect.stringMatching(
        /^Reading workspace ws_nobodys: the service answered 404.*Check the arguments/,
      ),
      keyTwice:
        '2 of the keys of workspace ws_main are named "double". Check the name, or use an id. The service shows: key_two ("double"), key_too ("double").',
      keyNone:
        '0 of the keys of workspace ws_main are named "triple". Check the name, or use an id. The service shows: key_ci ("key_ci"), key_off ("key_off"), key_two ("double"), key_too ("double").',
      keyDeleted: "Reading key key_gone of workspace ws_main: it was deleted.",
      keyUnknown: expect.stringMatching(
        /^Reading key key_nobodys of workspace ws_main: .*404.*Check the arguments/,
      ),
      keysUnknown: expect.stringMatching(
        /^Listing the keys of workspace ws_nobodys: the service answered 404/,
      ),
      scopesUnknown: expect.stringMatching(/^Listing the scopes of workspace ws_nobodys: .*answered 404/),
      token: expect.stringMatching(
        /answered 401.*The access token came from the Provider's argument accessToken/,
      ),
    },
  );
  await expectUnsaid(fixture, ["token-of-acme", "token-of-nobody"]);
});

it.each([
  { form: "plain", call: `apikeys.getWorkspace({ name: "main" })` },
  { form: "Output", call: `apikeys.getWorkspaceOutput({ name: pulumi.output("main") })` },
])(
  "a failing function fails the program with its line and without a stack trace ($form form)",
  async ({ call }) => {
    await fixture.declare(programOfFunctions({ found: call }));
    const preview = await fixture.stack.preview();
    expect(preview.ok).toBe(false);
    expect(preview.output).toContain('APIKEYS2006: 0 of the workspaces are named "main".');
    expect(preview.output.split("\n").filter((line) => /^\s+at /.test(line))).toEqual([]);
  },
);

it("a program that calls a function ends by itself, although connections are kept open", async () => {
  const program = `
    const pulumi = require("@pulumi/pulumi");
    pulumi.runtime.setMocks({ newResource: ({ inputs }) => ({ id: "1", state: inputs }), call: () => ({}) });
    const apikeys = require("pulumi-apikeys");
    apikeys.getWorkspaces().then(({ workspaces }) => console.log(workspaces.map(({ id }) => id).join()));
    apikeys.getWorkspaceOutput({ id: "ws_main" }).apply(({ name }) => console.log(name));`;
  const env = { PATH: process.env["PATH"], ...credentials(fixture.service) };
  fixture.service.clearRequests();
  const { code, stdout, output } = await execute(process.execPath, ["--eval", program], {
    cwd: fixture.project.dir,
    env,
    // Kills a program that does not end.
    timeoutMs: 30_000,
  });
  expect(code, output).toBe(0);
  expect(stdout.trim().split("\n").sort()).toEqual(["Main", "ws_main,ws_twin,ws_other"]);
  expect(fixture.service.requests).toHaveLength(2);
});

it("the Output form of a function is unknown in a preview with an unknown argument, without a request; the update resolves it", async () => {
  await fixture.declare(
    programOfFunctions(
      { found: "apikeys.getApiKeyOutput({ workspaceId: made.workspaceId, id: made.id })" },
      `const made = new apikeys.ApiKey("made", { workspaceId: "ws_twin", customerId: "customer-3" });`,
    ),
  );
  fixture.service.clearRequests();
  const preview = await fixture.stack.preview();
  expect(preview.ok, preview.output).toBe(true);
  // By which the token is checked (R12).
  expect(endpoints()).toEqual(["readWorkspace"]);
  fixture.service.clearRequests();
  const stack = preview.events.findLast(({ resOutputsEvent: event }) =>
    event?.metadata.type.endsWith(":Stack"),
  );
  const shown = stack?.resOutputsEvent?.metadata.new?.outputs["found"];
  expect(shown).toMatch(/^[0-9a-f]{8}-|unknown/);
  const up = await fixture.stack.up({ args: ["--skip-preview"] });
  expect(up.ok, up.output).toBe(true);
  expect(endpoints()).toEqual(["listApiKeys", "createApiKey", "readApiKey"]);
  expect(await outputs()).toMatchObject({ found: { name: "made", customerId: "customer-3" } });
});
