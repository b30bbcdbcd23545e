import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { type Fixture, openPluginFixture } from "./fixture";
import { HostFailure } from "./host";
import { type PluginHost, startPlugin } from "./plugin";

const MiB = 1_024 * 1_024;
const least = { workspaceId: "ws_main", customerId: "cus_1" };

test("the plugin's messages to the engine never go through a proxy", async () => {
  const proxy = createServer(() => {}).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const asked: unknown[] = [];
  proxy.on("connection", (socket) => asked.push(socket.unref()));
  const env = { http_proxy: url, https_proxy: url, grpc_proxy: url, APIKEYS_ACCESS_TOKEN: "t" };
  const host = await startPlugin({ ...env, APIKEYS_BASE_URL: "https://api.test" });
  onTestFinished(() => void host.stop());
  const scope = { id: "scope_1", state: { workspaceId: "ws_main", name: "a", representation: "a" } };
  await host.resource("Scope").delete(scope);
  expect(host.logged).toMatchObject([{ severity: "warning" }]);
  expect(asked).toEqual([]);
  proxy.close();
});

let fixture: Fixture<PluginHost>;
beforeAll(async () => {
  fixture = await openPluginFixture({ latencyMs: 5 });
});
beforeEach(() => fixture.standIn.clearFaults());
afterAll(() => fixture.close());

test("calls to the plugin send each warning for their own resource and before they answer", async () => {
  const names = Array.from({ length: 20 }, (_, place) => `scope${place}`);
  await Promise.all(
    names.map(async (name) => {
      const resource = fixture.host.resource("Scope", name);
      const { inputs } = await resource.check({ workspaceId: "ws_main", name, representation: name });
      await resource.delete(await resource.create(inputs));
      const logged = fixture.host.logged.filter(({ urn }) => urn === resource.urn);
      expect(logged).toMatchObject([
        { severity: "warning", message: expect.stringMatching(`^Scope "${name}" in workspace .* stays`) },
      ]);
    }),
  );
  expect(fixture.host.logged).toHaveLength(names.length);
});

test("calls to the plugin may be larger than gRPC's default limit", async () => {
  const resource = fixture.host.resource("ApiKey", "large");
  const { inputs } = await resource.check({ ...least, keepers: { large: "x".repeat(5 * MiB) } });
  const held = await resource.create(inputs);
  expect(held.state["keepers"]).toEqual(inputs["keepers"]);
  expect((await resource.read(held)).properties).toEqual(held.state);
});

test("calls to the plugin that hit a bug say where it is without any values, and the next calls work", async () => {
  const script = `const clone = globalThis.structuredClone; let isBroken = true; globalThis.structuredClone = (value) => {
    if (!isBroken) return clone(value); isBroken = false; throw new RangeError(["sk", "secret"].join("_") + JSON.stringify(value)); };`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
  const broken = await openPluginFixture({ env });
  onTestFinished(async () => void (await broken.close()));
  const failure = await broken.host.invoke("getWorkspaces", {}).catch((error: unknown) => error);
  if (!(failure instanceof HostFailure)) throw new Error("the operation did not fail");
  expect(failure.message).toMatch(/This is a bug in pulumi-apikeys: RangeError at .*Please report it\.$/);
  expect(failure.message).not.toMatch(/sk_secret|ws_main/);
  expect(await broken.host.invoke("getWorkspaces", {})).toMatchObject({
    workspaces: [{ id: "ws_main" }, {}],
  });
});
