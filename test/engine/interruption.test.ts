import { describe, expect, it } from "vitest";
import { isAll } from "../all";
import { expectQuiet, expectUnsaid } from "./expectations";
import {
  done,
  interrupt,
  live,
  names,
  pendingCreates,
  pendingThen,
  programs,
  readState,
  secretsOf,
  start,
  writes,
  written,
} from "./interruption";

const existingKey = "sk_live_somebody_uses_this_0123456789";
const deletes = ["deleteApiKey", "deleteApiKey"] as const;

/** The hosts differ: the plugin does not send the PATCH that would disable a new key. */
const afterOne = {
  dynamic: { printed: /update canceled/, sent: [...writes, "editApiKey"], left: [] },
  plugin: {
    printed:
      /APIKEYS2008: Creating key "made" in workspace \S+ \(\S+\): nothing more was sent, because the run was canceled/,
    sent: writes,
    left: ["editApiKey"],
  },
};

const cases = (["ctrlC", "sigterm"] as const).flatMap((ending) =>
  (["plugin", "dynamic"] as const).map((host) => ({ ending, host })),
);

describe.each(isAll ? cases : cases.slice(0, 1))(
  "an update that is asked once to end ($ending) in the $host host",
  ({ ending, host }) => {
    it("R20 one Ctrl-C or SIGTERM lets requests finish and saves their results; the next update does the rest, and grants nothing again", async () => {
      const { printed, sent, left } = afterOne[host];
      const fixture = await start(host);
      const { ok, output } = await interrupt(fixture, ending, programs.during, writes);
      expect(ok, output).toBe(false);
      expect(output).toMatch(printed);
      expect(written(fixture)).toEqual(sent);
      expect(names(live(fixture))).toEqual(["changed", "dropped", "made", "swapped", "swapped"]);
      const { keys, ...rest } = await readState(fixture);
      // A key that is deleted before its replacement stays in state, with a mark, until the replacement is created.
      expect(keys.filter((key) => !key.startsWith("first "))).toEqual(live(fixture));
      expect(rest).toEqual({ pending: [], billingId: fixture.service.billings()[0]?.id });

      fixture.service.clearRequests();
      await done(fixture.stack.up());
      expect(written(fixture)).toEqual(["createApiKey", ...deletes, ...left]);
      expect(names(live(fixture))).toEqual(["changed", "first", "made", "swapped"]);
      expect((await readState(fixture)).keys).toEqual(live(fixture));
      expect(fixture.service.billings()).toHaveLength(1);
      await expectQuiet(fixture);

      // The last requests of this update are under way, so there may be nothing left to cancel.
      await interrupt(fixture, ending, programs.after, deletes);
      expect(names(live(fixture))).toEqual(["changed", "first"]);
      expect(await readState(fixture)).toEqual({ keys: live(fixture), pending: [], billingId: undefined });
      await expectQuiet(fixture);
      await expectUnsaid(fixture, secretsOf(fixture));
    });
  },
);

describe.each(isAll ? (["dynamic", "plugin"] as const) : (["dynamic"] as const))(
  "two Ctrl-C in the %s host",
  (host) => {
    it("R20 two Ctrl-C delete new keys and name the grant; the next update does everything, and adopts the grant by `billingId`", async () => {
      const fixture = await start(host);
      const before = live(fixture);
      const cut = await interrupt(fixture, "twoCtrlC", programs.during, writes);
      expect(cut.ok, cut.output).toBe(false);
      expect(written(fixture)).toEqual([...writes, ...deletes].toSorted());
      expect(live(fixture)).toEqual(before.filter((key) => !key.startsWith("first ")));
      expect(cut.output).toContain(
        `100 credits in workspace ws_main (${fixture.service.billings()[0]?.id}): the run ended before the result could be saved`,
      );
      expect(await readState(fixture)).toEqual({ keys: before, pending: pendingThen, billingId: undefined });

      await fixture.declare(programs.adopting(fixture));
      const { output } = await done(fixture.stack.up());
      expect(output).toMatch(/5 pending operations[\s\S]*::made, interrupted while creating/);
      expect(output).not.toContain("already has a key");
      const { keys, pending, billingId } = await readState(fixture);
      expect(names(keys)).toEqual(["changed", "first", "made", "swapped"]);
      expect(keys).toEqual(live(fixture));
      expect(pending).toEqual(pendingCreates);
      expect(fixture.service.billings().map(({ id }) => id)).toEqual([billingId]);
      await done(fixture.stack.run(["refresh", "--clear-pending-creates", "--yes"]));
      expect((await readState(fixture)).pending).toEqual([]);
      await expectQuiet(fixture);

      const deleting = await interrupt(fixture, "twoCtrlC", programs.after, deletes);
      expect(deleting.ok, deleting.output).toBe(false);
      expect(names(live(fixture))).toEqual(["changed", "first"]);
      expect((await readState(fixture)).pending).toEqual(["deleting made", "deleting swapped"]);
      await done(fixture.stack.up());
      expect(await readState(fixture)).toEqual({ keys: live(fixture), pending: [], billingId: undefined });
    });

    it("R20 two Ctrl-C name each request without an answer before the engine kills the host", async () => {
      const fixture = await start(host);
      const kept = live(fixture);
      const program = `${programs.before}
new ApiKey("late", base);
new ApiKey("old", { ...base, existingKey: "${existingKey}" });
new CustomerBilling("more", { workspaceId: "ws_main", totalCredits: "5" });
`;
      const requests = ["createApiKey", "createBilling", "migrateApiKey"] as const;
      const { ok, output } = await interrupt(fixture, "twoCtrlC", program, requests, () => ({
        kind: "hang",
        carriedOut: true,
      }));
      expect(ok, output).toBe(false);
      for (const line of [
        /Key "late" in workspace ws_main: the run ended before the result could be saved.*Delete a new key/,
        /Key "old" in workspace ws_main: the run ended before the result could be saved.*Don't delete the key/,
        /5 credits in workspace ws_main: the run ended before the result could be saved.*set billingId/,
      ]) {
        expect(output).toMatch(line);
      }
      expect(names(live(fixture))).toEqual([...names(kept), "late", "old"].toSorted());
      expect((await readState(fixture)).keys).toEqual(kept);
      await expectUnsaid(fixture, [existingKey, ...secretsOf(fixture)]);
    });
  },
);
