import { afterAll, describe, expect, it } from "vitest";
import { expectQuiet, expectSilentUp, onlyLine } from "./expectations";
import { programOf } from "./kindProgram";
import { type Scene, setScene } from "./scene";

describe("two CustomerBillings of one program", () => {
  let scene: Scene;
  const program = programOf("CustomerBilling");
  const first = `{ ...base, totalCredits: "100", spendCap: "9.50", grant: "first" }`;
  const again = (more = "") =>
    `{ ...base, totalCredits: 100, spendCap: "9.5", grant: " first\\n", ${more} }, { dependsOn: one }`;
  afterAll(() => scene?.close());

  it("R17 fail the preview and the update if their grants are the same; corrected, each is granted once", async () => {
    scene = await setScene("granted-twice", { program: program({ one: first, two: again() }) });
    const twice =
      /grant: the resource one declares the same grant .* Change grant in one of them, or remove one\.$/;
    expect(onlyLine(await scene.stack.preview(), "two")).toMatch(twice);
    expect(scene.service.requests).toEqual([]);
    expect(onlyLine(await scene.stack.up(), "two")).toMatch(twice);
    // The engine created the first one while it checked the second.
    expect(scene.service.billings()).toHaveLength(1);
    expect(onlyLine(await scene.stack.preview(), "two")).toMatch(twice);
    await scene.declare(program({ one: first, two: again(`grant: "second"`) }));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(scene.service.billings()).toHaveLength(2);
  });

  it.each([
    ["another meter", { three: again(`externalMeterId: "meter"`) }],
    [
      "an existing record",
      { four: `{ ...base, billingId: "bill_theirs", grant: "first" }, { dependsOn: one }` },
    ],
  ])("R17 pass if one has %s", async (_, other) => {
    await scene.declare(program({ one: first, ...other }));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    await expectSilentUp(scene);
  });
});

describe("WorkspaceSettings", () => {
  let scene: Scene;
  const program = programOf("WorkspaceSettings");
  const settings = (more: string) => `{ ...base, ${more} }`;
  const held = () => scene.service.workspaces().find(({ id }) => id === "ws_main");
  const restoring = settings(`defaultRateLimitPerSecond: 50, defaultKeyPrefix: "new", onDestroy: "restore"`);
  const notRestored =
    /The program still declares settings of workspace ws_main, so these former values are not restored.*: defaultKeyPrefix "old", defaultRateLimitPerSecond 7\. .* the option aliases\./;
  const declared = { defaultRateLimitPerSecond: 50, defaultKeyPrefix: "new" };
  afterAll(() => scene?.close());

  it("R17 fail the preview if two are of the same workspace, without a request", async () => {
    scene = await setScene("settings-twice", {
      program: program({
        one: settings("defaultRateLimitPerSecond: 50"),
        two: `${settings('defaultKeyPrefix: "x"')}, { dependsOn: one }`,
      }),
    });
    scene.service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 7, defaultKeyPrefix: "old" });
    expect(onlyLine(await scene.stack.preview(), "two")).toMatch(
      /workspaceId: the resource one declares the settings of the same workspace, .* in one resource\.$/,
    );
    expect(scene.service.requests).toEqual([]);
  });

  it("W5 keep the declared values if the resource is renamed, and a warning names the former ones", async () => {
    await scene.declare(program({ one: restoring }));
    expect((await scene.stack.up()).ok).toBe(true);
    await scene.declare(program({ renamed: restoring }));
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 1, delete: 1 } });
    expect(up.output).toMatch(notRestored);
    expect(held()).toMatchObject(declared);
    await expectQuiet(scene);
    await expectSilentUp(scene);
  });

  it("W5 keep the declared values if the engine is told to replace the resource", async () => {
    scene.service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 7, defaultKeyPrefix: "old" });
    await scene.declare(program({}));
    expect((await scene.stack.up()).ok).toBe(true);
    await scene.declare(program({ one: restoring }));
    expect((await scene.stack.up()).ok).toBe(true);
    const { resources = [] } = await scene.stack.exportState();
    const urn = resources.find(({ type }) => type.endsWith(":WorkspaceSettings"))?.urn ?? "";
    const up = await scene.stack.up({ args: ["--target-replace", urn] });
    expect(up, up.output).toMatchObject({ ok: true, changes: { replace: 1 } });
    expect(up.output).toMatch(notRestored);
    expect(held()).toMatchObject(declared);
    await expectQuiet(scene);
  });

  it("W5 restore the former values if the resource moves to another workspace", async () => {
    scene.service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 7, defaultKeyPrefix: "old" });
    await scene.declare(program({}));
    expect((await scene.stack.up()).ok).toBe(true);
    await scene.declare(program({ one: restoring }));
    expect((await scene.stack.up()).ok).toBe(true);
    await scene.declare(program({ one: restoring.replace("...base", `workspaceId: "ws_second"`) }));
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { replace: 1 } });
    expect(up.output).not.toMatch(/former values are not restored/);
    expect(held()).toMatchObject({ defaultRateLimitPerSecond: 7, defaultKeyPrefix: "old" });
  });
});
