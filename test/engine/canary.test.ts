import { expect, it, onTestFinished } from "vitest";
import type { Endpoint, Fault, Variant } from "../../standin";
import { descendants, watchArguments } from "../../tools/engine/command";
import type { Outcome } from "../../tools/engine/stack";
import { found } from "./expectations";
import { createFixture, type Fixture } from "./fixture";

/** Strings that occur nowhere else: where one is found, it has leaked. */
const tokens = {
  config: "canary-token-by-config",
  env: "canary-token-by-env",
  argument: "canary-token-by-argument",
};
const existing = { first: "sk_canary_taken_over_first_value", second: 'sk_canary_"second"/<value>&' };
/** The value for a set's key, because each value belongs to one key. */
const inSet = (value: string) => `${value}_in_a_set`;

const program = (step: string, existingKey: string, more = "") => `
  import * as pulumi from "@pulumi/pulumi";
  import * as apikeys from "pulumi-apikeys";
  const workspaceId = "ws_config";
  const customerId = "customer";
  const byEnv = new apikeys.Provider("byEnv", { accessTokenEnv: "APIKEYS_CANARY_ENV" });
  const accessToken = process.env["APIKEYS_CANARY_ARGUMENT"];
  const byArgument = new apikeys.Provider("byArgument", { accessToken });
  // A transform that removes the options which the package adds.
  const transforms = [({ props }: pulumi.ResourceTransformArgs) => ({ props, opts: {} })];
  const made = ["a", "b", "c", "d", "e", "f", "g"].map((name) =>
    new apikeys.ApiKey(name, { workspaceId, customerId, name: name + " ${step}" }, name === "g" ? { transforms } : {}));
  const ofEnv = new apikeys.ApiKey("ofEnv", { workspaceId: "ws_env", customerId, name: "${step}" }, { provider: byEnv });
  const ofArgument = new apikeys.ApiKey("ofArgument", {
    workspaceId: "ws_argument", customerId, name: "${step}", keepers: { step: "${step}" },
  }, { provider: byArgument });
  const takenOver = new apikeys.ApiKey("takenOver", {
    workspaceId, customerId, name: "taken over ${step}", existingKey: process.env["${existingKey}"],
  });
  new apikeys.WorkspaceSettings("settings", { workspaceId, defaultKeyPrefix: "${step}", onDestroy: "restore" });
  new apikeys.Scope("orders", { workspaceId, name: "Orders", representation: "orders" });
  new apikeys.CustomerBilling("credits", { workspaceId, totalCredits: "100", grant: "${step}" });
  const set = new apikeys.ApiKeySet("set", {
    workspaceId,
    defaults: { customerId, name: "in a set, ${step}" },
    keys: {
      one: {}, two: { keepers: { step: "${step}" } }, three: { customerId: "another" },
      takenOver: { existingKey: process.env["${existingKey}"] + "_in_a_set" },
    },
  });
  ${more}
  export const { secrets: secretsOfSet, keys: keysOfSet } = set;
  export const secrets = [...[...made, ofEnv, ofArgument, takenOver].map(({ key }) => key), set.key("two")];
  export const given = takenOver.existingKey;
`;

let fixture: Fixture;
const go = (command: string, ...args: string[]) =>
  fixture.stack.run([command, "--yes", "--skip-preview", "--continue-on-error", ...args]);
const injectAll = (endpoint: Endpoint, ...faults: readonly Fault[]) => {
  for (const fault of faults) fixture.service.inject({ endpoint, fault });
};
/** As `injectAll`, only in requests for the key of this value: no provider can hide a value from other keys' answers. */
const injectFor = (value: string, endpoint: Endpoint, ...faults: readonly Fault[]) => {
  const id = fixture.service.keys().find(({ key }) => key === value)?.id;
  const when = ({ path, body }: { readonly path: string; readonly body: unknown }) =>
    (body as { key?: unknown } | undefined)?.key === value || path.split("/").at(-1) === id;
  for (const fault of faults) fixture.service.inject({ endpoint, when, fault });
};
/** Has the service's errors repeat the request, with its token and body. */
const speak = (errorBody: Variant["errorBody"]) =>
  fixture.service.setVariant({ errorEchoes: "request", errorBody, delete: "marks" });
const tooMuch = (text: string): Fault => ({
  kind: "status",
  status: 403,
  body: { message: `refused: ${text}`, error: { authorization: text } },
});
const page: Fault = { kind: "status", status: 200, body: "<!doctype html>" };
const failing = (outcome: Outcome) => expect(outcome.ok, outcome.output).toBe(false);
const working = (outcome: Outcome) => expect(outcome.ok, outcome.output).toBe(true);

