import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectQuiet, expectUnsaid, stepsFor } from "./expectations";
import {
  done,
  held,
  hosts,
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
import type { Scene } from "./scene";

const cases = hosts.flatMap((host) => [
  { killed: "the engine", ending: "engineKilled", host } as const,
  { killed: "the provider", ending: "hostKilled", host } as const,
]);

describe.each(cases)("SIGKILL of $killed in the $host host", ({ ending, host }) => {
  const engineGone = ending === "engineKilled";
  let scene: Scene;
  let before: readonly string[];
  /** New keys that the killed provider could not delete. */
  let orphans: readonly string[];
  beforeAll(async () => {
    scene = await start(host);
    before = live(scene);
  });
  afterAll(() => scene?.close());

  const known = () => live(scene).filter((key) => !orphans.includes(key));
  const unlock = () => done(scene.stack.run(["cancel", "--yes"]));

  it("R20 during creates, an update, a replacement and a grant: state is as before", async () => {
    const output = await interrupt(scene, ending, programs.during, writes);
    orphans = live(scene).filter((key) => !before.includes(key));
    expect(scene.service.billings()).toHaveLength(1);
    const undone = ["deleteApiKey", "deleteApiKey"];
    expect(written(scene)).toEqual([...writes, ...(engineGone ? undone : [])].toSorted());
    // Without the engine, the provider goes on and deletes the new keys. Without the provider, nothing deletes or names them.
    expect(names(orphans)).toEqual(engineGone ? [] : ["made", "swapped"]);
    if (!engineGone) expect(output).toContain("error reading from server");
    expect(await held(scene)).toEqual({
      keys: before,
      pending: engineGone ? pendingThen : [],
      billingId: undefined,
    });
  });

  it("R20 afterwards: the next update does everything, adopts the grant by `billingId`, and names the keys left behind", async () => {
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

  it("R20 during deletes: the next update finds the keys deleted", async () => {
    await interrupt(scene, ending, programs.after, ["deleteApiKey", "deleteApiKey"]);
    expect(names(known())).toEqual(["changed", "first"]);
    if (engineGone) await unlock();
    await done(scene.stack.up());
    expect(await held(scene)).toEqual({ keys: known(), pending: [], billingId: undefined });
    await expectUnsaid(scene, secretsOf(scene));
  });
});
