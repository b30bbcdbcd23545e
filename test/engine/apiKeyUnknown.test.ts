import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";
import { expectSilentUp, stepsFor } from "./expectations";
import { programWithKeys } from "./programs";
import { type Scene, setScene } from "./scene";

const before = {
  source: `{ ...base, name: "source" }`,
  ofTheSame: "{ ...base, customerId: source.maskedKey as pulumi.Output<string> }",
  ofAnother: "{ ...base, keepers: { writtenAt: source.updatedAt as pulumi.Output<string> } }",
  scoped: `{
    ...base,
    scopes: [
      { representation: "orders", read: true },
      { representation: source.maskedKey as pulumi.Output<string>, del: true },
    ],
  }`,
  moving: "base",
  reordered: `{
    ...base,
    name: "first name",
    scopes: [{ representation: "orders", read: true }, { representation: "carts", del: true }],
  }`,
};

/** While `source` changes, its computed outputs are unknown. */
const after = {
  fresh: "base",
  ...before,
  source: `{ ...base, name: "source, renamed" }`,
  moving: "{ ...base, customerId: fresh.id }",
  reordered: `{
    ...base,
    name: "second name",
    scopes: [{ representation: "carts", del: true }, { representation: "orders", read: true }],
  }`,
};

/** The steps of a resource, each with the fields that cause it. */
function shown(outcome: Outcome, name: string): readonly string[] {
  return stepsFor(outcome, name).map(({ op, diffs }) => `${op} ${diffs.join(" ")}`.trim());
}

describe("a preview of ApiKeys with unknown values", () => {
  let scene: Scene;
  let preview: Outcome;
  let up: Outcome;
  let idsBefore: Record<string, unknown>;
  let idsAfter: Record<string, unknown>;
  const ids = async () =>
    Object.fromEntries(Object.entries(await scene.stack.outputs()).map(([name, { value }]) => [name, value]));

  beforeAll(async () => {
    scene = await setScene("unknown", { program: programWithKeys(before) });
    const created = await scene.stack.up();
    expect(created.ok, created.output).toBe(true);
    idsBefore = await ids();
    await scene.declare(programWithKeys(after));
    preview = await scene.stack.preview();
    scene.service.clearRequests();
    up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    idsAfter = await ids();
  });
  afterAll(() => scene?.close());

  it("R15 shows a replacement, by field, for an unknown value in a field whose change replaces", () => {
    const asReplacement = (field: string) => [
      `create-replacement ${field}`,
      `replace ${field}`,
      "delete-replaced",
    ];
    expect(shown(preview, "ofTheSame")).toEqual(asReplacement("customerId"));
    expect(shown(preview, "ofAnother")).toEqual(asReplacement("keepers"));
    expect(shown(preview, "moving")).toEqual(asReplacement("customerId"));
  });

  it("R15 shows an update for an unknown value among the scopes", () => {
    expect(shown(preview, "scoped")).toEqual(["update scopes"]);
  });

  it("R15 is followed by an update without a change if the real value is the same", () => {
    expect(shown(up, "ofTheSame")).toEqual(["same"]);
    expect(shown(up, "scoped")).toEqual(["same"]);
    expect(idsAfter["ofTheSameId"]).toBe(idsBefore["ofTheSameId"]);
    expect(idsAfter["scopedId"]).toBe(idsBefore["scopedId"]);
  });

  it("R15 is followed by a replacement if the real value differs", () => {
    expect(idsAfter["ofAnotherId"]).not.toBe(idsBefore["ofAnotherId"]);
    expect(idsAfter["movingId"]).not.toBe(idsBefore["movingId"]);
    expect(scene.service.key(String(idsAfter["movingId"]))?.customerId).toBe(idsAfter["freshId"]);
  });

  it("R2 shows a new name without the reordered scopes beside it", () => {
    for (const outcome of [preview, up]) {
      const [step] = stepsFor(outcome, "reordered");
      expect(step).toMatchObject({ op: "update", diffs: ["name"] });
      expect(step?.changed).toEqual({ name: { old: "first name", new: "second name" } });
    }
    expect(preview.stdout).not.toContain("carts");
  });

  it("R13 is followed by an update, and the next update sends no request", () => expectSilentUp(scene));
});
