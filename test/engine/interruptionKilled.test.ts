import { describe, expect, it } from "vitest";
import { expectQuiet, expectUnsaid, stepsFor } from "./expectations";
import {
  done,
  held,
  interrupt,
  live,
  names,
  pendingThen,
  programs,
  secretsOf,
  start,
  writes,
  written,
} from "./interruption";

const deletes = ["deleteApiKey", "deleteApiKey"] as const;
const cases = (["dynamic", "plugin"] as const).flatMap((host) => [
  { killed: "the engine", ending: "engineKilled", host } as const,
  { killed: "the provider", ending: "hostKilled", host } as const,
]);

describe.each(cases)("SIGKILL of $killed in the $host host", ({ ending, host }) => {
  it("R20 K6 leaves state as before; the next update does everything, and names the keys left behind", async () => {
    const engineGone = ending === "engineKilled";
    const scene = await start(host);
    const before = live(scene);
    const cut = await interrupt(scene, ending, programs.during, writes);
    expect(cut.ok, cut.output).toBe(false);
    // Without the engine, the provider goes on and deletes the new keys. Without the provider, nothing deletes or names them.
    const orphans = live(scene).filter((key) => !before.includes(key));
    const known = () => live(scene).filter((key) => !orphans.includes(key));
    expect(names(orphans)).toEqual(engineGone ? [] : ["made", "swapped"]);
    expect(written(scene)).toEqual([...writes, ...(engineGone ? deletes : [])].toSorted());
    expect(scene.service.billings()).toHaveLength(1);
    if (!engineGone) expect(cut.output).toContain("error reading from server");
    expect(await held(scene)).toEqual({
      keys: before,
      pending: engineGone ? pendingThen : [],
      billingId: undefined,
    });

    const unlock = () => done(scene.stack.run(["cancel", "--yes"]));
    if (engineGone) {
      const locked = await scene.stack.up();
      expect(locked.error).toMatch(/locked by 1 lock.*pulumi cancel/);
      await unlock();
      await done(scene.stack.run(["refresh", "--clear-pending-creates", "--yes"]));
      expect((await held(scene)).pending).toEqual([]);
    }
    await scene.declare(programs.adopting(scene));
    const up = await done(scene.stack.up({ refresh: !engineGone }));
    if (!engineGone) {
      const [refreshed] = stepsFor(up, "changed");
      const changed = { enabled: { old: true, new: false } };
      expect(refreshed).toMatchObject({ duringRefresh: true, changed });
    }
    for (const [name, id] of orphans.map((orphan) => orphan.split(" ")))
      expect(up.output).toMatch(
        new RegExp(`warning: Creating key "${name}" .* a key with this name .*${id}`),
      );
    if (engineGone) expect(up.output).not.toContain("a key with this name");
    const { keys, pending, billingId } = await held(scene);
    expect(names(keys)).toEqual(["changed", "first", "made", "swapped"]);
    expect({ keys, pending }).toEqual({ keys: known(), pending: [] });
    expect(scene.service.billings().map(({ id }) => id)).toEqual([billingId]);
    await expectQuiet(scene);

    const deleting = await interrupt(scene, ending, programs.after, deletes);
    expect(deleting.ok, deleting.output).toBe(false);
    expect(names(known())).toEqual(["changed", "first"]);
    if (engineGone) await unlock();
    await done(scene.stack.up());
    expect(await held(scene)).toEqual({ keys: known(), pending: [], billingId: undefined });
    await expectUnsaid(scene, secretsOf(scene));
  });
});
