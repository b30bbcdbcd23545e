import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Host } from "../../tools/engine/project";
import { someOf } from "../all";
import { itInAll } from "../inAll";
import { errorsFor, onlyLine } from "./expectations";
import { hurried, type Scene, setScene } from "./scene";

const program = (more = "") => `import { ApiKey, Provider, Scope, WorkspaceSettings } from "pulumi-apikeys";
const workspaceId = "ws_main";
const provider = new Provider("far", { accessToken: "token-far" });
const key = ApiKey.get("key", "key_theirs", { workspaceId });
const scope = Scope.get("scope", "orders", { workspaceId });
const settings = WorkspaceSettings.get("settings", workspaceId);
const far = Scope.get("far", "sc_far", { workspaceId: "ws_far" }, { provider });
const made = new WorkspaceSettings("made", { workspaceId: "ws_second", defaultExpiration: 60 });
const late = Scope.get("late", "late", { workspaceId: made.id });
export const kinds = [ApiKey.isInstance(key), Scope.isInstance(scope), WorkspaceSettings.isInstance(settings)];
export const { name, enabled, scopes, customerId, maskedKey } = key;
export const { representation, description } = scope;
export const { defaultRateLimitPerSecond, defaultKeyPrefix, onDestroy } = settings;
export const whole = [key, scope, settings];
export const [farId, lateName] = [far.id, late.name];
${more}`;

const hosts = someOf<Host>(["dynamic", "plugin"], (host) => host === "dynamic");

describe.each(hosts)("a resource that get reads, in the %s host", (host) => {
  let scene: Scene;
  const written = () => scene.service.requests.filter(({ method }) => method !== "GET");
  const outputs = async () =>
    Object.fromEntries(Object.entries(await scene.stack.outputs()).map(([name, { value }]) => [name, value]));

  beforeAll(async () => {
    scene = await setScene(`get-${host}`, {
      env: hurried,
      host,
      program: program(),
      tenants: [
        { accessToken: "token-ours", workspaces: [{ id: "ws_main" }, { id: "ws_second" }] },
        { accessToken: "token-far", workspaces: [{ id: "ws_far" }] },
      ],
    });
    const { service } = scene;
    const orders = { representation: "orders", read: true };
    service.addKey({ workspaceId: "ws_main", id: "key_theirs", name: "theirs", scopes: [orders] });
    service.addScope({ workspaceId: "ws_main", representation: "orders", description: "of shops" });
    service.addScope({ workspaceId: "ws_far", representation: "far", id: "sc_far" });
    service.addScope({ workspaceId: "ws_second", representation: "late" });
    service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 7 });
  });
  afterAll(() => scene?.close());

  it("R19 is read in a preview too, once its id and workspace are known", async () => {
    const preview = await scene.stack.preview();
    expect(preview.ok, preview.output).toBe(true);
    expect(preview.changes).toEqual({ create: 3 });
    const paths = scene.service.requests.map(({ path }) => path);
    expect(paths.filter((path) => path.includes("ws_second"))).toEqual([]);
    expect(paths).toHaveLength(4);
  });

  it("R19 has the service's values, without secrets", async () => {
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(await outputs()).toEqual({
      kinds: [true, true, true],
      whole: [{ id: "key_theirs" }, { id: "orders" }, { id: "ws_main" }].map((one) =>
        expect.objectContaining(one),
      ),
      ...{ name: "theirs", enabled: true, customerId: "cust_elsewhere" },
      scopes: [{ representation: "orders", read: true }],
      maskedKey: scene.service.key("key_theirs")?.maskedKey,
      ...{ representation: "orders", description: "of shops" },
      ...{ defaultRateLimitPerSecond: 7, onDestroy: "retain" },
      ...{ farId: "sc_far", lateName: "late" },
    });
    expect(JSON.stringify(await scene.stack.exportState({ showSecrets: true }))).not.toContain(
      scene.service.key("key_theirs")?.key,
    );
  });

  it("R19 follows changes made outside Pulumi, in a refresh and in the next update", async () => {
    const quiet = await scene.stack.previewRefresh({ expectNoChanges: true });
    expect(quiet.ok, quiet.output).toBe(true);
    scene.service.editKey("key_theirs", { name: "renamed" });
    scene.service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 8 });
    const refresh = await scene.stack.refresh({ runProgram: false });
    expect(refresh.ok, refresh.output).toBe(true);
    expect(refresh.changes).toMatchObject({ update: 2 });
    scene.service.editKey("key_theirs", { enabled: false });
    // This setting had no value before.
    scene.service.editWorkspace("ws_main", { defaultKeyPrefix: "sk" });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    const now = { name: "renamed", enabled: false, defaultRateLimitPerSecond: 8, defaultKeyPrefix: "sk" };
    expect(await outputs()).toMatchObject(now);
  });

  // One at a time: the program ends with the first error.
  const missing = [
    [
      `ApiKey.get("none", "key_nobody", { workspaceId });`,
      "There is no ApiKey key_nobody in workspace ws_main",
    ],
    [`Scope.get("none", "other", { workspaceId });`, "There is no Scope other in workspace ws_main"],
    [`WorkspaceSettings.get("none", "ws_nobody");`, "Reading the defaults of workspace ws_nobody"],
  ] as const;
  it.each(someOf(missing, ([more]) => more.startsWith("ApiKey")))(
    "R19 fails if it does not exist, and the error names it: %s",
    async (more, words) => {
      await scene.declare(program(more));
      expect(onlyLine(await scene.stack.preview(), "none")).toContain(words);
      await scene.declare(program());
    },
  );

  it("R19 stays in state if a refresh no longer finds it, which is an error", async () => {
    const [scope] = scene.service.scopes("ws_main");
    scene.service.deleteScope(scope?.id ?? "");
    const refresh = await scene.stack.refresh({ runProgram: false });
    expect(errorsFor(refresh, "scope").join()).toContain("There is no Scope");
    scene.service.addScope({ workspaceId: "ws_main", representation: "orders" });
  });

  it("R19 is left unchanged by destroy", async () => {
    scene.service.clearRequests();
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.key("key_theirs")).toMatchObject({ name: "renamed", deleted: false });
    expect(written()).toEqual([]);
  });

  itInAll(
    "R19 replaces a managed resource of the same name, which is then unmanaged and not deleted",
    async () => {
      const releasing = (declared: string) =>
        scene.declare(`import { ApiKey } from "pulumi-apikeys";\n${declared};\n`);
      await releasing(`new ApiKey("ours", { workspaceId: "ws_main", customerId: "cus_1" })`);
      expect((await scene.stack.up()).ok).toBe(true);
      const key = scene.service.keys().find(({ name }) => name === "ours");
      await releasing(`ApiKey.get("ours", "${key?.id}", { workspaceId: "ws_main" })`);
      expect((await scene.stack.preview({ expectNoChanges: true })).ok).toBe(true);
      scene.service.clearRequests();
      expect((await scene.stack.up()).ok).toBe(true);
      expect((await scene.stack.destroy()).ok).toBe(true);
      expect(written()).toEqual([]);
      expect(scene.service.key(key?.id ?? "")).toEqual(key);
    },
  );
});
