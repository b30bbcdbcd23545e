import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { defaultTenants, type StandIn, startStandIn } from "../../standin";
import { failureOf, isWrite } from "./fixture";
import { type Host, secret, startHost, unmarked } from "./host";
import { type PluginHost, startPlugin } from "./plugin";

const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci", enabled: true, scopes: [] };

let standIn: StandIn;
beforeAll(async () => {
  const other = { name: "other", accessToken: "token-of-other", workspaces: [{ id: "ws_other" }] };
  standIn = await startStandIn({ tenants: [...defaultTenants, other] });
});
beforeEach(() => standIn.clearRequests());
afterAll(() => standIn.close());

const stack = () => ({ "apikeys:baseUrl": standIn.url, "apikeys:accessToken": standIn.accessToken });

async function started<H extends Host>(
  start: (env: Readonly<Record<string, string>>) => Promise<H>,
  env = {},
) {
  const host = await start(env);
  onTestFinished(async () => {
    const printed = await host.stop();
    for (const text of ["token-of-other", standIn.accessToken]) expect(printed).not.toContain(text);
  });
  return host;
}

/** Whose token a create was sent with. */
async function tenantOf(host: Host): Promise<string | undefined> {
  standIn.clearRequests();
  // The other tenant doesn't have that workspace, so its create fails.
  await host
    .resource("ApiKey")
    .create(least)
    .catch(() => {});
  return standIn.requests.find(isWrite)?.tenant;
}

