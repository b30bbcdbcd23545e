import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorsFor, expectQuiet, expectSilentUp, onlyLine, stepsFor } from "./expectations";
import { programOf } from "./programs";
import { type Scene, setScene } from "./scene";

const program = programOf("CustomerBilling");
const first = `{ ...base, totalCredits: "100", spendCap: "9.50", externalMeterId: "meter" }`;
const changed = (more: string) =>
  `{ workspaceId: "ws_second", totalCredits: "200", allowOverages: true, ${more} }`;

it("R17 a grant that two resources declare fails the preview and the update, and is never sent twice", async () => {
  const twice = programOf("CustomerBilling")({
    one: `{ ...base, totalCredits: "100", spendCap: "9.50" }`,
    two: `{ ...base, totalCredits: 100, spendCap: "9.5" }, { dependsOn: one }`,
  });
  const scene = await setScene("granted-twice", { program: twice });
  try {
    const line =
      /grant: the resource one declares the same grant .* Change grant in one of them, or remove one\.$/;
    expect(onlyLine(await scene.stack.preview(), "two")).toMatch(line);
    expect(scene.service.requests).toEqual([]);
    // The engine may create the first one before it checks the second.
    for (const _ of ["first update", "second update"]) {
      expect(onlyLine(await scene.stack.up(), "two")).toMatch(line);
      expect(scene.service.billings()).toHaveLength(1);
    }
  } finally {
    await scene.close();
  }
});

describe("a grant", () => {
  let scene: Scene;
  const declare = (text: string) => scene.declare(program({ held: text }));
  const granted = () => scene.service.billings().map(({ totalCredits }) => totalCredits);
  const stays = (id: string | undefined, workspace: string) =>
    `warning: The credits of ${id} in workspace ${workspace} stay in the service, which has no call to take a grant back`;

  beforeAll(async () => {
    scene = await setScene("billing", { program: program({ held: first }) });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  it("B3 is sent once, as declared", () => {
    expect(scene.service.requests.map(({ endpoint, body }) => ({ endpoint, body }))).toEqual([
      {
        endpoint: "createBilling",
        body: {
          workspaceId: "ws_main",
          totalCredits: "100",
          allowOverages: false,
          spendCap: "9.5",
          externalMeterId: "meter",
        },
      },
    ]);
  });

  it("B2 fails the preview if it changes, with a line and the way out for each field, and without a request", async () => {
    await declare(changed(""));
    scene.service.clearRequests();
    for (const command of ["preview", "up"] as const) {
      const lines = errorsFor(await scene.stack[command](), "held");
      const fields = ["workspaceId", "totalCredits", "allowOverages", "spendCap", "externalMeterId"];
      expect(lines).toHaveLength(fields.length);
      fields.forEach((field, place) => {
        expect(lines[place]).toContain(
          `${field}: can't change, because the service has no call that changes`,
        );
        expect(lines[place]).toContain("Restore the old value; or, to grant again on purpose, change grant");
      });
    }
    expect(scene.service.requests).toEqual([]);
    expect(granted()).toEqual(["100"]);
  });

  it("B2 with a new value of `grant` is previewed as a replacement, and the update grants exactly once more", async () => {
    await declare(changed(`grant: "second"`));
    const preview = await scene.stack.preview();
    const shown = stepsFor(preview, "held").find(({ op }) => op === "replace");
    expect(shown, preview.output).toMatchObject({
      replacedFor: ["grant"],
      changed: { grant: { old: "initial", new: "second" }, totalCredits: { old: "100", new: "200" } },
    });
    expect(scene.service.requests).toEqual([]);
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { replace: 1 } });
    expect(scene.service.requests.map(({ endpoint }) => endpoint)).toEqual(["createBilling"]);
    expect(granted()).toEqual(["100", "200"]);
    expect(up.stdout).toContain(stays(scene.service.billings()[0]?.id, "ws_main"));
    await expectSilentUp(scene);
  });

  it("B4 is refreshed without a request", async () => {
    const refresh = await scene.stack.refresh({ expectNoChanges: true });
    expect(refresh.ok, refresh.output).toBe(true);
    expect(scene.service.requests).toEqual([]);
  });

  it("B5 is not sent again if its own id is added as `billingId` and the credits are left out", async () => {
    const id = scene.service.billings()[1]?.id ?? "";
    await declare(
      `{ workspaceId: "ws_second", billingId: "${id}", allowOverages: true, grant: "second" }, { protect: true }`,
    );
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { update: 1 } });
    expect(stepsFor(up, "held")).toMatchObject([{ op: "update", diffs: ["billingId", "totalCredits"] }]);
    expect(scene.service.requests).toEqual([]);
    expect(await scene.stack.outputs()).toMatchObject({ heldId: { value: id } });
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("B4 is neither destroyed nor granted again with `protect: true`", async () => {
    const destroy = await scene.stack.destroy();
    expect(destroy.ok).toBe(false);
    expect(destroy.error).toMatch(/protect/);
    await declare(`${changed(`grant: "third"`)}, { protect: true }`);
    const up = await scene.stack.up();
    expect(up.ok).toBe(false);
    expect(up.error).toMatch(/protect/);
    expect(scene.service.requests).toEqual([]);
    const { resources = [] } = await scene.stack.exportState();
    expect(resources.filter(({ urn }) => urn.endsWith("::held"))).toHaveLength(1);
  });

  it("B4 is destroyed without a request, with a warning that the credits stay", async () => {
    const unprotected = await scene.stack.run(["state", "unprotect", "--all", "--yes"]);
    expect(unprotected.ok, unprotected.output).toBe(true);
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(destroy.stdout).toContain(stays(scene.service.billings()[1]?.id, "ws_second"));
    expect(scene.service.requests).toEqual([]);
    expect(granted()).toEqual(["100", "200"]);
  });
});
