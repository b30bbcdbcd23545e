import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectQuiet, expectSilentUp } from "./expectations";
import { type Scene, setScene } from "./scene";

const program = (enabled: boolean, entries: string, prefix: string) => `
  import { ApiKey, ApiKeySet, WorkspaceSettings } from "pulumi-apikeys";
  const workspaceId = "ws_main";
  new ApiKey("ci", { workspaceId, customerId: "internal", enabled: ${enabled} });
  new ApiKeySet("set", { workspaceId, defaults: { customerId: "acme" }, keys: { ${entries} } });
  new WorkspaceSettings("defaults", { workspaceId, defaultKeyPrefix: "${prefix}", onDestroy: "restore" });
`;

/** Each change or deletion is answered with 202 and the record from before, and applied half a second later. */
describe("a service that applies accepted writes later", () => {
  let scene: Scene;
  const up = async () => {
    const outcome = await scene.stack.up();
    expect(outcome.ok, outcome.output).toBe(true);
  };
  const key = (name: string) => scene.service.keys({ deleted: false }).find((one) => one.name === name);
  const prefix = () => scene.service.workspaces().find(({ id }) => id === "ws_main")?.defaultKeyPrefix;

  beforeAll(async () => {
    scene = await setScene("queued", { dialect: { writes: "queued" } });
    scene.service.editWorkspace("ws_main", { defaultKeyPrefix: "old" });
    await scene.declare(program(true, "a: {}, b: {}", "acme"));
    await up();
  });
  afterAll(() => scene?.close());

  it("R4 has the declared values when an update ends", async () => {
    await scene.declare(program(false, `a: { enabled: false }`, "bolt"));
    await up();
    expect([key("ci")?.enabled, key("a")?.enabled, key("b"), prefix()]).toEqual([
      false,
      false,
      undefined,
      "bolt",
    ]);
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("R5 has drift reverted after one update", async () => {
    for (const name of ["ci", "a"]) scene.service.editKey(key(name)?.id ?? "", { enabled: true });
    scene.service.editWorkspace("ws_main", { defaultKeyPrefix: "theirs" });
    const refreshed = await scene.stack.up({ refresh: true });
    expect(refreshed.ok, refreshed.output).toBe(true);
    expect([key("ci")?.enabled, key("a")?.enabled, prefix()]).toEqual([false, false, "bolt"]);
    await expectQuiet(scene);
  });

  it("R7 W5 has deleted and restored everything when destroy ends", async () => {
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys({ deleted: false })).toEqual([]);
    expect(prefix()).toBe("old");
  });
});
