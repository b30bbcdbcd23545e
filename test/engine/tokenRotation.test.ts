import { expect, it } from "vitest";
import type { Outcome } from "../../tools/engine/stack";
import { errorsFor, expectUnsaid } from "./expectations";
import { createFixture } from "./fixture";

const tokens = (turn: number) => ({ config: `config-token-${turn}`, variable: `variable-token-${turn}` });
const program = `
  import { ApiKey, Provider } from "pulumi-apikeys";
  const provider = new Provider("byVariable", { accessTokenEnv: "TOKEN_OF_VARIABLE" });
  new ApiKey("ofConfig", { workspaceId: "ws_config", customerId: "customer" });
  new ApiKey("ofVariable", { workspaceId: "ws_variable", customerId: "customer" }, { provider });
`;

it("R14 a rotated token of stack config fails refresh, `up --refresh` and destroy, which say so, and work with --run-program", async () => {
  const fixture = await createFixture("rotation", {
    program,
    variant: { errorEchoes: "request" },
    tenants: (["config", "variable"] as const).map((name) => ({
      ...{ name, accessToken: tokens(0)[name], workspaces: [{ id: `ws_${name}` }] },
    })),
    env: ({ url }) => ({ APIKEYS_BASE_URL: url, TOKEN_OF_VARIABLE: tokens(0).variable }),
    config: () => ({ "apikeys:accessToken": { value: tokens(0).config, secret: true } }),
  });
  const { service, stack } = fixture;
  const done = async (command: Promise<Outcome>) => {
    const { ok, output } = await command;
    expect(ok, output).toBe(true);
  };
  /** Only the token of stack config is that of the last update, and the error has both ways out. */
  const expectAdvice = async (command: Promise<Outcome>) => {
    const outcome = await command;
    const said = errorsFor(outcome, "ofConfig").join("\n");
    for (const part of ["answered 401", "config apikeys:accessToken. Set a valid one", "--run-program"])
      expect(said).toContain(part);
    expect(errorsFor(outcome, "ofVariable")).toEqual([]);
  };
  let turn = 0;
  const rotate = async () => {
    turn += 1;
    const { config, variable } = tokens(turn);
    service.rotateToken("config", config);
    service.rotateToken("variable", variable);
    await stack.setConfig("apikeys:accessToken", { value: config, secret: true });
    stack.setEnv("TOKEN_OF_VARIABLE", variable);
  };

  await done(stack.up());
  await rotate();
  await expectAdvice(stack.refresh());
  await done(stack.refresh({ runProgram: true }));
  await rotate();
  await expectAdvice(stack.up({ refresh: true }));
  await done(stack.up({ refresh: true, runProgram: true }));
  await rotate();
  await expectAdvice(stack.destroy({ args: ["--continue-on-error"] }));
  expect(service.keys().map(({ name }) => name)).toEqual(["ofConfig"]);
  await done(stack.destroy({ runProgram: true }));
  expect(service.keys()).toEqual([]);
  const all = [...Array(turn + 1).keys()].flatMap((one) => Object.values(tokens(one)));
  await expectUnsaid(fixture, all);
});
