import { describe, expect, test } from "vitest";
import { asks } from "../keyService";
import { failureOf } from "../replying";
import { declared, iso, type Kept, openRotated, rotating } from "./rotatingService";

test("T1: a key is rotated at rotatesAt, and the previous key is deleted at retiresAt", async () => {
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
    'RotatingApiKey "ci": key_1 is due: a new key will be created, and key_1 stays valid for the overlap.',
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
  expect(ci.told()).toEqual(['RotatingApiKey "ci": the overlap of key_1 is over: key_1 will be deleted.']);
  expect(ci.writes()).toEqual(["DELETE key_1"]);
  expect(kept.state).toMatchObject({ keyId: "key_2", rotatesAt: iso(181) });
  for (const name of ["previousKey", "previousKeyId", "retiresAt", "__previous"]) {
    expect(kept.state).not.toHaveProperty(name);
  }
  expect(ci.isQuiet(kept)).toBe(true);
  expect([...ci.live.keys()]).toEqual(["key_2"]);
});

test.each([{ name: "cd" }, { enabled: false }])(
  "T2 an edit changes both keys in place: %o",
  async (change) => {
    const { ci, kept } = await openRotated();
    const changed = { ...declared, ...change };
    const next = await ci.up(kept, changed);
    expect(ci.writes().toSorted()).toEqual(["PATCH key_1", "PATCH key_2"]);
    expect([...ci.live.values()]).toMatchObject([change, change]);
    expect(ci.isQuiet(next, changed)).toBe(true);
  },
);

test.each(["customerId", "prefix", "expiresAt", "externalMeterId", "metadata", "keepers"])(
  "T2: a change of %s, which replaces an ApiKey, rotates at once, with an overlap",
  async (name) => {
    const ci = rotating();
    const first = await ci.create();
    ci.at(1);
    const value = name === "expiresAt" ? 5 : /^(me|k)/.test(name) ? { a: "b" } : "other";
    const inputs = { ...declared, [name]: value };
    const kept = await ci.up(first, inputs);
    expect(ci.told()).toEqual([
      `RotatingApiKey "ci": ${name} changed: a new key will be created, and key_1 stays valid for the overlap.`,
    ]);
    expect(kept.state).toMatchObject({
      keyId: "key_2",
      previousKeyId: "key_1",
      rotatedAt: iso(1),
      [name]: value,
    });
    expect(ci.isQuiet(kept, inputs)).toBe(true);
  },
);

test("T2 rotateEvery, overlap and retire change without a request, and count from the times in state", async () => {
  const { ci, kept } = await openRotated();
  const inputs = { ...declared, rotateEvery: "240h", overlap: "1w", retire: "whenUnused" };
  const next = await ci.up(kept, inputs);
  expect(ci.calls).toEqual([]);
  expect(next.state).toMatchObject({
    rotateEvery: "240h",
    rotatesAt: iso(100),
    overlap: "1w",
    retiresAt: iso(97),
  });
  const longer = { ...inputs, overlap: "36h" };
  expect((await ci.up(next, longer)).state).toMatchObject({ overlap: "36h", retiresAt: iso(91.5) });
});

test("T2 while there is a previous key, a change that needs a new key fails before any request, with the way out", async () => {
  const { ci, kept } = await openRotated();
  const inputs = { ...declared, keepers: { a: "b" }, enabled: false };
  const { message } = await failureOf(ci.up(kept, inputs));
  expect(message).toBe(
    'The resource can\'t be updated: the change of keepers needs a new key, and there are never more than two. The previous key, key_1, still exists. Undo that change until an update has deleted it; to delete it without waiting, set overlap to "0d" and retire to "afterOverlap" until then.',
  );
  expect(ci.told()).toEqual([`RotatingApiKey "ci": APIKEYS3009: ${message}`]);
  expect(ci.calls).toEqual([]);

  const now = { ...inputs, overlap: "0d" };
  const retired = await ci.up(kept, now);
  expect(ci.told().join()).toContain("the overlap of key_1 is over: key_1 will be deleted.");
  expect(ci.writes()).toEqual(["PATCH key_2", "DELETE key_1"]);
  expect(retired.state).not.toHaveProperty("keepers");
  // The engine has already saved these inputs, so by itself it would see no change.
  expect(ci.diff(retired.id, retired.state, ci.check(now, now).inputs).changes).toBe(true);
  const last = await ci.up(retired, now);
  expect(ci.writes()).toEqual(["POST"]);
  expect(last.state).toMatchObject({
    keyId: "key_3",
    previousKeyId: "key_2",
    keepers: { a: "b" },
    retiresAt: iso(90),
  });
});

