import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Host } from "../../tools/engine/project";
import { someOf } from "../all";
import { errorsFor, expectQuiet } from "./expectations";
import { type Scene, setScene } from "./scene";

const program = (resources: string) => `
import { ApiKey, ApiKeySet, RotatingApiKey } from "pulumi-apikeys";

const base = { workspaceId: "ws_main", customerId: "customer", scopes: [] };
const set = (keys: object) => new ApiKeySet("set", { workspaceId: "ws_main", defaults: { customerId: "customer" }, keys });
${resources}
`;

describe.each(someOf<Host>(["dynamic", "plugin"], (host) => host === "plugin"))(
  "R17 in the %s host, a key has one owner:",
  (host) => {
    let scene: Scene;
    let id: string;
    const live = () => scene.service.keys({ deleted: false }).map((key) => key.id);
    const up = async (resources: string, args: readonly string[] = []) => {
      await scene.declare(program(resources));
      return scene.stack.up({ args: [...args] });
    };
    /** The names of the resources that have the key in state. */
    const holders = async () => {
      const { resources = [] } = await scene.stack.exportState();
      const held = resources.filter(({ outputs }) => JSON.stringify([outputs]).includes(`"${id}"`));
      return resources
        .filter((one) => one.id === id || held.includes(one))
        .map(({ urn }) => urn.split("::").at(-1));
    };
    beforeAll(async () => {
      scene = await setScene(`owner-${host}`, { host, program: program("") });
    });
    afterAll(() => scene?.close());

    it("a resource that adopts another's key fails the preview, which names the other", async () => {
      const first = await up(`new ApiKey("a", base);`);
      expect(first.ok, first.output).toBe(true);
      id = live()[0] ?? "";
      const both = `new ApiKey("a", base); new ApiKey("b", { ...base, name: "a", existingId: "${id}" });`;
      await scene.declare(program(both));
      const preview = await scene.stack.preview();
      expect(preview.ok).toBe(false);
      expect(preview.output).toMatch(/the resource [ab] has or adopts (the same key|it)|has or adopts too/);
    });

    it("a former owner keeps its key, and the secret, if the adoption fails", async () => {
      const moving = `new ApiKey("b", { ...base, customerId: "another", name: "a", existingId: "${id}" });`;
      const failed = await up(moving, ["--continue-on-error"]);
      expect([failed.ok, live(), await holders()]).toEqual([false, [id], ["a"]]);
    });

    it("a key that its resource releases stays, and another one adopts it in the next update", async () => {
      const kept = await up(`new ApiKey("a", base, { retainOnDelete: true });`);
      expect(kept.ok, kept.output).toBe(true);
      const moved = await up(`new ApiKey("b", { ...base, name: "a", existingId: "${id}" });`);
      expect(moved.ok, moved.output).toBe(true);
      expect([live(), await holders()]).toEqual([[id], ["b"]]);
      await expectQuiet(scene);
    });

    it("an entry of a set that another resource adopts fails the preview, unless the set releases it", async () => {
      const cleared = await up(`set({ one: { name: "one" } });`);
      expect(cleared.ok, cleared.output).toBe(true);
      id = live()[0] ?? "";
      const keep = `new ApiKey("keep", { ...base, name: "one", existingId: "${id}" });`;
      await scene.declare(program(`set({}); ${keep}`));
      const preview = await scene.stack.preview();
      expect(preview.ok).toBe(false);
      expect(errorsFor(preview, "set").concat(errorsFor(preview, "keep")).join()).toContain("has or adopts");
      const released = `set({ one: { release: true } }); ${keep}`;
      await scene.declare(program(released));
      expect((await scene.stack.preview()).output).toContain('1 to release and leave in the service: "one"');
      const handed = await up(released);
      expect(handed.ok, handed.output).toBe(true);
      expect([live(), await holders()]).toEqual([[id], ["keep"]]);
      await expectQuiet(scene);
    });

    it("a rotating key takes a released key over, and the former owner's removal leaves it", async () => {
      const released = await up(`new ApiKey("keep", { ...base, name: "one" }, { retainOnDelete: true });`);
      expect(released.ok, released.output).toBe(true);
      const taken = await up(
        `new RotatingApiKey("rotating", { ...base, name: "one", existingId: "${id}", rotateEvery: "90d" });`,
      );
      expect(taken.ok, taken.output).toBe(true);
      expect([live(), await holders()]).toEqual([[id], ["rotating"]]);
      await expectQuiet(scene);
    });
  },
);
