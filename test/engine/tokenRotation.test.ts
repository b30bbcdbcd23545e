import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";
import { errorsFor, expectUnsaid } from "./expectations";
import { type Scene, setScene } from "./scene";

const tokens = (turn: number) => ({ config: `config-token-${turn}`, variable: `variable-token-${turn}` });
const program = `
  import { ApiKey, Provider } from "pulumi-apikeys";
  const provider = new Provider("byVariable", { accessTokenEnv: "TOKEN_OF_VARIABLE" });
  new ApiKey("ofConfig", { workspaceId: "ws_config", customerId: "customer" });
  new ApiKey("ofVariable", { workspaceId: "ws_variable", customerId: "customer" }, { provider });
`;

describe("R14 a token that was rotated since the last update", () => {
  let scene: Scene;
  let turn = 0;
  const rotate = async () => {
    turn += 1;
    const { config, variable } = tokens(turn);
    scene.service.rotateToken("config", config);
    scene.service.rotateToken("variable", variable);
    await scene.stack.setConfig("apikeys:accessToken", { value: config, secret: true });
    scene.stack.setEnv("TOKEN_OF_VARIABLE", variable);
  };
  /** Only the token of stack config is that of the last update, and the error has both ways out. */
  const expectAdvice = (outcome: Outcome) => {
    const said = errorsFor(outcome, "ofConfig").join("\n");
    for (const part of [
      "answered 401",
      "stack config apikeys:accessToken",
      "--run-program",
      "APIKEYS_ACCESS_TOKEN",
    ])
      expect(said).toContain(part);
    expect(errorsFor(outcome, "ofVariable")).toEqual([]);
  };

  beforeAll(async () => {
    scene = await setScene("rotation", {
      program,
      variant: { errorEchoes: "request" },
      tenants: (["config", "variable"] as const).map((name) => ({
        ...{ name, accessToken: tokens(0)[name], workspaces: [{ id: `ws_${name}` }] },
      })),
      env: ({ url }) => ({ APIKEYS_BASE_URL: url, TOKEN_OF_VARIABLE: tokens(0).variable }),
      config: () => ({ "apikeys:accessToken": { value: tokens(0).config, secret: true } }),
    });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  it("fails refresh if it is from stack config, and works in it with --run-program", async () => {
    await rotate();
    expectAdvice(await scene.stack.refresh());
    const refresh = await scene.stack.refresh({ runProgram: true });
    expect(refresh.ok, refresh.output).toBe(true);
  });

  it("fails `up --refresh` if it is from stack config, and works in it with --run-program", async () => {
    await rotate();
    expectAdvice(await scene.stack.up({ refresh: true }));
    const up = await scene.stack.up({ refresh: true, runProgram: true });
    expect(up.ok, up.output).toBe(true);
  });

  it("fails destroy if it is from stack config, and works in it with --run-program", async () => {
    await rotate();
    expectAdvice(await scene.stack.destroy({ args: ["--continue-on-error"] }));
    expect(scene.service.keys().map(({ name }) => name)).toEqual(["ofConfig"]);
    const destroy = await scene.stack.destroy({ runProgram: true });
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys()).toEqual([]);
    await expectUnsaid(
      scene,
      [...Array(turn + 1).keys()].flatMap((one) => Object.values(tokens(one))),
    );
  });
});
