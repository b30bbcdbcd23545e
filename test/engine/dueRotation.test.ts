import { expect, it } from "vitest";
import { createFixture, credentials } from "./fixture";

const program = (keepers: string) => `
import { ApiKeySet, RotatingApiKey } from "pulumi-apikeys";
const key = { customerId: "customer", keepers: { of: "${keepers}" } };
new RotatingApiKey("rotating", { ...key, workspaceId: "ws_main", rotateEvery: "90d" });
new ApiKeySet("set", { workspaceId: "ws_main", keys: { a: key } });
`;
/** Lets the provider's process live in the future. */
const clock =
  "const real = Date.now; Date.now = () => real() + Number(process.env.SHIFT_DAYS ?? 0) * 86400000;";

it.each(["dynamic", "plugin"] as const)(
  "T1 R21 a rotation that is due is in the diff of the %s host, and an update with a saved plan does what that shows",
  async (host) => {
    const { declare, project, stack } = await createFixture(`due-${host}`, {
      host,
      program: program("one"),
      env: (service) => ({ ...credentials(service), PULUMI_EXPERIMENTAL: "true" }),
    });
    await project.write("clock.cjs", clock);
    stack.setEnv("NODE_OPTIONS", `--require ${project.dir}/clock.cjs`);
    const plan = "plan.json";
    for (const keepers of ["one", "two"]) {
      await declare(program(keepers));
      expect((await stack.preview({ plan })).ok).toBe(true);
      const up = await stack.up({ plan });
      expect(up.ok, up.output).toBe(true);
    }
    stack.setEnv("SHIFT_DAYS", "8");
    expect((await stack.preview({ diff: true })).stdout).toMatch(/\n +- previousGeneration: 1\n/);
    expect((await stack.up()).ok).toBe(true);
    await stack.preview({ plan });
    stack.setEnv("SHIFT_DAYS", "91");
    const late = await stack.up({ plan });
    expect(late.error).toMatch(/violates plan: .*generation/);
    const { stdout } = await stack.preview({ diff: true });
    expect(stdout).toMatch(/\n +~ generation *: 2 => 3\n(.*\n)*? +\+ previousGeneration: 2\n/);
  },
);
