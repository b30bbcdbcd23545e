import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type StandIn, startStandIn } from "../../standin";
import { type Host, startHost } from "./host";
import { failureOf, isWrite } from "./outcomes";

const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci", enabled: true, scopes: [] };

describe("the configuration of the dynamic host", () => {
  let standIn: StandIn;
  let hosts: Host[] = [];
  beforeAll(async () => {
    standIn = await startStandIn();
    standIn.addTenant({ name: "other", accessToken: "token-of-other", workspaces: [{ id: "ws_other" }] });
  });
  afterEach(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
    hosts = [];
    standIn.clearRequests();
  });
  afterAll(() => standIn.close());

  async function started(
    config: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>> = {},
  ) {
    const host = await startHost(env);
    hosts.push(host);
    await host.configure(config);
    return host;
  }
  const stack = () => ({ "apikeys:baseUrl": standIn.url, "apikeys:accessToken": standIn.accessToken });

  test("R8 each value missing from the dynamic host's config is a check failure, and an error of each operation", async () => {
    const host = await started({ "project:other": "value" });
    const key = host.resource("ApiKey");
    const { failures } = await key.check({ ...least, enabled: "bad" });
    expect(failures.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^the service's base URL is not configured: .*apikeys:baseUrl/),
      expect.stringMatching(/^the access token is not configured: .*apikeys:accessToken/),
      "enabled: must be true or false.",
    ]);
    const held = { id: "key_1", state: least };
    expect(await key.diff(held, least)).toEqual({ changes: "none", replaces: [] });
    for (const operation of [key.create(least), key.read(held), key.update(held, least), key.delete(held)]) {
      const failure = await failureOf(operation);
      expect(failure.message).toMatch(
        /^The service's base URL is not configured: .* The access token is not/,
      );
      expect(failure.kept).toBeUndefined();
    }
    expect(standIn.requests).toEqual([]);
  });

  test("calls sent together right after the dynamic host's start all get the configuration", async () => {
    const host = await startHost();
    hosts.push(host);
    const configured = host.configure(stack());
    const kinds = ["ApiKey", "Scope", "WorkspaceSettings", "CustomerBilling"].map((kind) =>
      host.resource(kind),
    );
    const key = host.resource("ApiKey");
    await configured;
    const [checks, made] = await Promise.all([
      Promise.all(Array.from({ length: 12 }, (_, n) => kinds[n % 4]?.check(least))),
      Promise.all(Array.from({ length: 12 }, (_, n) => key.create({ ...least, name: `key ${n}` }))),
    ]);
    for (const check of checks) expect(JSON.stringify(check?.failures)).not.toContain("configured");
    expect(new Set(made.map(({ id }) => id)).size).toBe(12);
    expect(standIn.keys().filter(({ name }) => name.startsWith("key "))).toHaveLength(12);
  });

  test("R14 stack config is enough without environment variables", async () => {
    const host = await started(stack());
    await host.resource("ApiKey").create(least);
    expect(standIn.requests.filter(isWrite)).toMatchObject([{ endpoint: "createApiKey", tenant: "acme" }]);
  });

  test("R14 the environment takes precedence over stack config", async () => {
    const host = await started(stack(), { APIKEYS_ACCESS_TOKEN: "token-of-other" });
    await host.resource("ApiKey").create({ ...least, workspaceId: "ws_other" });
    expect(standIn.requests.filter(isWrite)).toMatchObject([{ tenant: "other" }]);
  });

  test("R14 one warning says that the environment and stack config have different base URLs, not one per resource", async () => {
    const host = await started(
      { ...stack(), "apikeys:baseUrl": "https://b.test" },
      { APIKEYS_BASE_URL: standIn.url },
    );
    await Promise.all(["ApiKey", "Scope", "ApiKey"].map((kind) => host.resource(kind).check(least)));
    await host.resource("ApiKey").create(least);
    expect(host.output.stderr.split("\n").filter((line) => line.includes("b.test"))).toEqual([
      `warning: APIKEYS_BASE_URL (${standIn.url}) overrides stack config apikeys:baseUrl (https://b.test), which differs. Remove one of them.`,
    ]);
  });

  test("R14 an explicit Provider's arguments take precedence over the environment, field by field", async () => {
    const config = {
      ...stack(),
      "apikeys.provider:accessToken": "token-of-other",
      "apikeys:accessToken": "wrong",
    };
    const host = await started(config, { APIKEYS_ACCESS_TOKEN: standIn.accessToken });
    await host.resource("ApiKey").create({ ...least, workspaceId: "ws_other" });
    expect(standIn.requests.filter(isWrite)).toMatchObject([{ tenant: "other" }]);
  });

  test("R14 accessTokenEnv names the variable that has the token", async () => {
    const config = { ...stack(), "apikeys.provider:accessTokenEnv": "OTHERS_TOKEN" };
    const host = await started(config, { OTHERS_TOKEN: "token-of-other" });
    await host.resource("ApiKey").create({ ...least, workspaceId: "ws_other" });
    expect(standIn.requests.filter(isWrite)).toMatchObject([{ tenant: "other" }]);
  });

  test("R14 a 401 says where the token came from, and both ways out", async () => {
    const host = await started({ ...stack(), "apikeys:accessToken": "stale" });
    const failure = await failureOf(host.resource("ApiKey").create(least));
    expect(failure.message).toMatch(
      /answered 401.*Nothing was created\..*apikeys:accessToken`.*APIKEYS_ACCESS_TOKEN.*--run-program/,
    );
    expect(failure.message).not.toContain("stale");
  });
});
