import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Dialect } from "../../standin";
import { someOf } from "../all";
import { programWithKeys } from "./apiKeyProgram";
import { expectUnsaid, onlyLine } from "./expectations";
import { type Scene, setScene } from "./scene";

const declared = (name: string) => programWithKeys({ held: `{ ...base, name: "${name}" }` });
const tokens = { acme: "token-of-acme", globex: "token-of-globex", nobody: "token-of-nobody" };

interface Trouble {
  readonly trouble: string;
  begin(scene: Scene): unknown;
  /** Strings that the error must contain. */
  readonly says: readonly string[];
}

const withToken = (name: keyof typeof tokens, dialect: Partial<Dialect> = {}) => ({
  begin: ({ stack, service }: Scene) => {
    stack.setEnv("APIKEYS_ACCESS_TOKEN", tokens[name]);
    // Errors of the service echo the request, so the provider has secrets to hide.
    service.setDialect({ errorEchoes: "request", ...dialect });
  },
});

const troubles: readonly Trouble[] = [
  {
    trouble: "a wrong token",
    ...withToken("nobody"),
    says: ["the service answered 401", "environment variable APIKEYS_ACCESS_TOKEN"],
  },
  {
    trouble: "another tenant's token, refused with 403",
    ...withToken("globex", { otherTenant: 403 }),
    says: ["the service answered 403", "access token"],
  },
  {
    trouble: "another tenant's token, to which the key does not exist",
    ...withToken("globex", { otherTenant: 404 }),
    says: ["its workspace can't be read either", "APIKEYS_ACCESS_TOKEN"],
  },
  {
    trouble: "another tenant's token, to which lists are empty",
    ...withToken("globex", { otherTenant: "empty" }),
    says: ["its workspace can't be read either", "APIKEYS_ACCESS_TOKEN"],
  },
  {
    trouble: "a service that is down",
    begin: ({ service }) => service.stop(),
    says: ["the connection was refused"],
  },
  {
    trouble: "a service that answers 500",
    begin: ({ service }) => service.inject({ fault: { kind: "status", status: 500 }, times: Infinity }),
    says: ["the service answered 500"],
  },
  {
    trouble: "an HTML page in place of every answer",
    begin: ({ service }) => service.inject({ fault: { kind: "html" }, times: Infinity }),
    says: ["the answer is not JSON"],
  },
];

let scene: Scene;
let before: unknown;
/** The state in plain text, because each command encrypts it differently. */
const state = async () => {
  const { resources = [], pending_operations } = await scene.stack.exportState({ showSecrets: true });
  return {
    resources: resources.map(({ urn, id, inputs, outputs }) => ({ urn, id, inputs, outputs })),
    pending_operations,
  };
};

beforeAll(async () => {
  scene = await setScene("failures", {
    program: declared("first name"),
    tenants: [
      { name: "acme", accessToken: tokens.acme, workspaces: [{ id: "ws_main" }] },
      { name: "globex", accessToken: tokens.globex, workspaces: [{ id: "ws_theirs" }] },
    ],
  });
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  before = await state();
  await scene.declare(declared("second name"));
});
afterEach(async () => {
  scene.stack.setEnv("APIKEYS_ACCESS_TOKEN", tokens.acme);
  scene.service.setDialect({});
  scene.service.clearFaults();
  await scene.service.start();
});
afterAll(() => scene?.close());

/** A service that hides the key, and one that is broken. */
const few = [
  "another tenant's token, to which the key does not exist",
  "an HTML page in place of every answer",
];

it.each(someOf(troubles, ({ trouble }) => few.includes(trouble)))(
  "R6 $trouble fails refresh, update and destroy, and leaves the state unchanged",
  async ({ begin, says }) => {
    await begin(scene);
    for (const command of ["refresh", "up", "destroy"] as const) {
      const outcome = await scene.stack[command]();
      const line = onlyLine(outcome, "held");
      for (const part of says) expect(line, command).toContain(part);
    }
    expect(await state()).toEqual(before);
    expect(scene.service.keys()).toMatchObject([{ name: "first name", deleted: false }]);
  },
);

it("K10 an HTML page as the answer to DELETE doesn't count as a deletion", async () => {
  scene.service.inject({ endpoint: "deleteApiKey", fault: { kind: "html" }, times: Infinity });
  const line = onlyLine(await scene.stack.destroy(), "held");
  expect(line).toContain("the answer is not JSON, but the key still exists. It stays in state");
  expect(await state()).toEqual(before);
});

it("R8 these errors contain no token and no secret, and the next update and destroy succeed", async () => {
  const keys = scene.service.keys().map(({ key }) => key);
  await expectUnsaid(scene, [...Object.values(tokens), ...keys]);
  const up = await scene.stack.up();
  expect(up, up.output).toMatchObject({ ok: true, changes: { update: 1 } });
  const destroy = await scene.stack.destroy();
  expect(destroy.ok, destroy.output).toBe(true);
  expect(scene.service.keys()).toEqual([]);
});