describe.each<[string, (env: Readonly<Record<string, string>>) => Promise<Host>]>([
  ["the dynamic host", startHost],
  ["the plugin", startPlugin],
])("the configuration of %s", (name, start) => {
  test(`R8 each missing value of the configuration is a check failure in ${name}, and an error of each operation`, async () => {
    const host = await started(start);
    await host.configure({});
    const key = host.resource("ApiKey");
    const { failures } = await key.check({ ...least, enabled: "bad" });
    expect(failures).toEqual([
      {
        property: "",
        reason: expect.stringMatching(/^APIKEYS1002: The service's base URL is not configured\.\n/),
      },
      { property: "", reason: expect.stringMatching(/^APIKEYS1002: The access token is not configured\.\n/) },
      { property: "", reason: "APIKEYS1001: enabled: must be true or false." },
    ]);
    const held = { id: "key_1", state: { ...least, __service: "s" } };
    expect(await key.diff(held, least)).toEqual({ changes: "none", replaces: [] });
    const changed = { ...least, name: "other" };
    for (const operation of [
      () => key.create(least),
      () => key.read(held),
      () => key.update(held, changed),
      () => key.delete(held),
    ]) {
      const failure = await failureOf(operation());
      expect(failure.message).toMatch(/base URL is not configured\. .* access token is not/);
      expect(failure.kept).toBeUndefined();
    }
    expect(standIn.requests).toEqual([]);
  });

  test(`R14 the configuration of ${name} prefers arguments to the environment, and that to stack config`, async () => {
    const surrounded = await started(start, {
      ...{ APIKEYS_BASE_URL: standIn.url, APIKEYS_ACCESS_TOKEN: "token-of-other" },
    });
    await surrounded.configure({ ...stack(), "apikeys:baseUrl": "https://b.test" });
    expect(await tenantOf(surrounded)).toBe("other");
    await surrounded.resource("Scope").check(least);
    expect(surrounded.output.stderr.split("\n").filter((line) => line.includes("overrides"))).toEqual([
      "warning: APIKEYS_BASE_URL overrides stack config apikeys:baseUrl, which differs. Remove one of them.",
    ]);
    const [fromStack, fromArgument, fromVariable] = [
      await started(start),
      await started(start, { APIKEYS_ACCESS_TOKEN: standIn.accessToken }),
      await started(start, { OTHERS_TOKEN: "token-of-other" }),
    ];
    await fromStack.configure(stack());
    expect(await tenantOf(fromStack)).toBe("acme");
    const explicit = (config: Readonly<Record<string, string>>) => ({ ...stack(), ...config });
    await fromArgument.configure(explicit({ "apikeys.provider:accessToken": "token-of-other" }), "eu");
    expect(await tenantOf(fromArgument)).toBe("other");
    await fromVariable.configure(explicit({ "apikeys.provider:accessTokenEnv": "OTHERS_TOKEN" }), "eu");
    expect(await tenantOf(fromVariable)).toBe("other");
  });
});

test("calls sent together right after the dynamic host's start all get the configuration", async () => {
  const host = await started(startHost);
  const configured = host.configure(stack());
  const kinds = ["ApiKey", "Scope", "WorkspaceSettings"].map((kind) => host.resource(kind));
  await configured;
  const [checks, made] = await Promise.all([
    Promise.all(kinds.map((resource) => resource.check(least))),
    Promise.all([1, 2, 3].map((n) => host.resource("ApiKey").create({ ...least, name: `key ${n}` }))),
  ]);
  expect(JSON.stringify(checks)).not.toContain("configured");
  expect(new Set(made.map(({ id }) => id)).size).toBe(3);
});

describe("the plugin's own configuration", () => {
  let plugin: PluginHost;
  beforeAll(async () => {
    const env = { APIKEYS_BASE_URL: standIn.url, APIKEYS_ACCESS_TOKEN: "token-of-other" };
    plugin = await startPlugin(env);
  });
  afterAll(() => plugin.stop());

  test.each([
    ...["default", "default_0_1_0", "default_0_1_0_https_//example.com"].map((name) => [name, "other"]),
    ...["eu", "mine-default", "default_eu", "default_0_1"].map((name) => [name, "acme"]),
  ])("R14 a provider named %s is told by its name from an explicit one", async (name = "", tenant) => {
    // The engine passes stack config of a default provider, and the arguments of an explicit one, by the same names.
    await plugin.configure({ baseUrl: standIn.url, accessToken: standIn.accessToken }, name);
    expect(await tenantOf(plugin)).toBe(tenant);
  });

  test("R8 the plugin checks limits that a program gives as numbers", async () => {
    const limits = { maxAttempts: 3, concurrency: 0.5 } as object;
    await plugin.configure({ baseUrl: standIn.url, accessToken: standIn.accessToken, ...limits }, "eu");
    const { failures } = await plugin.resource("ApiKey").check(least);
    expect(failures).toEqual([
      {
        property: "",
        reason: expect.stringMatching(
          /^APIKEYS1002: The Provider's argument concurrency must be a whole number from 1 to 256\./,
        ),
      },
    ]);
  });

  test("R14 the arguments of a Provider that the program calls default go before the environment, unless stack config has the same", async () => {
    const args = { baseUrl: standIn.url, accessToken: standIn.accessToken };
    const tenantWith = async (config: object) => {
      const host = await started(startPlugin, {
        ...{ APIKEYS_BASE_URL: standIn.url, APIKEYS_ACCESS_TOKEN: "token-of-other" },
        // The engine passes it to every plugin.
        PULUMI_CONFIG: JSON.stringify(config),
      });
      const { inputs } = await host.checkConfig(args, "default");
      // Refresh and destroy pass what state has of them.
      await host.configure(unmarked(inputs) as Record<string, string>, "default");
      return tenantOf(host);
    };
    expect(await tenantWith({})).toBe("acme");
    expect(await tenantWith({ ...args, accessToken: "token-of-stack" })).toBe("acme");
    expect(await tenantWith({ ...args, host: "plugin" })).toBe("other");
  });

  test("the plugin uses the proxy that the environment names", async () => {
    const proxy = createServer().on("connect", (_request, socket) => socket.end("HTTP/1.1 403 No\r\n\r\n"));
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const host = await started(startPlugin, { HTTPS_PROXY: `http://127.0.0.1:${port}` });
    await host.configure({ ...stack(), "apikeys:baseUrl": "https://service.invalid" });
    const failure = await failureOf(host.resource("ApiKey").create(least));
    expect(failure.message).toContain("the proxy answered 403");
  });

  test("R16 the access token is secret even if the program didn't make it one, and unknown arguments pass", async () => {
    const others = { baseUrl: "https://a.test", unheardOf: "x" };
    const tokens = { accessToken: "t", "apikeys:accessToken": "u", "apikeys.provider:accessToken": "v" };
    const asSecrets = Object.fromEntries(Object.entries(tokens).map(([name, one]) => [name, secret(one)]));
    const checked = { inputs: { ...others, ...asSecrets }, failures: [] };
    expect(await plugin.checkConfig({ ...others, ...tokens })).toEqual(checked);
    expect(await plugin.checkConfig({ ...others, ...asSecrets })).toEqual(checked);
    expect(await plugin.checkConfig({})).toEqual({ inputs: {}, failures: [] });
  });

  // The engine compares secrets only after it has masked them, so it would not show that a token has changed.
  test("a changed configuration of the plugin replaces no resources, and says which arguments have changed", async () => {
    const token = "apikeys.provider:accessToken";
    const before = { baseUrl: "https://a.test", [token]: secret("t") };
    const unchanged = { changes: "none", replaces: [], details: {} };
    expect(await plugin.diffConfig(before, { ...before, [token]: "t" })).toEqual(unchanged);
    expect(await plugin.diffConfig(before, { baseUrl: "https://b.test", [token]: secret("u") })).toEqual({
      changes: "some",
      replaces: [],
      details: { [`["${token}"]`]: "update", baseUrl: "update" },
    });
  });
});
