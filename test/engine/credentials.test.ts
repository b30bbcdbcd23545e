import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StandIn, startStandIn, type TenantOptions } from "../../standin";
import { errorsFor, expectUnsaid, onlyLine } from "./expectations";
import { type Scene, setScene } from "./scene";

/** A tenant for each source of a token: the workspace of a key shows which token was used. */
const tenants: readonly TenantOptions[] = ["argument", "variable", "config"].map((place) => ({
  name: place,
  accessToken: `token-by-${place}`,
  workspaces: [{ id: `ws_${place}` }],
}));

/** A key that needs this tenant's token: any other token can't see the workspace. */
const key = (name: string, tenant: string, provider: string) => `
  new ApiKey("${name}", { workspaceId: "ws_${tenant}", customerId: "customer" }, { provider: ${provider} });`;

describe("the credentials of an ApiKey", () => {
  let elsewhere: StandIn;
  let scene: Scene;
  const declared: string[] = [];
  const add = (...keys: readonly string[]) => {
    declared.push(...keys);
    return scene.declare(`
      import { ApiKey, Provider } from "pulumi-apikeys";
      const bare = new Provider("bare");
      const withToken = new Provider("withToken", { accessToken: "token-by-argument" });
      const withUrl = new Provider("withUrl", { baseUrl: "${elsewhere.url}" });
      const withUrlOfConfig = new Provider("withUrlOfConfig", { baseUrl: "${scene.service.url}" });
      ${declared.join("")}
    `);
  };
  const landed = (service: StandIn) =>
    Object.fromEntries(service.keys().map(({ name, workspaceId }) => [name, workspaceId]));

  beforeAll(async () => {
    elsewhere = await startStandIn({ tenants });
    scene = await setScene("credentials", {
      tenants,
      env: () => ({}),
      config: ({ url }) => ({
        "apikeys:baseUrl": url,
        "apikeys:accessToken": { value: "token-by-config", secret: true },
      }),
    });
  });
  afterAll(() => Promise.all([scene?.close(), elsewhere?.close()]));

  it("R14 come from a Provider's arguments before stack config, field by field: two tenants in one program", async () => {
    await add(
      key("plain", "config", "undefined"),
      key("ofBareProvider", "config", "bare"),
      key("ofToken", "argument", "withToken"),
      key("ofUrl", "config", "withUrl"),
    );
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(landed(scene.service)).toEqual({
      plain: "ws_config",
      ofBareProvider: "ws_config",
      ofToken: "ws_argument",
    });
    expect(landed(elsewhere)).toEqual({ ofUrl: "ws_config" });
  });

  it("R14 come from the environment before stack config, and from a Provider's arguments before both", async () => {
    scene.stack.setEnv("APIKEYS_ACCESS_TOKEN", "token-by-variable");
    await add(
      key("plainToken", "variable", "undefined"),
      key("bareToken", "variable", "bare"),
      key("ofTokenBesideOne", "argument", "withToken"),
      key("ofUrlBesideToken", "variable", "withUrl"),
    );
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(landed(scene.service)).toMatchObject({
      plainToken: "ws_variable",
      bareToken: "ws_variable",
      ofTokenBesideOne: "ws_argument",
    });
    expect(landed(elsewhere)).toMatchObject({ ofUrlBesideToken: "ws_variable" });
  });

  it("R14 follow the same order for the base URL", async () => {
    scene.stack.setEnv("APIKEYS_BASE_URL", elsewhere.url);
    await add(
      key("plainUrl", "variable", "undefined"),
      key("bareUrl", "variable", "bare"),
      key("ofTokenBesideUrl", "argument", "withToken"),
      key("ofUrlBesideOne", "variable", "withUrlOfConfig"),
    );
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(landed(elsewhere)).toMatchObject({
      plainUrl: "ws_variable",
      bareUrl: "ws_variable",
      ofTokenBesideUrl: "ws_argument",
    });
    expect(landed(scene.service)).toMatchObject({ ofUrlBesideOne: "ws_variable" });
  });

  it("R14 get one warning, in previews too, if the environment and stack config have different base URLs", async () => {
    const keys = ["plain", "one", "two", "three"].map((name) => key(name, "variable", "undefined"));
    await scene.declare(`import { ApiKey } from "pulumi-apikeys";${keys.join("")}`);
    const preview = await scene.stack.preview();
    expect(preview.ok, preview.output).toBe(true);
    const lines = preview.diagnostics.flatMap(({ message }) => message.split("\n"));
    expect(lines.filter((line) => line.includes("APIKEYS_BASE_URL"))).toEqual([
      `warning: APIKEYS_BASE_URL (${elsewhere.url}) is used, but stack config apikeys:baseUrl (${scene.service.url}) differs. Unset one of them.`,
    ]);
  });

  it("R14 leave no token in state or in the output", () =>
    expectUnsaid(
      scene,
      tenants.map(({ accessToken }) => accessToken),
    ));

  it("R8 fail the preview if they are missing, and each failure says what to do", async () => {
    scene.stack.setEnv("APIKEYS_ACCESS_TOKEN", undefined);
    scene.stack.setEnv("APIKEYS_BASE_URL", undefined);
    await scene.stack.setConfig("apikeys:accessToken", undefined);
    await scene.stack.setConfig("apikeys:baseUrl", undefined);
    await scene.declare(`
      import { ApiKey } from "pulumi-apikeys";
      ${key("plain", "config", "undefined")}
    `);
    const preview = await scene.stack.preview();
    const [url, token] = errorsFor(preview, "plain");
    expect(url).toContain("run `pulumi config set apikeys:baseUrl https://…`");
    expect(url).toContain("APIKEYS_BASE_URL");
    expect(token).toContain("run `pulumi config set --secret apikeys:accessToken`");
    expect(token).toContain("APIKEYS_ACCESS_TOKEN");
  });

  it("R14 fail the preview if the variable that accessTokenEnv names is not set, and name it", async () => {
    await scene.declare(`
      import { ApiKey, Provider } from "pulumi-apikeys";
      const provider = new Provider("bare", { baseUrl: "https://localhost", accessTokenEnv: "TOKEN_OF_NOBODY" });
      ${key("ofBareProvider", "config", "provider")}
    `);
    expect(onlyLine(await scene.stack.preview(), "ofBareProvider")).toContain("TOKEN_OF_NOBODY");
  });
});
