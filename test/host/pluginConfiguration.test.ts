import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type StandIn, startStandIn } from "../../standin";
import { secretMark } from "./host";
import { failureOf, isWrite } from "./outcomes";
import { type PluginHost, startPlugin } from "./plugin";

const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci", enabled: true, scopes: [] };
const secret = (value: string) => ({ [secretMark]: "1b47061264138c4ac30d75fd1eb44270", value });

describe("the configuration of the plugin", () => {
  let standIn: StandIn;
  let bare: PluginHost;
  let surrounded: PluginHost;
  beforeAll(async () => {
    standIn = await startStandIn();
    standIn.addTenant({ name: "other", accessToken: "token-of-other", workspaces: [{ id: "ws_other" }] });
    const env = { APIKEYS_BASE_URL: standIn.url, APIKEYS_ACCESS_TOKEN: "token-of-other" };
    [bare, surrounded] = await Promise.all([
      startPlugin({ OTHERS_TOKEN: "token-of-other" }),
      startPlugin(env),
    ]);
  });
  beforeEach(() => standIn.clearRequests());
  afterAll(async () => {
    const printed = await Promise.all([bare.stop(), surrounded.stop()]);
    for (const text of ["token-of-other", standIn.accessToken]) expect(printed.join()).not.toContain(text);
    await standIn.close();
  });

  const stack = () => ({ "apikeys:baseUrl": standIn.url, "apikeys:accessToken": standIn.accessToken });
  const given = (...names: string[]) =>
    Object.fromEntries(
      names.map((name) => [
        `apikeys.provider:${name}`,
        { baseUrl: standIn.url, accessToken: standIn.accessToken, accessTokenEnv: "OTHERS_TOKEN" }[name] ??
          "",
      ]),
    );
  /** Whose token a create was sent with. */
  async function tenantOf(host: PluginHost): Promise<string | undefined> {
    // The other tenant doesn't have that workspace, so its create fails.
    await host
      .resource("ApiKey")
      .create(least)
      .catch(() => {});
    return standIn.requests.find(isWrite)?.tenant;
  }

  test("the plugin uses the proxy that the environment names", async () => {
    const proxy = createServer().on("connect", (_request, socket) => socket.end("HTTP/1.1 403 No\r\n\r\n"));
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const host = await startPlugin({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    try {
      await host.configure({ ...stack(), "apikeys:baseUrl": "https://service.invalid" });
      const failure = await failureOf(host.resource("ApiKey").create(least));
      expect(failure.message).toContain("the proxy answered 403");
    } finally {
      await host.stop();
      proxy.close();
    }
  });

  test("R8 each missing value of the plugin's configuration is a check failure, and an error of each operation", async () => {
    await bare.configure({});
    const key = bare.resource("ApiKey");
    const { failures } = await key.check({ ...least, enabled: "bad" });
    expect(failures).toEqual([
      {
        property: "",
        reason: expect.stringMatching(/^the service's base URL is not configured: .* Node\.js programs only/),
      },
      {
        property: "",
        reason: expect.stringMatching(/^the access token is not configured: .* Node\.js programs only/),
      },
      { property: "", reason: "enabled: must be true or false." },
    ]);
    const held = { id: "key_1", state: least };
    const operations = [
      key.create(least),
      key.read(held),
      key.update(held, { ...least, enabled: false }),
      key.delete(held),
    ];
    for (const operation of [...operations, bare.invoke("getWorkspaces", {}), key.import("ws_main/key_1")])
      expect((await failureOf(operation)).message).toMatch(
        /base URL is not configured: .* access token is not/,
      );
    await expect(bare.list("ApiKey")).rejects.toThrow(/base URL is not configured/);
    expect((await key.preview(least))["customerId"]).toBe("cus_1");
    expect(standIn.requests).toEqual([]);
  });

  test.each(["default", "default_0_1_0", "default_0_1_0_https_//example.com"])(
    "R14 the environment takes precedence over stack config for the provider %s",
    async (name) => {
      await bare.configure({ ...stack(), "apikeys:host": "plugin" }, name);
      expect(await tenantOf(bare)).toBe("acme");
      standIn.clearRequests();
      await surrounded.configure(stack(), name);
      expect(await tenantOf(surrounded)).toBe("other");
    },
  );

  test.each(["eu", "mine-default", "defaults", "default_eu", "default-eu", "default_0_1"])(
    "R14 the arguments of the provider %s take precedence over the environment, and that over stack config",
    async (name) => {
      await surrounded.configure({ ...given("baseUrl", "accessToken") }, name);
      expect(await tenantOf(surrounded)).toBe("acme");
      standIn.clearRequests();
      // A Node.js program also passes stack config on.
      await surrounded.configure({ ...given("baseUrl"), ...stack() }, name);
      expect(await tenantOf(surrounded)).toBe("other");
      standIn.clearRequests();
      await bare.configure({ ...stack(), ...given("accessTokenEnv") }, name);
      expect(await tenantOf(bare)).toBe("other");
      standIn.clearRequests();
      await bare.configure(stack(), name);
      expect(await tenantOf(bare)).toBe("acme");
    },
  );

  test("R14 one warning of the plugin says that the environment and stack config have different base URLs", async () => {
    const different = { ...stack(), "apikeys:baseUrl": "https://b.test" };
    await surrounded.configure(different);
    await surrounded.configure(different);
    expect(surrounded.logged.filter(({ message }) => message.includes("b.test"))).toMatchObject([
      { severity: "warning", message: expect.stringMatching(/^APIKEYS_BASE_URL .* Remove one of them\.$/) },
    ]);
  });

  test("R14 a 401 in the plugin says where the token came from", async () => {
    await bare.configure({ ...stack(), "apikeys:accessToken": "stale" });
    const { message } = await failureOf(bare.resource("ApiKey").create(least));
    expect(message).toMatch(/answered 401.*stack config apikeys:accessToken/);
    expect(message).not.toContain("stale");
  });

  test("the access token is secret even if the program didn't make it one, and unknown arguments pass", async () => {
    const others = { baseUrl: "https://a.test", unheardOf: "x" };
    const tokens = { accessToken: "t", "apikeys:accessToken": "u", "apikeys.provider:accessToken": "v" };
    const asSecrets = Object.fromEntries(
      Object.entries(tokens).map(([name, token]) => [name, secret(token)]),
    );
    expect(await bare.checkConfig({ ...others, ...tokens })).toEqual({
      inputs: { ...others, ...asSecrets },
      failures: [],
    });
    expect((await bare.checkConfig({ accessToken: secret("t"), baseUrl: secret("b") })).inputs).toEqual({
      accessToken: secret("t"),
      baseUrl: secret("b"),
    });
    expect(await bare.checkConfig({})).toEqual({ inputs: {}, failures: [] });
  });

  // The engine compares secrets only after it has masked them, so it would not show that a token has changed.
  test("a changed configuration of the plugin replaces no resources, and says which arguments have changed", async () => {
    const token = "apikeys.provider:accessToken";
    const before = { baseUrl: "https://a.test", [token]: secret("t") };
    expect(await bare.diffConfig(before, { ...before, [token]: "t" })).toEqual({
      changes: "none",
      replaces: [],
      details: {},
    });
    expect(await bare.diffConfig(before, { baseUrl: "https://b.test", [token]: secret("u") })).toEqual({
      changes: "some",
      replaces: [],
      details: { [`["${token}"]`]: "update", baseUrl: "update" },
    });
  });
});
