import { describe, expect, test } from "vitest";
import { declared, iso, rotating } from "./rotatingService";

test("K5 with existingKey, the first key is migrated, and later ones are created", async () => {
  const ci = rotating();
  const inputs = { ...declared, existingKey: "sk_old" };
  const first = await ci.create(inputs);
  expect(ci.calls.find(({ method }) => method === "POST")?.path).toMatch(/migrate$/);
  expect(first.state).toMatchObject({ key: "sk_old", keyId: "key_1" });
  ci.at(90);
  ci.calls.splice(0);
  const kept = await ci.up(first, inputs);
  expect(ci.calls.find(({ method }) => method === "POST")?.body).not.toHaveProperty("key");
  expect(kept.state).toMatchObject({ keyId: "key_2", previousKey: "sk_old" });
  expect(ci.isQuiet(kept, inputs)).toBe(true);
  expect(ci.isQuiet(kept, declared)).toBe(true);
  // The program still declares existingKey, although that key is deleted.
  ci.at(97);
  const retired = await ci.up(kept, inputs);
  expect(ci.isQuiet(retired, inputs)).toBe(true);
});

describe("an adopted key", () => {
  const inputs = { ...declared, existingId: "key_old", scopes: [], enabled: false };
  const adopted = () => {
    const ci = rotating();
    ci.live.set("key_old", { id: "key_old", name: "ci", customerId: "c", enabled: true, scopes: [] });
    return ci;
  };

  test("K11 an adopted key is the first key, without a secret, and later ones are created", async () => {
    const ci = adopted();
    const first = await ci.create(inputs);
    expect(ci.told()).toEqual(["1 existing key to adopt, without its secret: key_old; nothing to create."]);
    expect(ci.writes()).toEqual(["PATCH key_old"]);
    expect(first.state).toMatchObject({ keyId: "key_old", rotatedAt: iso(0) });
    expect(first.state).not.toHaveProperty("key");
    expect(ci.isQuiet(first, inputs)).toBe(true);
    expect(ci.isQuiet(first, { ...inputs, existingId: undefined })).toBe(true);
    ci.at(90);
    const kept = await ci.up(first, inputs);
    expect(ci.writes()).toEqual(["POST"]);
    expect(kept.state).toMatchObject({ key: "sk_key_1", previousKeyId: "key_old", existingId: "key_old" });
    expect(kept.state).not.toHaveProperty("previousKey");
    ci.at(97);
    const retired = await ci.up(kept, inputs);
    expect(ci.writes()).toEqual(["DELETE key_old"]);
    expect(ci.isQuiet(retired, inputs)).toBe(true);
  });

  const given = { ...inputs, enabled: true, existingKey: "sk_old" };

  test("K11 an adopted key with existingKey has its secret, also as the previous key", async () => {
    const ci = adopted();
    const preview = ci.preview(ci.check(given, undefined).inputs);
    expect(preview).toMatchObject({ keyId: "key_old", key: "sk_old" });
    const first = await ci.create(given);
    expect([ci.writes(), first.state["key"]]).toEqual([[], "sk_old"]);
    ci.at(90);
    const kept = await ci.up(first, given);
    expect(kept.state).toMatchObject({ key: "sk_key_1", previousKey: "sk_old", previousKeyId: "key_old" });
    expect(ci.isQuiet(kept, given)).toBe(true);
  });

  test.each([0, 90])("K11 an adopted key gets its secret later, in an update on day %i", async (day) => {
    const ci = adopted();
    const without = { ...given, existingKey: undefined };
    let kept = await ci.create(without);
    ci.at(day);
    kept = await ci.up(kept, without);
    const name = day === 0 ? "key" : "previousKey";
    const before = ci.check(given, without).inputs;
    expect(ci.preview(before, kept)).toMatchObject({ [name]: "sk_old" });
    ci.writes();
    const done = await ci.up(kept, given);
    expect([ci.writes(), done.state[name]]).toEqual([[], "sk_old"]);
    expect(done.state["keyId"]).toBe(kept.state["keyId"]);
    expect(ci.isQuiet(done, given)).toBe(true);
  });
});

test.each([{ existingKey: "sk_old" }, { existingId: "key_old", scopes: [] }])(
  "K5 K11 T2 while %o stays, another workspace fails the check, but keepers and another customer rotate the key",
  (existing) => {
    const before = { ...declared, ...existing };
    const failures = (more: object) => rotating().check({ ...before, ...more }, before).failures;
    expect(failures({ workspaceId: "ws_2" })).toEqual([
      expect.stringMatching(/^workspaceId: can't change while the resource keeps an existing key/),
    ]);
    expect(failures({ keepers: { a: "1" }, customerId: "d" })).toEqual([]);
  },
);