it("R16 no secret of the service is in any output, file or command line, whatever fails", async () => {
  fixture = await createFixture("canary", {
    program: program("first", "APIKEYS_CANARY_FIRST"),
    tenants: Object.entries(tokens).map(([name, accessToken]) => ({
      name,
      accessToken,
      workspaces: [{ id: `ws_${name}`, defaultKeyPrefix: "before" }],
    })),
    config: () => ({ "apikeys:accessToken": { value: tokens.config, secret: true } }),
    env: ({ url }) => ({
      APIKEYS_BASE_URL: url,
      APIKEYS_DEBUG: "1",
      APIKEYS_CANARY_ENV: tokens.env,
      APIKEYS_CANARY_ARGUMENT: tokens.argument,
      APIKEYS_CANARY_FIRST: existing.first,
      APIKEYS_CANARY_SECOND: existing.second,
    }),
  });
  // Only now, because Automation API passes the stack's config to the CLI as arguments.
  const watch = watchArguments();
  onTestFinished(() => {
    watch.stop();
  });

  // Creates that are refused, or whose answers are lost, truncated or garbled.
  speak("problem");
  const lost: readonly Fault[] = [
    { kind: "errorAfter" },
    { kind: "resetAfter" },
    { kind: "truncated" },
    { kind: "garbled" },
    { kind: "withoutKey" },
    { kind: "otherRecord" },
  ];
  injectAll("createApiKey", ...lost, tooMuch(tokens.config));
  for (const value of [existing.first, inSet(existing.first)]) {
    injectFor(value, "migrateApiKey", tooMuch(value), { kind: "garbled" });
  }
  injectAll("createBilling", { kind: "truncated" });
  injectAll("createScope", { kind: "status", status: 400, body: tokens.config });
  injectAll("editWorkspace", tooMuch(tokens.config));
  for (const [place, body] of (["text", "list", "nested"] as const).entries()) {
    const up = await go("up", ...(place === 0 ? ["--debug"] : []));
    failing(up);
    speak(body);
    fixture.service.rotateToken("env", `canary-token-by-env-${place}`);
    if (place === 1) fixture.stack.setEnv("APIKEYS_CANARY_ENV", `canary-token-by-env-${place}`);
  }
  fixture.stack.setEnv("APIKEYS_CANARY_ENV", "canary-token-by-env-2");
  const met = fixture.service.requests.map(({ endpoint, fault }) => `${endpoint} ${fault}`);
  for (const { kind } of lost) expect(met).toContain(`createApiKey ${kind}`);
  fixture.service.clearFaults();
  // The answers to the migrations were lost, so the service has their values already.
  fixture.service.setVariant({ duplicateKey: "returned" });
  // The answer to the grant was lost, so this program grants again.
  await fixture.declare(program("second", "APIKEYS_CANARY_FIRST"));
  working(await go("up"));

  // Commands that show state, failing updates, and a replaced existingKey.
  await fixture.declare(program("third", "APIKEYS_CANARY_SECOND"));
  working(await fixture.stack.run(["preview", "--diff"]));
  working(await fixture.stack.run(["preview", "--diff", "--refresh", "--debug", "--show-replacement-steps"]));
  injectAll("editApiKey", { kind: "errorAfter" }, tooMuch(tokens.config), { kind: "garbled" }, page);
  for (const value of [existing.second, inSet(existing.second)]) {
    injectFor(value, "migrateApiKey", tooMuch(value), { kind: "errorAfter" });
  }
  const ofArgument = ({ path }: { readonly path: string }) => path.includes("ws_argument");
  fixture.service.inject({ endpoint: "deleteApiKey", when: ofArgument, fault: tooMuch(tokens.argument) });
  const ofConfig = ({ path }: { readonly path: string }) => path.includes("ws_config");
  fixture.service.inject({ endpoint: "deleteApiKey", when: ofConfig, fault: tooMuch(tokens.config) });
  failing(await go("up", "--diff"));
  fixture.service.clearFaults();
  for (const line of [
    "stack output",
    "stack output --json",
    "stack export",
    "stack --show-ids",
    "config",
    "stack history",
  ])
    working(await fixture.stack.run(line.split(" ")));

  // A host that dies during a create.
  await fixture.declare(program("fourth", "APIKEYS_CANARY_SECOND"));
  for (const signal of ["SIGABRT", "SIGSEGV"] as const) {
    fixture.service.clearRequests();
    fixture.service.inject({
      endpoint: "createApiKey",
      times: Infinity,
      fault: { kind: "hang", carriedOut: true },
    });
    let cli = 0;
    const running = fixture.stack.up({ onStart: (pid) => (cli = pid), args: ["--skip-preview", "--debug"] });
    const begun = () => fixture.service.requests.some(({ endpoint }) => endpoint === "createApiKey");
    await expect.poll(begun, { timeout: 60_000 }).toBe(true);
    const hosts = descendants(cli).filter(({ args }) => args.includes("dynamic-provider"));
    expect(hosts.length).toBeGreaterThan(0);
    for (const { pid } of hosts) process.kill(pid, signal);
    failing(await running);
    fixture.service.clearFaults();
  }

  // A failing refresh, a failing destroy, and all command lines.
  injectAll("readApiKey", tooMuch(tokens.config), page, { kind: "garbled" });
  failing(await fixture.stack.refresh());
  fixture.service.clearFaults();
  for (const value of [existing.second, inSet(existing.second)]) {
    injectFor(value, "deleteApiKey", tooMuch(value));
  }
  injectAll("deleteApiKey", { kind: "errorAfter" }, { kind: "garbled" });
  injectAll("editWorkspace", tooMuch(tokens.config));
  failing(await go("destroy"));
  fixture.service.clearFaults();
  working(await fixture.stack.refresh({ clearPendingCreates: true }));
  working(await fixture.stack.destroy());
  const lines = watch.stop();
  expect(lines.some((line) => line.includes("dynamic-provider"))).toBe(true);
  expect(found(new Map(lines.map((line) => [line, line])), fixture.service.secrets())).toEqual([]);

  // The searched output is long, and the service saw every secret that was searched for.
  const secrets = fixture.service.secrets();
  const given = Object.values(existing).flatMap((value) => [value, inSet(value)]);
  expect(secrets).toEqual(expect.arrayContaining([...Object.values(tokens), ...given]));
  expect(secrets.filter((secret) => secret.startsWith("sk_")).length).toBeGreaterThan(10);
  expect(fixture.printed.join("").length).toBeGreaterThan(50_000);
});
