import { afterEach, describe, expect, it } from "vitest";
import type { Host } from "../../tools/engine/project";
import { someOf } from "../all";
import { type Scene, setScene } from "./scene";

const program = (resource: string) => `
  import { ErrorHook } from "@pulumi/pulumi";
  import { ApiKey, ApiKeySet } from "pulumi-apikeys";
  let attempts = 0;
  const again = new ErrorHook("again", () => (attempts += 1) < 3);
  const hooks = { onError: [again] };
  const workspaceId = "ws_main";
  ${resource}
`;
const endless = (source: string) => source.replace("(attempts += 1) < 3", "true");
const single = program(`new ApiKey("ci", { workspaceId, customerId: "internal" }, { hooks });`);
const setOf = (...names: string[]) => {
  const keys = names.map((name) => `${name}: { customerId: "acme" }`).join(", ");
  return program(`new ApiKeySet("set", { workspaceId, keys: { ${keys} } }, { hooks });`);
};

describe.each(someOf<Host>(["dynamic", "plugin"], (host) => host === "plugin"))(
  "an onError hook that asks for another attempt, in the %s host",
  (host) => {
    let scene: Scene;
    afterEach(() => scene?.close());
    const posts = () => scene.service.requests.filter(({ method }) => method === "POST").length;

    /** Creates the set, and fails to add the key c to it. */
    const addKeys = async (source: string) => {
      expect((await scene.stack.up()).ok).toBe(true);
      await scene.declare(source);
      scene.service.inject({
        endpoint: "createApiKey",
        when: ({ body }) => (body as { name?: string }).name === "c",
        fault: { kind: "status", status: 400 },
      });
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(false);
      return up;
    };

    it("R4 doesn't repeat a create whose answer was lost", async () => {
      scene = await setScene("hooks", { program: single, host });
      scene.service.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(false);
      const [made] = scene.service.keys();
      expect(up.output).toContain(`New in the workspace's list: ${made?.id} `);
      expect(posts()).toBe(1);
      scene.service.deleteKey(made?.id ?? "");
      expect((await scene.stack.up()).ok).toBe(true);
      expect(posts()).toBe(2);
    });

    it("R4 doesn't repeat an update of a set that has created a key", async () => {
      scene = await setScene("hooks-of-a-set", { program: setOf("a"), host });
      await addKeys(setOf("a", "b", "c"));
      expect(posts()).toBe(3);
      expect((await scene.stack.up()).ok).toBe(true);
      expect(scene.service.keys().map(({ name }) => name)).toEqual(["a", "b", "c"]);
    });

    it("keeps all secrets in state even if the hook never ends", async () => {
      scene = await setScene("hooks-without-end", { program: endless(setOf("a")), host });
      const up = await addKeys(endless(setOf("a", "b", "c")));
      expect(up.output).toContain("(98/100)");
      expect(up.output).not.toContain("(99/100)");
      expect(posts()).toBe(3);
      await scene.declare(setOf("a", "b", "c"));
      expect((await scene.stack.up()).ok).toBe(true);
      expect(scene.service.keys().map(({ name }) => name)).toEqual(["a", "b", "c"]);
    });

    it("W5 doesn't forget the former value of a setting whose write was lost", async () => {
      const restoring = (more: string) =>
        program(
          `import { WorkspaceSettings } from "pulumi-apikeys";
          new WorkspaceSettings("main", { workspaceId, defaultKeyPrefix: "ci", onDestroy: "restore"${more} }, { hooks });`,
        );
      scene = await setScene("hooks-of-settings", { program: restoring(""), host });
      scene.service.editWorkspace("ws_main", { defaultKeyPrefix: "before", defaultRateLimitPerSecond: 7 });
      expect((await scene.stack.up()).ok).toBe(true);
      await scene.declare(restoring(", defaultRateLimitPerSecond: 50"));
      scene.service.inject({ endpoint: "editWorkspace", times: 4, fault: { kind: "resetAfter" } });
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(false);
      const destroy = await scene.stack.destroy();
      expect(destroy.ok, up.output + destroy.output).toBe(true);
      const [restored] = scene.service.workspaces().filter(({ id }) => id === "ws_main");
      expect(restored).toMatchObject({ defaultKeyPrefix: "before", defaultRateLimitPerSecond: 7 });
    });
  },
);