test("T1 if a deletion and a rotation are both due, one update deletes, and the next one rotates", async () => {
  const { ci, kept } = await openRotated();
  ci.at(500);
  const retired = await ci.up(kept);
  expect(ci.writes()).toEqual(["DELETE key_1"]);
  const next = await ci.up(retired);
  expect(ci.writes()).toEqual(["POST"]);
  expect(next.state).toMatchObject({ previousKeyId: "key_2", rotatedAt: iso(500) });
});

describe("with retire 'whenUnused',", () => {
  const inputs = { ...declared, retire: "whenUnused" };

  const kept = (lastUsedAt: string) =>
    `Rotating key "ci" in workspace ws_1: the previous key, key_1, is not deleted, because the service does not show that it was unused in its overlap (lastUsedAt: ${lastUsedAt}). It stays for another overlap; to delete it after that in any case, set retire to "afterOverlap".`;

  test("T5: the previous key is deleted only after a whole overlap without use", async () => {
    const { ci, kept: rotated } = await openRotated(inputs, 90, { lastUsedAt: iso(89.9) });
    ci.edit("key_1", { lastUsedAt: iso(96.9) });
    ci.at(97);
    const next = await ci.up(rotated, inputs);
    expect(ci.told().join()).toContain(
      "the overlap of key_1 is over: key_1 will be deleted if the service shows that it was unused in its overlap.",
    );
    expect(ci.warnings).toEqual([kept(iso(96.9))]);
    expect(ci.writes()).toEqual([]);
    expect(next.state).toMatchObject({ previousKeyId: "key_1", retiresAt: iso(104) });
    expect(ci.isQuiet(next, inputs)).toBe(true);
    ci.at(104);
    const last = await ci.up(next, inputs);
    expect(ci.writes()).toEqual(["DELETE key_1"]);
    expect(last.state).not.toHaveProperty("previousKeyId");
  });

  test.each([undefined, "", "0", "1", "1775001600", "last Tuesday", "2026-03-32"])(
    "T5 while lastUsedAt is %j, no date, the previous key stays, and a warning says why",
    async (lastUsedAt) => {
      const { ci, kept: rotated } = await openRotated(inputs, 90, { lastUsedAt });
      ci.at(97);
      const next = await ci.up(rotated, inputs);
      expect(next.state).toMatchObject({ previousKeyId: "key_1", retiresAt: iso(104) });
      expect(ci.warnings).toEqual([kept(lastUsedAt || "none")]);
      expect(ci.writes()).toEqual([]);
    },
  );

  test.each(["2026-04-01", "2026-04-01T00:00:00.000Z", "2026-04-01 06:00:00"])(
    "T5 a use on the day %s may be one after the overlap began",
    async (day) => {
      const { ci, kept: rotated } = await openRotated(inputs, 90.5, { lastUsedAt: day });
      ci.at(97.5);
      const again = await ci.up(rotated, inputs);
      expect(again.state).toMatchObject({ previousKeyId: "key_1", retiresAt: iso(104.5) });
      expect(ci.warnings).toEqual([kept(day)]);
      ci.at(104.5);
      expect((await ci.up(again, inputs)).state).not.toHaveProperty("previousKeyId");
    },
  );

  test("T5 a previous key whose last use is before its overlap is deleted at once", async () => {
    const { ci, kept: rotated } = await openRotated(inputs, 90, { lastUsedAt: "2026-04-01T01:59:59+02:00" });
    ci.at(97);
    expect((await ci.up(rotated, inputs)).state).not.toHaveProperty("previousKeyId");
    expect(ci.warnings).toEqual([]);
  });

  test("T5 a previous key that no longer exists is removed from state without a warning", async () => {
    const { ci, kept } = await openRotated(inputs);
    ci.live.delete("key_1");
    ci.at(97);
    const next = await ci.up(kept, inputs);
    expect(next.state).not.toHaveProperty("previousKeyId");
    expect(ci.warnings).toEqual([]);
  });

  test("T5 if the previous key can't be read, nothing is changed", async () => {
    const { ci, kept } = await openRotated(inputs);
    ci.at(97);
    ci.refuse(asks("GET", "key_1"), 500);
    const { message, kept: after } = await failureOf(ci.up(kept, inputs));
    expect(message).toContain("State is unchanged");
    expect(after).toBeUndefined();
    expect(ci.writes()).toEqual([]);
  });
});

