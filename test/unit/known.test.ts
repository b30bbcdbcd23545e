import { expect, test } from "vitest";
import { openKnown } from "../../provider/core/registry";

const here = { workspaceId: "ws_1" };

test("an object stays known until its last holder released it and it was dropped", () => {
  const known = openKnown();
  for (const holder of ["", "one", "two", "two"]) known.add(here, "id", holder);
  expect(known.release(here, "id", "two")).toBe(true);
  expect(known.release(here, "id", "")).toBe(true);
  known.drop(here, "id");
  expect(known.has(here, "id")).toBe(true);
  expect(known.release(here, "id", "one")).toBe(false);
  expect(known.isDropped(here, "id")).toBe(false);
  known.drop(here, "id");
  expect([known.has(here, "id"), known.isDropped(here, "id")]).toEqual([false, true]);
});

test("who only looks at an object does not hold it", () => {
  const known = openKnown();
  known.add(here, "id");
  known.add(here, "id", "one");
  expect(known.release(here, "id", "one")).toBe(false);
  expect(known.has(here, "id")).toBe(true);
});

test("one that nobody has met is held by nobody, and ids count anew in each workspace", () => {
  const known = openKnown();
  known.add({ workspaceId: "ws_2" }, "id", "one");
  expect(known.has(here, "id")).toBe(false);
  expect(known.isDropped(here, "id")).toBe(false);
  expect(known.release(here, "id", "")).toBe(false);
});
