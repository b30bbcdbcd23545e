import { describe, expect, it } from "vitest";
import { isAll } from "../all";
import { expectQuiet, expectUnsaid } from "./expectations";
import {
  done,
  held,
  interrupt,
  live,
  names,
  pendingCreates,
  pendingThen,
  programs,
  secretsOf,
  start,
  writes,
  written,
} from "./interruption";

const existingKey = "sk_live_somebody_uses_this_0123456789";
const deletes = ["deleteApiKey", "deleteApiKey"] as const;

/** What differs in the plugin, which does not send the PATCH that would disable a new key. */
const afterOne = {
  dynamic: { printed: /update canceled/, sent: [...writes, "editApiKey"], left: [] },
  plugin: {
    printed: /Key "made" .* was created with id .* nothing was sent, because the run was canceled/,
    sent: writes,
    left: ["editApiKey"],
  },
};

describe.each(isAll ? (["dynamic", "plugin"] as const) : (["plugin"] as const))(
  "one Ctrl-C in the %s host",
  (host) => {
    it("R20 lets requests finish and saves their results; the next update does the rest, and grants nothing again", async () => {
      const { printed, sent, left } = afterOne[host];
      const scene = await start(host);
      const { ok, output } = await interrupt(scene, "ctrlC", programs.during, writes);
      expect(ok, output).toBe(false);
      expect(output).toMatch(printed);
      expect(written(scene)).toEqual(sent);
      expect(names(live(scene))).toEqual(["changed", "dropped", "made", "swapped", "swapped"]);
      const { keys, ...rest } = await held(scene);
      // A key that is deleted before its replacement stays in state, with a mark, until the replacement is created.
      expect(keys.filter((key) => !key.startsWith("first "))).toEqual(live(scene));
      expect(rest).toEqual({ pending: [], billingId: scene.service.billings()[0]?.id });

      scene.service.clearRequests();
      await done(scene.stack.up());
      expect(written(scene)).toEqual(["createApiKey", ...deletes, ...left]);
      expect(names(live(scene))).toEqual(["changed", "first", "made", "swapped"]);
      expect((await held(scene)).keys).toEqual(live(scene));
      expect(scene.service.billings()).toHaveLength(1);
      await expectQuiet(scene);

      // The last requests of this update are under way, so there may be nothing left to cancel.
      await interrupt(scene, "ctrlC", programs.after, deletes);
      expect(names(live(scene))).toEqual(["changed", "first"]);
      expect(await held(scene)).toEqual({ keys: live(scene), pending: [], billingId: undefined });
      await expectQuiet(scene);
      await expectUnsaid(scene, secretsOf(scene));
    });
  },
);

describe.each(isAll ? (["dynamic", "plugin"] as const) : (["dynamic"] as const))(
  "two Ctrl-C in the %s host",
  (host) => {
    it("R20 delete new keys and name the grant; the next update does everything, and adopts the grant by `billingId`", async () => {
      const scene = await start(host);
      const before = live(scene);
      const cut = await interrupt(scene, "twoCtrlC", programs.during, writes);
      expect(cut.ok, cut.output).toBe(false);
      expect(written(scene)).toEqual([...writes, ...deletes].toSorted());
      expect(live(scene)).toEqual(before.filter((key) => !key.startsWith("first ")));
      expect(cut.output).toContain(
        `100 credits in workspace ws_main (${scene.service.billings()[0]?.id}): the run ended before the result could be saved`,
      );
      expect(await held(scene)).toEqual({ keys: before, pending: pendingThen, billingId: undefined });

      await scene.declare(programs.adopting(scene));
      const { output } = await done(scene.stack.up());
      expect(output).toMatch(/5 pending operations[\s\S]*::made, interrupted while creating/);
      expect(output).not.toContain("a key with this name");
      const { keys, pending, billingId } = await held(scene);
      expect(names(keys)).toEqual(["changed", "first", "made", "swapped"]);
      expect(keys).toEqual(live(scene));
      expect(pending).toEqual(pendingCreates);
      expect(scene.service.billings().map(({ id }) => id)).toEqual([billingId]);
      await done(scene.stack.run(["refresh", "--clear-pending-creates", "--yes"]));
      expect((await held(scene)).pending).toEqual([]);
      await expectQuiet(scene);

      const deleting = await interrupt(scene, "twoCtrlC", programs.after, deletes);
      expect(deleting.ok, deleting.output).toBe(false);
      expect(names(live(scene))).toEqual(["changed", "first"]);
      expect((await held(scene)).pending).toEqual(["deleting made", "deleting swapped"]);
      await done(scene.stack.up());
      expect(await held(scene)).toEqual({ keys: live(scene), pending: [], billingId: undefined });
    });

    it("R20 name each request without an answer before the engine kills the host", async () => {
      const scene = await start(host);
      const kept = live(scene);
      const program = `${programs.before}
new ApiKey("late", base);
new ApiKey("old", { ...base, existingKey: "${existingKey}" });
new CustomerBilling("more", { workspaceId: "ws_main", totalCredits: "5" });
`;
      const requests = ["createApiKey", "createBilling", "migrateApiKey"] as const;
      const { ok, output } = await interrupt(scene, "twoCtrlC", program, requests, () => ({
        kind: "hang",
        carriedOut: true,
      }));
      expect(ok, output).toBe(false);
      for (const line of [
        /Key "late" in workspace ws_main: the run ended before the service answered.*Delete a new key/,
        /Key "old" in workspace ws_main: the run ended before the service answered.*Don't delete the key/,
        /5 credits in workspace ws_main: the run ended before the service answered.*set billingId/,
      ]) {
        expect(output).toMatch(line);
      }
      expect(names(live(scene))).toEqual([...names(kept), "late", "old"].toSorted());
      expect((await held(scene)).keys).toEqual(kept);
      await expectUnsaid(scene, [existingKey, ...secretsOf(scene)]);
    });
  },
);
