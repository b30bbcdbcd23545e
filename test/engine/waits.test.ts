import { expect, it } from "vitest";
import { expectSilentUp } from "./expectations";
import { createFixture, credentials } from "./fixture";

const rotating = (month: string) => `
import { RotatingApiKey } from "pulumi-apikeys";
new RotatingApiKey("ci", { workspaceId: "ws_main", customerId: "c", rotateEvery: "90d", keepers: { month: "${month}" } });
`;

it("T2 with the plugin, a change that is too early exits with code 10, leaves state as it was, and is shown with the way out", async () => {
  const fixture = await createFixture("early", { program: rotating("may"), host: "plugin" });
  const { declare, service, stack } = fixture;
  await stack.up();
  await declare(rotating("june"));
  await stack.up();
  const state = async () => (await stack.exportState({ showSecrets: true })).resources;
  const before = await state();
  await declare(rotating("july"));
  service.clearRequests();
  const { code, output } = await stack.up();
  expect(code, output).toBe(10);
  expect(output).toMatch(/APIKEYS3009: .*the change of keepers needs a new key.* Undo that change until/);
  expect(output).toContain("1 awaiting");
  expect(service.requests).toEqual([]);
  expect(await state()).toEqual(before);
  await declare(rotating("june"));
  await expectSilentUp(fixture);
});

it.each(["dynamic", "plugin"] as const)(
  "R12 a preview with a refused token warns of it, also if the answer comes after the program's end, in the %s host",
  async (host) => {
    const program = `import { ApiKey } from "pulumi-apikeys";
      for (const name of ["a", "b"]) new ApiKey(name, { workspaceId: "ws_main", customerId: "c" });`;
    const env = (service: Parameters<typeof credentials>[0]) => ({
      ...credentials(service),
      APIKEYS_ACCESS_TOKEN: "wrong",
    });
    const { service, stack } = await createFixture("token", { program, host, latencyMs: 300, env });
    const { ok, diagnostics, output } = await stack.preview();
    expect(ok, output).toBe(true);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(/Workspace ws_main can't be read .* 401 .* Set a valid one there/),
    ]);
    expect(service.requests.map(({ endpoint }) => endpoint)).toEqual(["readWorkspace"]);
  },
);
