import { expect, test } from "vitest";
import { declared, rotating, start } from "./rotatingService";

const iso = (day: number) => new Date(start + day * 86_400_000).toISOString();

test("T1 a key is rotated when it is old enough, and the one before is deleted when its overlap is over", async () => {
  const ci = rotating();
  let kept = await ci.create();
  expect(kept.state).toMatchObject({
    key: "sk_key_1",
    keyId: "key_1",
    rotatedAt: iso(0),
    rotatesAt: iso(90),
    overlap: "7d",
    retire: "afterOverlap",
  });
  expect(kept.state).not.toHaveProperty("previousKeyId");
  expect(ci.writes()).toEqual(["POST"]);

  ci.at(89.9);
  expect(ci.isQuiet(kept)).toBe(true);
  ci.at(91);
  kept = await ci.up(kept);
  expect(ci.told()).toEqual([
    'Rotating key "ci" in workspace ws_1: key_1 is 91 days old: a new key will be made; key_1 stays valid until 2026-04-09.',
  ]);
  expect(ci.writes()).toEqual(["POST"]);
  expect(kept.state).toMatchObject({
    key: "sk_key_2",
    keyId: "key_2",
    previousKey: "sk_key_1",
    previousKeyId: "key_1",
    rotatedAt: iso(91),
    rotatesAt: iso(181),
    retiresAt: iso(98),
  });
  expect(ci.isQuiet(kept)).toBe(true);

  ci.at(97.9);
  expect(ci.isQuiet(kept)).toBe(true);
  ci.at(98);
  kept = await ci.up(kept);
  expect(ci.told()).toEqual([
    'Rotating key "ci" in workspace ws_1: the overlap of key_1 ended on 2026-04-09: key_1 will be deleted.',
  ]);
  expect(ci.writes()).toEqual(["DELETE key_1"]);
  expect(kept.state).toMatchObject({ keyId: "key_2", rotatesAt: iso(181) });
  for (const name of ["previousKey", "previousKeyId", "retiresAt", "__previous"]) {
    expect(kept.state).not.toHaveProperty(name);
  }
  expect(ci.isQuiet(kept)).toBe(true);
  expect([...ci.live.keys()]).toEqual(["key_2"]);
});

test("T2 name, scopes and enabled change on both keys, and nothing else is made", async () => {
  const ci = rotating();
  let kept = await ci.create();
  ci.at(90);
  kept = await ci.up(kept);
  ci.writes();
  const narrower = { ...declared, enabled: false };
  kept = await ci.up(kept, narrower);
  expect(ci.writes().toSorted()).toEqual(["PATCH key_1", "PATCH key_2"]);
  expect([...ci.live.values()].map(({ enabled }) => enabled)).toEqual([false, false]);
  expect(ci.isQuiet(kept, narrower)).toBe(true);
});
