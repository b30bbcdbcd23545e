import { expect, it } from "vitest";
import { createFixture } from "./fixture";

it("with the plugin, keys and scopes without a name get one from the pattern in stack config, and keep it", async () => {
  const { stack, service } = await createFixture("autonaming", {
    host: "plugin",
    program: `import { ApiKey, RotatingApiKey, Scope } from "pulumi-apikeys";
const base = { workspaceId: "ws_main", customerId: "cus_1" };
new ApiKey("ci", base);
new ApiKey("own", { ...base, name: "mine" });
new RotatingApiKey("rotating", { ...base, rotateEvery: "90d" });
new Scope("orders", { workspaceId: "ws_main", representation: "own:orders" });
`,
  });
  // An enforced pattern is a warning for a provider that doesn't support it.
  for (const [name, value] of Object.entries({ pattern: `\${name}-\${hex(4)}`, enforce: "true" })) {
    const set = await stack.run(["config", "set", "--path", `pulumi:autonaming.${name}`, value]);
    expect(set.ok, set.output).toBe(true);
  }
  const up = await stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(up.output).not.toContain("warning");
  const names = [...service.keys(), ...service.scopes("ws_main")].map(({ name }) => name);
  expect(names.toSorted()).toEqual([
    expect.stringMatching(/^ci-[\da-f]{4}$/),
    "mine",
    expect.stringMatching(/^orders-[\da-f]{4}$/),
    expect.stringMatching(/^rotating-[\da-f]{4}$/),
  ]);
  const again = await stack.preview();
  expect(again.changes, again.output).toEqual({ same: 5 });
});
