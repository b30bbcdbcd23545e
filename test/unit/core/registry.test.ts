import { expect, test } from "vitest";
import { openRegistry } from "../../../provider/core/registry";

test("an object stays in the registry until its last claim is released and it is dropped", () => {
  const registry = openRegistry();
  for (const claim of ["", "one", "two", "two"]) registry.claim("ws_1", "id", claim);
  expect(registry.release("ws_1", "id", "two")).toBe(true);
  expect(registry.release("ws_1", "id", "")).toBe(true);
  registry.drop("ws_1", "id");
  expect(registry.has("ws_1", "id")).toBe(true);
  expect(registry.release("ws_1", "id", "one")).toBe(false);
  expect(registry.isDropped("ws_1", "id")).toBe(false);
  registry.drop("ws_1", "id");
  expect([registry.has("ws_1", "id"), registry.isDropped("ws_1", "id")]).toEqual([false, true]);
});

test("adding an object does not claim it", () => {
  const registry = openRegistry();
  registry.add("ws_1", "id");
  registry.claim("ws_1", "id", "one");
  expect(registry.release("ws_1", "id", "one")).toBe(false);
  expect(registry.has("ws_1", "id")).toBe(true);
});

test("an object that was dropped is in the registry again once its id is added again", () => {
  const registry = openRegistry();
  registry.add("ws_1", "id");
  registry.drop("ws_1", "id");
  registry.add("ws_1", "id");
  expect([registry.has("ws_1", "id"), registry.isDropped("ws_1", "id")]).toEqual([true, false]);
});

test("an object that was never added has no claims, and the same id in another workspace is another object", () => {
  const registry = openRegistry();
  registry.claim("ws_2", "id", "one");
  expect(registry.has("ws_1", "id")).toBe(false);
  expect(registry.isDropped("ws_1", "id")).toBe(false);
  expect(registry.release("ws_1", "id", "")).toBe(false);
});
