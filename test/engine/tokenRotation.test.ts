import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dialect } from "../../standin";
import { someOf } from "../all";
import { expectUnsaid, onlyLine } from "./expectations";
import type { Outcome } from "./outcome";
import { type Scene, type SceneOptions, setScene } from "./scene";

const program = (provider: string) => `
  import { ApiKey, Provider } from "pulumi-apikeys";
  ${provider}
  const held = new ApiKey("held", { workspaceId: "ws_main", customerId: "customer" }, { provider });
  export const secret = held.key;
`;

/** A source of tokens that is read as of the last update. */
interface Source extends SceneOptions {
  readonly source: string;
  /** Strings that the error must contain: where the token came from, and the two ways out. */
  readonly says: readonly string[];
  put(scene: Scene, token: string): Promise<void>;
}

const asOfTheLastUpdate: readonly Source[] = [
  {
    source: "stack config",
    program: program("const provider = undefined;"),
    env: () => ({}),
    config: ({ url, accessToken }) => ({
      "apikeys:baseUrl": url,
      "apikeys:accessToken": { value: accessToken, secret: true },
    }),
    put: ({ stack }, value) => stack.setConfig("apikeys:accessToken", { value, secret: true }),
    says: ["stack config apikeys:accessToken", "--run-program", "APIKEYS_ACCESS_TOKEN"],
  },
  {
    source: "a Provider's argument",
    program: program(`const provider = new Provider("acme", { accessToken: "standin-access-token" });`),
    env: ({ url }) => ({ APIKEYS_BASE_URL: url }),
    put: ({ declare }, value) =>
      declare(program(`const provider = new Provider("acme", { accessToken: "${value}" });`)),
    says: ["the Provider's argument accessToken", "--run-program", "accessTokenEnv"],
  },
];

/** Ways in which a service answers 401, each with an echo of the request. */
const refusals: readonly Partial<Dialect>[] = [
  { errorEchoes: "request", errorBody: "problem" },
  { errorEchoes: "request", errorBody: "text" },
  { errorEchoes: "request", errorBody: "list" },
];

describe.each(someOf(asOfTheLastUpdate, ({ source }) => source === "stack config"))(
  "R14 a token that was rotated in $source since the last update",
  ({ put, says, ...options }) => {
    let scene: Scene;
    const tokens: string[] = [];
    const rotate = async () => {
      const token = `rotated-token-${tokens.length}`;
      const dialect = refusals[tokens.length - 1];
      if (dialect !== undefined) scene.service.setDialect(dialect);
      tokens.push(token);
      scene.service.rotateToken("acme", token);
      await put(scene, token);
    };
    const expectAdvice = (outcome: Outcome) => {
      const line = onlyLine(outcome, "held");
      expect(line).toContain("the service answered 401");
      for (const part of says) expect(line).toContain(part);
    };

    beforeAll(async () => {
      scene = await setScene("rotation", options);
      tokens.push(scene.service.accessToken);
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(true);
    });
    afterAll(() => scene?.close());

    it("fails refresh, and works in refresh with --run-program", async () => {
      await rotate();
      expectAdvice(await scene.stack.refresh());
      const refresh = await scene.stack.refresh({ runProgram: true });
      expect(refresh.ok, refresh.output).toBe(true);
    });

    it("fails `up --refresh`, and works in it with --run-program", async () => {
      await rotate();
      expectAdvice(await scene.stack.up({ refresh: true }));
      const up = await scene.stack.up({ refresh: true, runProgram: true });
      expect(up.ok, up.output).toBe(true);
    });

    it("fails destroy, and works in destroy with --run-program", async () => {
      await rotate();
      expectAdvice(await scene.stack.destroy());
      expect(scene.service.keys()).toHaveLength(1);
      const secrets = [...tokens, ...scene.service.keys().map(({ key }) => key)];
      const destroy = await scene.stack.destroy({ runProgram: true });
      expect(destroy.ok, destroy.output).toBe(true);
      expect(scene.service.keys()).toEqual([]);
      await expectUnsaid(scene, secrets);
    });
  },
);

describe("R14 a token that was rotated in the environment", () => {
  let scene: Scene;
  let rotations = 0;
  const rotate = () => {
    rotations += 1;
    for (const [tenant, variable] of [
      ["acme", "APIKEYS_ACCESS_TOKEN"],
      ["globex", "GLOBEX_TOKEN"],
    ] as const) {
      scene.service.rotateToken(tenant, `${tenant}-token-${rotations}`);
      scene.stack.setEnv(variable, `${tenant}-token-${rotations}`);
    }
  };

  beforeAll(async () => {
    scene = await setScene("rotation", {
      program: `
        import { ApiKey, Provider } from "pulumi-apikeys";
        const provider = new Provider("globex", { accessTokenEnv: "GLOBEX_TOKEN" });
        new ApiKey("ofTheVariable", { workspaceId: "ws_acme", customerId: "customer" });
        new ApiKey("ofAccessTokenEnv", { workspaceId: "ws_globex", customerId: "customer" }, { provider });
      `,
      tenants: [
        { name: "acme", accessToken: "acme-token-0", workspaces: [{ id: "ws_acme" }] },
        { name: "globex", accessToken: "globex-token-0", workspaces: [{ id: "ws_globex" }] },
      ],
      env: ({ url }) => ({
        APIKEYS_BASE_URL: url,
        APIKEYS_ACCESS_TOKEN: "acme-token-0",
        GLOBEX_TOKEN: "globex-token-0",
      }),
    });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  it("works in refresh, from APIKEYS_ACCESS_TOKEN and from a Provider's accessTokenEnv", async () => {
    rotate();
    const refresh = await scene.stack.refresh({ expectNoChanges: true });
    expect(refresh.ok, refresh.output).toBe(true);
  });

  it("works in `up --refresh`", async () => {
    rotate();
    const up = await scene.stack.up({ refresh: true, expectNoChanges: true });
    expect(up.ok, up.output).toBe(true);
  });

  it("works in destroy", async () => {
    rotate();
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys()).toEqual([]);
  });
});
