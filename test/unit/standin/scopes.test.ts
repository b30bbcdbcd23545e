import { describe, expect, it } from "vitest";
import type { Variant } from "../../../standin";
import { entry, open } from "./standInCaller";

/** The scopes, as "representation permissions", that a key with "orders create read" and "bills read" has after a PATCH. */
async function heldAfter(patchScopes: Variant["patchScopes"], ...given: [string, string, "withId"?][]) {
  const { create, patch, keyPath } = await open({ patchScopes });
  const { id, scopes } = await create();
  const idOf = (name: string) =>
    scopes.find((shown: { representation: string }) => shown.representation === name).id;
  const { body } = await patch(keyPath(id), {
    scopes: given.map(([name, permissions, how]) => entry(name, permissions, how && idOf(name))),
  });
  return body.apiKey.scopes.map((shown: Record<string, unknown>) => {
    const granted = ["create", "read", "update", "del"].filter((flag) => shown[flag]);
    return [shown["representation"], ...granted].join(" ");
  });
}

describe("PATCH of a key's scopes in the stand-in", () => {
  it("replaces: only the entries of the request stay", async () => {
    expect(await heldAfter("replaces", ["orders", "update"])).toEqual(["orders update"]);
    expect(await heldAfter("replaces")).toEqual([]);
  });

  it("upserts: the entries of the request replace those of the same name, and the others stay", async () => {
    expect(await heldAfter("upserts", ["orders", "update"], ["users", "read"])).toEqual([
      "orders update",
      "bills read",
      "users read",
    ]);
    expect(await heldAfter("upserts", ["orders", ""])).toEqual(["orders", "bills read"]);
  });

  it("merges: a false flag removes a permission only if the entry has an id", async () => {
    expect(await heldAfter("merges", ["orders", "update"])).toEqual([
      "orders create read update",
      "bills read",
    ]);
    expect(await heldAfter("merges", ["orders", "update", "withId"])).toEqual([
      "orders update",
      "bills read",
    ]);
    expect(await heldAfter("merges", ["orders", "", "withId"])).toEqual(["orders", "bills read"]);
  });

  it("neverNarrows: nothing is ever removed", async () => {
    expect(await heldAfter("neverNarrows", ["orders", "", "withId"], ["bills", "del", "withId"])).toEqual([
      "orders create read",
      "bills read del",
    ]);
  });
});
