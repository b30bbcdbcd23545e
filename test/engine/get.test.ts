import { expect, it } from "vitest";
import { isAll } from "../all";
import { quickTimers } from "../host/quickTimers";
import { errorsFor, onlyError } from "./expectations";
import { createFixture, credentials } from "./fixture";

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

it.each(isAll ? (["dynamic", "plugin"] as const) : (["dynamic"] as const))(
  "R19 K8 get reads a resource without its secret, follows the service, fails if it is missing, and destroy leaves it (%s host)",
  async (host) => {
    const fixture = await createFixture(`get-${host}`, {
      env: (service) => ({ ...credentials(service), ...quickTimers() }),
      host,
      program: program(),
      tenants: [
        { accessToken: "token-ours", workspaces: [{ id: "ws_main" }, { id: "ws_second" }] },
        { accessToken: "token-far", workspaces: [{ id: "ws_far" }] },
      ],
    });
    const { service, stack } = fixture;
    const orders = { representation: "orders", read: true };
    service.addKey({ workspaceId: "ws_main", id: "key_theirs", name: "theirs", scopes: [orders] });
    service.addScope({ workspaceId: "ws_main", representation: "orders", description: "of shops" });
    service.addScope({ workspaceId: "ws_far", representation: "far", id: "sc_far" });
    service.addScope({ workspaceId: "ws_second", representation: "late" });
    service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 7 });
    const outputs = async () =>
      Object.fromEntries(Object.entries(await stack.outputs()).map(([name, { value }]) => [name, value]));

    // A preview reads too, once id and workspace are known.
    const preview = await stack.preview();
    expect(preview.ok, preview.output).toBe(true);
    expect(preview.changes).toEqual({ create: 3 });
    const paths = service.requests.map(({ path }) => path);
    // By which the token is checked (R12).
    expect(paths.filter((path) => path.includes("ws_second"))).toEqual(["/api/v1/workspace/ws_second"]);
    expect(paths).toHaveLength(5);

    const up = await stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(await outputs()).toEqual({
      kinds: [true, true, true],
      // Newer versions of @pulumi/pulumi have the id that the read returned, older ones the one that the program gave.
      whole: ["key_theirs", service.scopes("ws_main")[0]?.id, "ws_main"].map((id) =>
        expect.objectContaining({ id }),
      ),
      ...{ name: "theirs", enabled: true, customerId: "cust_elsewhere" },
      scopes: [orders],
      maskedKey: service.key("key_theirs")?.maskedKey,
      ...{ representation: "orders", description: "of shops" },
      ...{ defaultRateLimitPerSecond: 7, onDestroy: "retain" },
      ...{ farId: "sc_far", lateName: "late" },
    });
    const state = JSON.stringify(await stack.exportState({ showSecrets: true }));
    expect(state).not.toContain(service.key("key_theirs")?.key);

    const quiet = await stack.previewRefresh({ expectNoChanges: true });
    expect(quiet.ok, quiet.output).toBe(true);
    service.editKey("key_theirs", { name: "renamed" });
    service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 8 });
    const refresh = await stack.refresh({ runProgram: false });
    expect(refresh.ok, refresh.output).toBe(true);
    expect(refresh.changes).toMatchObject({ update: 2 });
    service.editKey("key_theirs", { enabled: false });
    // This setting had no value before.
    service.editWorkspace("ws_main", { defaultKeyPrefix: "sk" });
    const next = await stack.up();
    expect(next.ok, next.output).toBe(true);
    const now = { name: "renamed", enabled: false, defaultRateLimitPerSecond: 8, defaultKeyPrefix: "sk" };
    expect(await outputs()).toMatchObject(now);

    await fixture.declare(program(`ApiKey.get("none", "key_nobody", { workspaceId });`));
    expect(onlyError(await stack.preview(), "none")).toContain(
      "There is no ApiKey key_nobody in workspace ws_main",
    );
    const [scope] = service.scopes("ws_main");
    service.deleteScope(scope?.id ?? "");
    const missed = await stack.refresh({ runProgram: false });
    expect(errorsFor(missed, "scope").join()).toContain("There is no Scope");

    // A key that was managed is no longer, and stays.
    await fixture.declare(program(`new ApiKey("ours", { workspaceId, customerId: "cus_1" });`));
    service.addScope({ workspaceId: "ws_main", representation: "orders" });
    expect((await stack.up()).ok).toBe(true);
    const id = service.keys().find(({ name }) => name === "ours")?.id ?? "";
    await fixture.declare(program(`ApiKey.get("ours", "${id}", { workspaceId });`));
    service.clearRequests();
    expect((await stack.up()).ok).toBe(true);
    const destroy = await stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(service.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    for (const one of [id, "key_theirs"]) expect(service.key(one)).toMatchObject({ deleted: false });
  },
);
