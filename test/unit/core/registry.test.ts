import { expect, test } from "vitest";
import { objectIdentity, openDeclarations, openRegistry } from "../../../provider/core/registry";

test("an object that was dropped is in the registry again once its id is added again", () => {
  const registry = openRegistry();
  registry.add("ws_1", "id");
  registry.drop("ws_1", "id");
  expect([registry.has("ws_1", "id"), registry.isDropped("ws_1", "id")]).toEqual([false, true]);
  registry.add("ws_1", "id");
  expect([registry.has("ws_1", "id"), registry.isDropped("ws_1", "id")]).toEqual([true, false]);
});

test("the same id in another workspace is another object", () => {
  const registry = openRegistry();
  registry.add("ws_2", "id");
  expect([registry.has("ws_1", "id"), registry.isDropped("ws_1", "id")]).toEqual([false, false]);
});

test("K11 a resource that holds an object is its owner, except while the engine replaces or deletes that resource", () => {
  const all = openDeclarations();
  const identity = objectIdentity("ws_1", "id");
  expect(all.ownerOf(identity, "ApiKey", "b")).toBeUndefined();
  all.add("ApiKey", "a", [], []);
  expect(all.hold("ApiKey", "a", identity)).toBeUndefined();
  expect(all.ownerOf(identity, "ApiKey", "b")).toEqual({ name: "a", hasIt: true });
  expect(all.ownerOf(identity, "ApiKey", undefined)).toEqual({ name: "a", hasIt: true });
  expect(all.ownerOf(identity, "ApiKey", "a")).toBeUndefined();
  // The engine checks a resource without its former inputs before it replaces it.
  all.add("ApiKey", "a", [], undefined);
  expect(all.ownerOf(identity, "ApiKey", undefined)).toBeUndefined();
});
