import { describe, expect, test } from "vitest";
import { iso, type Kept, openRotated, type rotating } from "./rotatingService";

describe("a refresh", () => {
  const refreshed = async (ci: ReturnType<typeof rotating>, { id, state }: Kept) => ci.read(id, state);

  test("T6: a refresh neither rotates nor deletes, however long that has been due", async () => {
    const { ci, kept } = await openRotated();
    ci.at(900);
    expect(await refreshed(ci, kept)).toEqual(kept);
    expect(ci.writes()).toEqual([]);
  });

  test("T6 a refresh keeps the previous key in state if the current one is gone, and the next update creates a new one", async () => {
    const { ci, kept } = await openRotated();
    ci.live.delete("key_2");
    const found = (await refreshed(ci, kept)) as Kept;
    expect(found.state).toMatchObject({ previousKey: "sk_key_1", previousKeyId: "key_1", customerId: "c" });
    for (const name of ["key", "keyId", "retiresAt", "rotatedAt", "maskedKey"]) {
      expect(found.state).not.toHaveProperty(name);
    }
    ci.at(99);
    const next = await ci.up(found);
    expect(ci.told().join()).toContain("it has no current key: a new key will be created.");
    expect(ci.writes()).toEqual(["POST"]);
    expect(next.state).toMatchObject({ keyId: "key_3", previousKeyId: "key_1", retiresAt: iso(106) });
    expect(ci.isQuiet(next)).toBe(true);
  });

  test("T6 a refresh removes a previous key that is gone from state", async () => {
    const { ci, kept } = await openRotated();
    ci.live.delete("key_1");
    const found = (await refreshed(ci, kept)) as Kept;
    for (const name of ["previousKey", "previousKeyId", "retiresAt", "__previous"]) {
      expect(found.state).not.toHaveProperty(name);
    }
    expect(ci.isQuiet(found)).toBe(true);
  });

  test("T6 a refresh removes the resource from state if both keys are gone, unless another key is still to be deleted", async () => {
    const { ci, kept } = await openRotated();
    ci.live.delete("key_1");
    ci.live.delete("key_2");
    expect(await refreshed(ci, kept)).toBeUndefined();
    ci.live.set("key_9", { id: "key_9" });
    const leftover = { ...kept, state: { ...kept.state, toDelete: ["key_9"] } };
    expect((await refreshed(ci, leftover))?.state).toMatchObject({ toDelete: ["key_9"] });
  });

  test("T6 a refresh finds a change made to the previous key outside Pulumi, and the next update reverts it", async () => {
    const { ci, kept } = await openRotated();
    ci.edit("key_1", { enabled: false });
    const found = (await refreshed(ci, kept)) as Kept;
    const next = await ci.up(found);
    expect(ci.writes()).toEqual(["PATCH key_1"]);
    expect(ci.live.get("key_1")).toMatchObject({ enabled: true });
    expect(ci.isQuiet(next)).toBe(true);
  });
});

test("K6 a refresh warns if the secret of the current or the previous key was regenerated in the service", async () => {
  const { ci, kept } = await openRotated();
  for (const key of ci.live.values()) key["maskedKey"] = "sk_****beef";
  await ci.read(kept.id, kept.state);
  expect(ci.warnings).toEqual([
    expect.stringMatching(
      /^For each of 2 keys \("current", "previous"\): The service shows another secret, .*: key_2, key_1\.$/,
    ),
  ]);
});
