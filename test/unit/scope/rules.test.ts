import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { scope } from "../../../provider/resources/scope";
import { offline } from "../offline";

const before = { workspaceId: "ws_1", name: "Orders", representation: "orders", description: "All" };
const refused = (change: object) =>
  scope.rules({ ...before, ...change }, before).map((reason) => String(reason).split(":")[0]);

describe("rules of a Scope", () => {
  test("S2: the rules of a Scope fail for a changed name or description, with the way out", () => {
    expect(refused({ name: "Other" })).toEqual(["name"]);
    expect(refused({ description: "Other" })).toEqual(["description"]);
    expect(refused({ name: "Other", description: "Other" })).toEqual(["name", "description"]);
    for (const absent of [undefined, null, ""])
      expect(refused({ description: absent })).toEqual(["description"]);
    const [reason] = scope.rules({ ...before, name: "Other" }, before);
    expect(reason).toMatch(
      /no call that edits a scope\. Declare the old value, which state has, or another representation/,
    );
    expect(reason).not.toContain("Other");
  });

  test("S2 the rules of a Scope accept a new scope, an unchanged one, and any spelling of no description", () => {
    expect(scope.rules(before, undefined)).toEqual([]);
    const { description: _, ...bare } = before;
    for (const description of [undefined, null, ""])
      expect(scope.rules({ ...bare, description }, bare)).toEqual([]);
  });

  test("S2 the rules of a Scope accept another name and description if representation or workspaceId changes too", () => {
    for (const other of [{ representation: "bills" }, { workspaceId: "ws_2" }]) {
      expect(refused({ ...other, name: "Other", description: "Other" })).toEqual([]);
    }
  });

  test("S2 the rules of a Scope accept any name after an import that found none, because the list leaves names out", () => {
    const { name: _, ...imported } = before;
    expect(scope.rules(before, imported)).toEqual([]);
    expect(scope.rules({ ...before, description: "Other" }, imported)).toHaveLength(1);
  });

  test("R8 the rules of a Scope accept unknown values, and still check the others", () => {
    for (const unknown of unknownSentinels) {
      expect(refused({ name: unknown, description: unknown })).toEqual([]);
      expect(refused({ name: unknown, description: "Other" })).toEqual(["description"]);
      // Another workspace or representation would be another scope.
      for (const field of ["workspaceId", "representation"]) {
        expect(refused({ [field]: unknown, name: "Other" })).toEqual([]);
      }
    }
  });
});

test("S3 the preview of a replacement says that the old scope stays, because the engine shows it as deleted", () => {
  const lines: string[] = [];
  const telling = offline(undefined, {}, scope, (line) => lines.push(line));
  const { inputs } = telling.check({ ...before, representation: "bills" }, before);
  telling.diff("sc_1", before, inputs);
  expect(lines).toEqual([
    "the former scope (sc_1) stays in the service, which has no call to delete a scope.",
  ]);
});
