import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { someOf } from "../all";
import { expectQuiet, expectUnsaid } from "./expectations";
import { held, live, names, programs, upCutShort, writes, written } from "./interruption";
import { type Scene, setScene } from "./scene";

const existingKey = "sk_live_somebody_uses_this_0123456789";

async function start(): Promise<Scene> {
  // Deleted keys stay readable to the test, which searches for their secrets.
  const scene = await setScene("interrupted", { program: programs.before, variant: { delete: "marks" } });
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  return scene;
}
const secretsOf = ({ service }: Scene) => service.keys().map(({ key }) => key);

describe.each(someOf(["one Ctrl-C", "SIGTERM"] as const, () => false))("%s on the engine", (way) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await start();
  });
  afterAll(() => scene?.close());

  it("during creates, an update, a replacement and a grant: all finish, and state has their results", async () => {
    await scene.declare(programs.during);
    const cut = await upCutShort(scene, way, writes);
    expect(cut.ok, cut.output).toBe(false);
    expect(cut.output).toContain("update canceled");
    expect(written(scene)).toEqual(writes);
    expect(names(live(scene))).toEqual(["changed", "dropped", "made", "swapped", "swapped"]);
    const [granted] = scene.service.billings();
    const { keys, ...rest } = await held(scene);
    // A key that is deleted before its replacement stays in state, with a mark, until the replacement is created.
    expect(keys.filter((key) => !key.startsWith("first "))).toEqual(live(scene));
    expect(rest).toEqual({ pending: [], billingId: granted?.id });
  });

  it("afterwards: the next update does the rest, and grants nothing again", async () => {
    scene.service.clearRequests();
    const up = await scene.stack.up({ refresh: way === "SIGTERM" });
    expect(up.ok, up.output).toBe(true);
    expect(written(scene)).toEqual(["createApiKey", "deleteApiKey", "deleteApiKey"]);
    expect(names(live(scene))).toEqual(["changed", "first", "made", "swapped"]);
    expect((await held(scene)).keys).toEqual(live(scene));
    expect(scene.service.billings()).toHaveLength(1);
    await expectQuiet(scene);
  });

  it("during deletes: all finish, and nothing is left to do", async () => {
    await scene.declare(programs.after);
    const cut = await upCutShort(scene, way, ["deleteApiKey", "deleteApiKey"]);
    expect(cut.ok, cut.output).toBe(false);
    expect(names(live(scene))).toEqual(["changed", "first"]);
    expect(await held(scene)).toEqual({ keys: live(scene), pending: [], billingId: undefined });
    await expectQuiet(scene);
    await expectUnsaid(scene, secretsOf(scene));
  });
});

describe("two Ctrl-C on the engine", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await start();
  });
  afterAll(() => scene?.close());

  it("during creates, an update, a replacement and a grant: new keys are deleted, and the grant is named", async () => {
    const before = live(scene);
    await scene.declare(programs.during);
    const cut = await upCutShort(scene, "two Ctrl-C", writes);
    expect(cut.ok, cut.output).toBe(false);
    expect(written(scene)).toEqual([...writes, "deleteApiKey", "deleteApiKey"].toSorted());
    expect(live(scene)).toEqual(before.filter((key) => !key.startsWith("first ")));
    expect(cut.output).toContain(
      `100 credits in workspace ws_main (${scene.service.billings()[0]?.id}): the run ended before the result could be saved`,
    );
    const creating = ["creating credits", "creating made", "creating swapped"];
    const pending = [...creating, "deleting first", "updating changed"];
    expect(await held(scene)).toEqual({ keys: before, pending, billingId: undefined });
  });

  it("afterwards: the next update does everything, adopts the grant by `billingId`, and warns of pending operations", async () => {
    await scene.declare(programs.adopting(scene.service.billings()[0]?.id ?? ""));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(up.output).toMatch(/5 pending operations[\s\S]*::made, interrupted while creating/);
    expect(up.output).not.toContain("a key with this name");
    const { keys, pending, billingId } = await held(scene);
    expect(names(keys)).toEqual(["changed", "first", "made", "swapped"]);
    expect(keys).toEqual(live(scene));
    expect(pending).toEqual(["creating credits", "creating made", "creating swapped"]);
    expect(scene.service.billings().map(({ id }) => id)).toEqual([billingId]);
  });

  it("afterwards: `pulumi refresh --clear-pending-creates` removes the other pending operations", async () => {
    const cleared = await scene.stack.run(["refresh", "--clear-pending-creates", "--yes"]);
    expect(cleared.ok, cleared.output).toBe(true);
    expect((await held(scene)).pending).toEqual([]);
    await expectQuiet(scene);
  });

  it("during deletes: the next update finds the keys deleted", async () => {
    await scene.declare(programs.after);
    const cut = await upCutShort(scene, "two Ctrl-C", ["deleteApiKey", "deleteApiKey"]);
    expect(cut.ok, cut.output).toBe(false);
    expect(names(live(scene))).toEqual(["changed", "first"]);
    expect((await held(scene)).pending).toEqual(["deleting made", "deleting swapped"]);
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(await held(scene)).toEqual({ keys: live(scene), pending: [], billingId: undefined });
  });

  it("during requests without an answer: each is named before the engine kills the host", async () => {
    const kept = live(scene);
    await scene.declare(`${programs.after}
new ApiKey("late", base);
new ApiKey("old", { ...base, existingKey: "${existingKey}" });
new CustomerBilling("more", { workspaceId: "ws_main", totalCredits: "5" });
`);
    const cut = await upCutShort(
      scene,
      "two Ctrl-C",
      ["createApiKey", "createBilling", "migrateApiKey"],
      () => ({ kind: "hang", carriedOut: true }),
    );
    expect(cut.ok, cut.output).toBe(false);
    for (const line of [
      /Key "late" in workspace ws_main: the run ended before the service answered.*Delete a new key/,
      /Key "old" in workspace ws_main: the run ended before the service answered.*Don't delete the key/,
      /5 credits in workspace ws_main: the run ended before the service answered.*set billingId/,
    ]) {
      expect(cut.output).toMatch(line);
    }
    expect(names(live(scene))).toEqual(["changed", "first", "late", "old"]);
    expect((await held(scene)).keys).toEqual(kept);
    await expectUnsaid(scene, [existingKey, ...secretsOf(scene)]);
  });
});