describe("before the previous key is deleted", () => {
  test.each([
    ["was deleted", undefined, "key_3"],
    ["was disabled", { enabled: false }, "key_2"],
  ])(
    "T4: before the previous key is deleted, the current one is read: if that %s, the update fails and changes nothing",
    async (_, change, current) => {
      const { ci, kept } = await openRotated();
      ci.at(97);
      if (change === undefined) ci.live.delete("key_2");
      else ci.edit("key_2", change);
      const { message, kept: after } = await failureOf(ci.up(kept));
      expect(message).toContain(
        "nothing was changed, because key_2, the current key, was changed or deleted outside Pulumi. The previous key, key_1, would be deleted. Run `pulumi up --refresh`.",
      );
      expect([after, ci.writes()]).toEqual([undefined, []]);
      const { id, state } = (await ci.read(kept.id, kept.state)) as Kept;
      const next = await ci.up({ id, state });
      expect(next.state["keyId"]).toBe(current);
      expect([...ci.live.values()].filter(({ enabled }) => enabled)).not.toEqual([]);
    },
  );
});

describe("a clock that is behind the last rotation", () => {
  test("T7: a clock that is behind still gives the previous key its whole overlap once the clock is right again", async () => {
    const ci = rotating();
    const first = await ci.create();
    ci.at(-40);
    const inputs = { ...declared, keepers: { a: "b" } };
    const kept = await ci.up(first, inputs);
    expect(kept.state).toMatchObject({ rotatedAt: iso(-40), retiresAt: iso(7) });
    expect(ci.isQuiet(kept, inputs)).toBe(true);
  });

  test("T7 a clock that is behind delays neither a deletion with overlap '0d' nor a rotation because of a change", async () => {
    const { ci, kept } = await openRotated();
    ci.at(-400);
    const inputs = { ...declared, overlap: "0d", keepers: { a: "b" } };
    const retired = await ci.up(kept, inputs);
    expect(ci.writes()).toEqual(["DELETE key_1"]);
    expect((await ci.up(retired, inputs)).state).toMatchObject({ keyId: "key_3", rotatedAt: iso(-400) });
  });
});

describe("the end of a rotating key:", () => {
  test("T8: destroy deletes both keys, and those that were still to be deleted; the next destroy deletes what is left", async () => {
    const { ci, kept } = await openRotated();
    ci.live.set("key_9", { id: "key_9" });
    const state = { ...kept.state, toDelete: ["key_9"] };
    ci.refuse(asks("DELETE", "key_1"));
    const { message } = await failureOf(ci.delete(kept.id, state));
    expect(message).toMatch(
      /^Deleting the rotating key "ci" in workspace ws_1: 1 of 3 failed\. The resource stays in state.*\(key_1\)/s,
    );
    expect([...ci.live.keys()]).toEqual(["key_1"]);
    ci.mend();
    await ci.delete(kept.id, state);
    expect(ci.live.size).toBe(0);
  });

  test.each([
    ["workspaceId", { workspaceId: "ws_2" }, ["workspaceId"]],
    ["existingKey", { existingKey: "sk_x" }, ["existingKey"]],
  ])("T2 a change of %s replaces the resource", async (_, change, replaces) => {
    const { ci, kept } = await openRotated();
    const { inputs } = ci.check({ ...declared, ...change }, undefined);
    expect(ci.diff(kept.id, kept.state, inputs).replaces).toEqual(replaces);
  });
});
