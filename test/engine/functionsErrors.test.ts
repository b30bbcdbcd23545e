import { afterAll, beforeAll, expect, it } from "vitest";
import { execute } from "./command";
import { expectUnsaid } from "./expectations";
import { programOfFunctions } from "./functionsProgram";
import { credentials, type Scene, setScene } from "./scene";

const tenants = [
  {
    accessToken: "token-of-acme",
    workspaces: [
      { id: "ws_main", name: "Main" },
      { id: "ws_twin", name: "Twin" },
      { id: "ws_other", name: "Twin" },
    ],
  },
];

let scene: Scene;
beforeAll(async () => {
  scene = await setScene("function-errors", {
    tenants,
    dialect: { delete: "marks", errorEchoes: "request" },
  });
  const add = (id: string, name: string) => scene.service.addKey({ id, workspaceId: "ws_main", name });
  add("key_one", "double");
  add("key_two", "double");
  add("key_gone", "gone");
  scene.service.deleteKey("key_gone");
});
afterAll(() => scene?.close());

it("a name or id that is missing or ambiguous is an error in one line, which lists what there is", async () => {
  const key = (by: string) => `messageOf(() => apikeys.getApiKey({ workspaceId: "ws_main", ${by} }))`;
  await scene.declare(
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
  const up = await scene.stack.up({ args: ["--skip-preview"] });
  expect(up.ok, up.output).toBe(true);
  const said = Object.fromEntries(
    Object.entries(await scene.stack.outputs()).map(([name, { value }]) => [name, String(value)]),
  );
  expect(said).toMatchObject({
    twice: 'There is more than one workspace named "Twin": ws_twin, ws_other. Use its id instead.',
    none: 'No workspace named "main" found; there are "Main" (ws_main), "Twin" (ws_twin), "Twin" (ws_other).',
    neither: expect.stringContaining("give either id or name"),
    both: expect.stringContaining("give either id or name"),
    unknown: expect.stringMatching(/^Reading workspace ws_nobodys: the service answered 404.*Check the id/),
    keyTwice:
      'There is more than one key named "double" in workspace ws_main: key_one, key_two. Use its id instead.',
    keyNone:
      'No key named "triple" in workspace ws_main found; there are "double" (key_one), "double" (key_two).',
    keyDeleted: "Reading key key_gone of workspace ws_main: it was deleted.",
    keyUnknown: expect.stringMatching(/^Reading key key_nobodys of workspace ws_main: .*404.*Check both ids/),
    keysUnknown: expect.stringMatching(/^Listing the keys of workspace ws_nobodys: the service answered 404/),
    scopesUnknown: expect.stringMatching(/^Listing the scopes of workspace ws_nobodys: .*answered 404/),
    token: expect.stringMatching(
      /answered 401.*The access token came from the Provider's argument accessToken/,
    ),
  });
  for (const [name, line] of Object.entries(said)) expect(line, name).not.toContain("\n");
  await expectUnsaid(scene, ["token-of-acme", "token-of-nobody"]);
});

it.each([
  { form: "plain", call: `apikeys.getWorkspace({ name: "main" })` },
  { form: "Output", call: `apikeys.getWorkspaceOutput({ name: pulumi.output("main") })` },
])(
  "a failing function fails the program with its line and without a stack trace ($form form)",
  async ({ call }) => {
    await scene.declare(programOfFunctions({ found: call }));
    const preview = await scene.stack.preview();
    expect(preview.ok).toBe(false);
    expect(preview.output).toContain('No workspace named "main" found; there are "Main" (ws_main)');
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
  const env = { PATH: process.env["PATH"], ...credentials(scene.service) };
  scene.service.clearRequests();
  const { code, stdout, output } = await execute(process.execPath, ["--eval", program], {
    cwd: scene.project.dir,
    env,
    // Kills a program that does not end.
    timeoutMs: 30_000,
  });
  expect(code, output).toBe(0);
  expect(stdout.trim().split("\n").sort()).toEqual(["Main", "ws_main,ws_twin,ws_other"]);
  expect(scene.service.requests).toHaveLength(2);
});
