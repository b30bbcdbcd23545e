import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { someOf } from "../all";
import { expectQuiet, expectUnsaid } from "./expectations";
import {
  done,
  held,
  hosts,
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
import type { Scene } from "./scene";

const existingKey = "sk_live_somebody_uses_this_0123456789";

/** What differs in the plugin, which does not send the PATCH that would disable a new key. */
const afterOne = {
  dynamic: { printed: /update canceled/, sent: [...writes, "editApiKey"], left: [] },
  plugin: {
    printed: /Key "made" .* was created with id .* nothing was sent, because the run was canceled/,
    sent: writes,
    left: ["editApiKey"],
  },
};
const signals = hosts.flatMap((host) => [
  { signal: "one Ctrl-C", ending: "ctrlC", host } as const,
  { signal: "SIGTERM", ending: "sigterm", host } as const,
]);
const taken = someOf(signals, ({ ending, host }) => ending === "ctrlC" && host === "plugin");

describe.each(taken)("$signal in the $host host", ({ ending, host }) => {
  const { printed, sent, left } = afterOne[host];
  let scene: Scene;
  beforeAll(async () => {
    scene = await start(host);
  });
  afterAll(() => scene?.close());

  it("R20 during creates, an update, a replacement and a grant: all finish, although the plugin begins no PATCH, and state has their results", async () => {
    const output = await interrupt(scene, ending, programs.during, writes);
    expect(output).toMatch(printed);
    expect(written(scene)).toEqual(sent);
    expect(names(live(scene))).toEqual(["changed", "dropped", "made", "swapped", "swapped"]);
    const [granted] = scene.service.billings();
    const { keys, ...rest } = await held(scene);
    // A key that is deleted before its replacement stays in state, with a mark, until the replacement is created.
    expect(keys.filter((key) => !key.startsWith("first "))).toEqual(live(scene));
    expect(rest).toEqual({ pending: [], billingId: granted?.id });
  });

  it("R20 afterwards: the next update does the rest, and grants nothing again", async () => {
    scene.service.clearRequests();
    await done(scene.stack.up({ refresh: ending === "sigterm" }));
    expect(written(scene)).toEqual(["createApiKey", "deleteApiKey", "deleteApiKey", ...left]);
    expect(names(live(scene))).toEqual(["changed", "first", "made", "swapped"]);
    expect((await held(scene)).keys).toEqual(live(scene));
    expect(scene.service.billings()).toHaveLength(1);
    await expectQuiet(scene);
  });

  it("R20 during deletes: all finish, and nothing is left to do", async () => {
    await interrupt(scene, ending, programs.after, ["deleteApiKey", "deleteApiKey"]);
    expect(names(live(scene))).toEqual(["changed", "first"]);
    expect(await held(scene)).toEqual({ keys: live(scene), pending: [], billingId: undefined });
    await expectQuiet(scene);
    await expectUnsaid(scene, secretsOf(scene));
  });
});

describe.each(someOf(hosts, (host) => host === "dynamic"))("two Ctrl-C in the %s host", (host) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await start(host);
  });
  afterAll(() => scene?.close());

  it("R20 during creates, an update, a replacement and a grant: new keys are deleted, and the grant is named", async () => {
    const before = live(scene);
    const output = await interrupt(scene, "twoCtrlC", programs.during, writes);
    expect(written(scene)).toEqual([...writes, "deleteApiKey", "deleteApiKey"].toSorted());
    expect(live(scene)).toEqual(before.filter((key) => !key.startsWith("first ")));
    expect(output).toContain(
      `100 credits in workspace ws_main (${scene.service.billings()[0]?.id}): the run ended before the result could be saved`,
    );
    expect(await held(scene)).toEqual({ keys: before, pending: pendingThen, billingId: undefined });
  });

  it("R20 afterwards: the next update does everything, adopts the grant by `billingId`, and warns of pending operations", async () => {
    await scene.declare(programs.adopting(scene));
    const { output } = await done(scene.stack.up());
    expect(output).toMatch(/5 pending operations[\s\S]*::made, interrupted while creating/);
    expect(output).not.toContain("a key with this name");
    const { keys, pending, billingId } = await held(scene);
    expect(names(keys)).toEqual(["changed", "first", "made", "swapped"]);
    expect(keys).toEqual(live(scene));
    expect(pending).toEqual(pendingCreates);
    expect(scene.service.billings().map(({ id }) => id)).toEqual([billingId]);
  });

  it("R20 afterwards: `pulumi refresh --clear-pending-creates` removes the other pending operations", async () => {
    await done(scene.stack.run(["refresh", "--clear-pending-creates", "--yes"]));
    expect((await held(scene)).pending).toEqual([]);
    await expectQuiet(scene);
  });

  it("R20 during deletes: the next update finds the keys deleted", async () => {
    await interrupt(scene, "twoCtrlC", programs.after, ["deleteApiKey", "deleteApiKey"]);
    expect(names(live(scene))).toEqual(["changed", "first"]);
    expect((await held(scene)).pending).toEqual(["deleting made", "deleting swapped"]);
    await done(scene.stack.up());
    expect(await held(scene)).toEqual({ keys: live(scene), pending: [], billingId: undefined });
  });

  it("R20 during requests without an answer: each is named before the engine kills the host", async () => {
    const kept = live(scene);
    const program = `${programs.after}
new ApiKey("late", base);
new ApiKey("old", { ...base, existingKey: "${existingKey}" });
new CustomerBilling("more", { workspaceId: "ws_main", totalCredits: "5" });
`;
    const requests = ["createApiKey", "createBilling", "migrateApiKey"] as const;
    const output = await interrupt(scene, "twoCtrlC", program, requests, () => ({
      kind: "hang",
      carriedOut: true,
    }));
    for (const line of [
      /Key "late" in workspace ws_main: the run ended before the service answered.*Delete a new key/,
      /Key "old" in workspace ws_main: the run ended before the service answered.*Don't delete the key/,
      /5 credits in workspace ws_main: the run ended before the service answered.*set billingId/,
    ]) {
      expect(output).toMatch(line);
    }
    expect(names(live(scene))).toEqual(["changed", "first", "late", "old"]);
    expect((await held(scene)).keys).toEqual(kept);
    await expectUnsaid(scene, [existingKey, ...secretsOf(scene)]);
  });
});
