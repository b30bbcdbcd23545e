import { describe, expect, it } from "vitest";
import { expectQuiet, expectUnsaid, stepsFor } from "./expectations";
import {
  done,
  interrupt,
  live,
  names,
  pendingThen,
  programs,
  readState,
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
  it("R20 K6 a SIGKILL leaves state as before; the next update does everything, and names the keys left behind", async () => {
    const engineGone = ending === "engineKilled";
    const fixture = await start(host);
    const before = live(fixture);
    const cut = await interrupt(fixture, ending, programs.during, writes);
    expect(cut.ok, cut.output).toBe(false);
    // Without the engine, the provider goes on and deletes the new keys. Without the provider, nothing deletes or names them.
    const orphans = live(fixture).filter((key) => !before.includes(key));
    const known = () => live(fixture).filter((key) => !orphans.includes(key));
    expect(names(orphans)).toEqual(engineGone ? [] : ["made", "swapped"]);
    expect(written(fixture)).toEqual([...writes, ...(engineGone ? deletes : [])].toSorted());
    expect(fixture.service.billings()).toHaveLength(1);
    if (!engineGone) expect(cut.output).toContain("error reading from server");
    expect(await readState(fixture)).toEqual({
      keys: before,
      pending: engineGone ? pendingThen : [],
      billingId: undefined,
    });

    const unlock = () => done(fixture.stack.run(["cancel", "--yes"]));
    if (engineGone) {
      const locked = await fixture.stack.up();
      expect(locked.error).toMatch(/locked by 1 lock.*pulumi cancel/);
      await unlock();
      await done(fixture.stack.run(["refresh", "--clear-pending-creates", "--yes"]));
      expect((await readState(fixture)).pending).toEqual([]);
    }
    await fixture.declare(programs.adopting(fixture));
    const up = await done(fixture.stack.up({ refresh: !engineGone }));
    if (!engineGone) {
      const [refreshed] = stepsFor(up, "changed");
      const changed = { enabled: { old: true, new: false } };
      expect(refreshed).toMatchObject({ duringRefresh: true, changed });
    }
    const said = up.diagnostics.map(({ message }) => message).join("\n");
    const warned = said.matchAll(/already has a key .*: "(.*)": (\S+) \(/g);
    expect([...warned].map(([, name, id]) => `${name} ${id}`).toSorted()).toEqual(orphans);
    const { keys, pending, billingId } = await readState(fixture);
    expect(names(keys)).toEqual(["changed", "first", "made", "swapped"]);
    expect({ keys, pending }).toEqual({ keys: known(), pending: [] });
    expect(fixture.service.billings().map(({ id }) => id)).toEqual([billingId]);
    await expectQuiet(fixture);

    const deleting = await interrupt(fixture, ending, programs.after, deletes);
    expect(deleting.ok, deleting.output).toBe(false);
    expect(names(known())).toEqual(["changed", "first"]);
    if (engineGone) await unlock();
    await done(fixture.stack.up());
    expect(await readState(fixture)).toEqual({ keys: known(), pending: [], billingId: undefined });
    await expectUnsaid(fixture, secretsOf(fixture));
  });
});
