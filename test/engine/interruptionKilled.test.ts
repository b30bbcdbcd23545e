import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectQuiet, expectUnsaid, stepsFor } from "./expectations";
import { held, live, names, programs, upCutShort, writes, written } from "./interruption";
import { type Scene, setScene } from "./scene";

describe.each(["SIGKILL of the engine", "SIGKILL of the host"] as const)("%s", (way) => {
  const engineGone = way === "SIGKILL of the engine";
  let scene: Scene;
  let before: readonly string[];
  /** New keys that the killed host could not delete. */
  let orphans: readonly string[];
  beforeAll(async () => {
    scene = await setScene("killed", { program: programs.before, variant: { delete: "marks" } });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    before = live(scene);
  });
  afterAll(() => scene?.close());

  const known = () => live(scene).filter((key) => !orphans.includes(key));
  const unlock = async () => {
    const cancel = await scene.stack.run(["cancel", "--yes"]);
    expect(cancel.ok, cancel.output).toBe(true);
  };

  it("during creates, an update, a replacement and a grant: state is as before", async () => {
    await scene.declare(programs.during);
    const cut = await upCutShort(scene, way, writes);
    expect(cut.ok, cut.output).toBe(false);
    orphans = live(scene).filter((key) => !before.includes(key));
    expect(scene.service.billings()).toHaveLength(1);
    const undone = ["deleteApiKey", "deleteApiKey"];
    expect(written(scene)).toEqual([...writes, ...(engineGone ? undone : [])].toSorted());
    // Without the engine, the host goes on and deletes the new keys. Without the host, nothing deletes or names them.
    expect(names(orphans)).toEqual(engineGone ? [] : ["made", "swapped"]);
    if (!engineGone) expect(cut.output).toContain("error reading from server");
    const creating = ["creating credits", "creating made", "creating swapped"];
    const pending = [...creating, "deleting first", "updating changed"];
    expect(await held(scene)).toEqual({
      keys: before,
      pending: engineGone ? pending : [],
      billingId: undefined,
    });
  });

  it("afterwards: the next update does everything, adopts the grant by `billingId`, and names the keys left behind", async () => {
    if (engineGone) {
      const locked = await scene.stack.up();
      expect(locked.error).toMatch(/locked by 1 lock.*pulumi cancel/);
      await unlock();
      const cleared = await scene.stack.run(["refresh", "--clear-pending-creates", "--yes"]);
      expect(cleared.ok, cleared.output).toBe(true);
      expect((await held(scene)).pending).toEqual([]);
    }
    await scene.declare(programs.adopting(scene.service.billings()[0]?.id ?? ""));
    const up = await scene.stack.up({ refresh: !engineGone });
    expect(up.ok, up.output).toBe(true);
    if (!engineGone) {
      const [refreshed] = stepsFor(up, "changed");
      expect(refreshed).toMatchObject({
        duringRefresh: true,
        changed: { enabled: { old: true, new: false } },
      });
    }
    for (const orphan of orphans) {
      const [name, id] = orphan.split(" ");
      expect(up.output).toMatch(
        new RegExp(`warning: Creating key "${name}" .* a key with this name .*${id}`),
      );
    }
    if (engineGone) expect(up.output).not.toContain("a key with this name");
    const { keys, pending, billingId } = await held(scene);
    expect(names(keys)).toEqual(["changed", "first", "made", "swapped"]);
    expect({ keys, pending }).toEqual({ keys: known(), pending: [] });
    expect(scene.service.billings().map(({ id }) => id)).toEqual([billingId]);
    await expectQuiet(scene);
  });

  it("during deletes: the next update finds the keys deleted", async () => {
    await scene.declare(programs.after);
    const cut = await upCutShort(scene, way, ["deleteApiKey", "deleteApiKey"]);
    expect(cut.ok, cut.output).toBe(false);
    expect(names(known())).toEqual(["changed", "first"]);
    if (engineGone) await unlock();
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(await held(scene)).toEqual({ keys: known(), pending: [], billingId: undefined });
    await expectUnsaid(
      scene,
      scene.service.keys().map(({ key }) => key),
    );
  });
});
