import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StandIn, startStandIn } from "../../standin";
import { errorsFor, expectQuiet } from "./expectations";
import { type Scene, setScene } from "./scene";

const declared = (more = "") => `
  import { ApiKey, ApiKeySet, Scope } from "pulumi-apikeys";
  const workspaceId = "ws_main";
  new Scope("orders", { workspaceId, name: "Orders", representation: "orders" });
  new ApiKeySet("set", { workspaceId, keys: { a: { customerId: "acme" }, b: { customerId: "bolt" } } });
  ${more}
`;
const key = `new ApiKey("ci", { workspaceId, customerId: "internal" });`;

describe("a stack whose base URL leads to another service than the one it was written to", () => {
  let scene: Scene;
  let other: StandIn;
  const reach = (url: string) => scene.stack.setEnv("APIKEYS_BASE_URL", url);
  const live = ({ keys }: StandIn) => keys({ deleted: false }).map(({ id }) => id);
  const elsewhere =
    /: .* can't be found at the base URL configured now \(http:\S+, from the environment variable APIKEYS_BASE_URL\)\. .* State is unchanged\..*APIKEYS_MOVED_FROM/;

  beforeAll(async () => {
    scene = await setScene("other-service", { program: declared(key) });
    // Like a copy for tests: the same workspace and token, but other keys.
    other = await startStandIn({
      tenants: [{ accessToken: scene.service.accessToken, workspaces: [{ id: "ws_main" }] }],
    });
    for (const service of [scene.service, other]) service.addKey({ workspaceId: "ws_main", name: "theirs" });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(async () => {
    await other?.close();
    await scene?.close();
  });

  it("R6 keeps every resource in state: a refresh fails, and says that each may exist at another base URL", async () => {
    const before = await scene.stack.exportState({ showSecrets: true });
    reach(other.url);
    const refresh = await scene.stack.refresh();
    for (const name of ["ci", "set", "orders"]) {
      expect(errorsFor(refresh, name).join("\n"), name).toMatch(elsewhere);
    }
    expect(
      (await scene.stack.exportState({ showSecrets: true })).resources?.map(({ id, outputs }) => ({
        id,
        outputs,
      })),
    ).toEqual(before.resources?.map(({ id, outputs }) => ({ id, outputs })));
    expect((await scene.stack.up({ refresh: true })).ok).toBe(false);
    expect(live(other)).toHaveLength(1);
  });

  it("R7 fails updates and destroy without a write to either service", async () => {
    await scene.declare(declared());
    expect(errorsFor(await scene.stack.up(), "ci").join("\n")).toMatch(elsewhere);
    await scene.declare(declared(key).replace(`b: { customerId: "bolt" }`, ""));
    expect(errorsFor(await scene.stack.up(), "set").join("\n")).toMatch(elsewhere);
    expect((await scene.stack.destroy()).ok).toBe(false);
    expect(other.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(live(scene.service)).toHaveLength(4);
  });

  it("shows no change with the first base URL again, nor with another base URL of the same service", async () => {
    await scene.declare(declared(key));
    reach(scene.service.url);
    // The destroy has removed the scope from state, which the service can't delete.
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    await expectQuiet(scene);
    reach(scene.service.url.replace("127.0.0.1", "localhost"));
    await expectQuiet(scene);
    const refresh = await scene.stack.refresh({ expectNoChanges: true });
    expect(refresh.ok, refresh.output).toBe(true);
    await expectQuiet(scene);
    expect(live(scene.service)).toHaveLength(4);
  });

  it("removes missing keys from state only if APIKEYS_MOVED_FROM names the former base URL", async () => {
    const [key] = scene.service.keys({ deleted: false }).filter(({ name }) => name === "ci");
    scene.service.deleteKey(key?.id ?? "");
    expect(errorsFor(await scene.stack.refresh(), "ci").join("\n")).toMatch(elsewhere);
    scene.stack.setEnv("APIKEYS_MOVED_FROM", scene.service.url);
    const refresh = await scene.stack.refresh();
    expect(refresh.ok, refresh.output).toBe(true);
    // From then on, state has the new base URL.
    scene.stack.setEnv("APIKEYS_MOVED_FROM", undefined);
    const up = await scene.stack.up({ refresh: true });
    expect(up.ok, up.output).toBe(true);
    expect(live(scene.service)).toHaveLength(4);
    for (const one of scene.service.keys({ deleted: false })) {
      if (one.name === "a") scene.service.deleteKey(one.id);
    }
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(live(scene.service)).toHaveLength(1);
  });
});
