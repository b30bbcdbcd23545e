import { expect, test } from "vitest";
import { openRegistry } from "../../provider/core/registry";

test("an object stays known until its last claim is released and it was dropped", () => {
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

test("who only looks at an object does not claim it", () => {
  const registry = openRegistry();
  registry.add("ws_1", "id");
  registry.claim("ws_1", "id", "one");
  expect(registry.release("ws_1", "id", "one")).toBe(false);
  expect(registry.has("ws_1", "id")).toBe(true);
});

test("one that was dropped is known again once its id is met again", () => {
  const registry = openRegistry();
  registry.add("ws_1", "id");
  registry.drop("ws_1", "id");
  registry.add("ws_1", "id");
  expect([registry.has("ws_1", "id"), registry.isDropped("ws_1", "id")]).toEqual([true, false]);
});

test("one that nobody has met is claimed by nobody, and ids count anew in each workspace", () => {
  const registry = openRegistry();
  registry.claim("ws_2", "id", "one");
  expect(registry.has("ws_1", "id")).toBe(false);
  expect(registry.isDropped("ws_1", "id")).toBe(false);
  expect(registry.release("ws_1", "id", "")).toBe(false);
});
