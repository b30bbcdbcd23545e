import { describe, expect, test } from "vitest";
import { openRun } from "../../../provider/core/run";
import { failureOf, type Options } from "../replying";
import { asks, declared, iso, spoilable } from "./rotatingService";

test("K5 with existingKey, the first key is migrated, and later ones are created", async () => {
  const ci = spoilable();
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

describe("K11 an adopted key", () => {
  const inputs = { ...declared, existingId: "key_old", scopes: [], enabled: false };
  const adopted = (options?: Options) => {
    const ci = spoilable(options);
    ci.live.set("key_old", { id: "key_old", name: "ci", customerId: "c", enabled: true, scopes: [] });
    return ci;
  };

  test("is the first key, without a secret, and later ones are created", async () => {
    const ci = adopted();
    const first = await ci.create(inputs);
    expect(ci.told()).toEqual([
      'Rotating key "ci" in workspace ws_1: 1 existing key to adopt, without its secret: key_old; nothing to create.',
    ]);
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

  test("is adopted again and not deleted if only the engine replaces the resource", async () => {
    const ci = adopted();
    const first = await ci.create(inputs);
    ci.writes();
    const { inputs: compared } = ci.check(inputs, inputs, "ci");
    const { inputs: again } = ci.check(compared, undefined, "ci");
    const second = await ci.createChecked(again);
    expect(second.state).toMatchObject({ keyId: "key_old", existingId: "key_old" });
    await ci.delete(first.id, first.state);
    expect(ci.writes()).toEqual([]);
    expect([...ci.live.keys()]).toEqual(["key_old"]);
  });

  test("can't change its workspace while existingId stays the same or is added, but keepers rotates it", () => {
    const ci = adopted();
    const { existingId: _, ...without } = inputs;
    for (const before of [inputs, without]) {
      expect(ci.check({ ...inputs, workspaceId: "ws_2" }, before, "ci").failures).toEqual([
        expect.stringMatching(/^workspaceId: can't change while existingId stays the same or is added/),
      ]);
      expect(ci.check({ ...inputs, keepers: { a: "1" }, customerId: "d" }, before, "ci").failures).toEqual(
        [],
      );
    }
  });

  test("is not deleted if the result of its adoption can't be saved", async () => {
    const run = openRun();
    const ci = adopted({ run });
    ci.once(asks("GET", "key_old"), (answer) => {
      run.stop("the engine exited");
      return answer();
    });
    await failureOf(ci.create(inputs));
    expect(ci.live.has("key_old")).toBe(true);
  });
});
