import { expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { asks } from "../keyService";
import { refused } from "../replying";
import { declared, iso, type Kept, openFailedRotation, openRotated, rotating } from "./rotatingService";

const lost = () => new CallError("ambiguous", "the connection ended");

function answeredThenLost(answer: () => unknown): never {
  answer();
  throw lost();
}

function withoutSecret(answer: () => unknown) {
  const { apiKey } = answer() as { apiKey: object };
  return { apiKey: { ...apiKey, key: undefined } };
}

test.each([
  ["lost", lost, "key_2"],
  ["refused", () => refused(400), "key_2"],
  ["lost, although a key was created", lost, "key_3"],
])(
  "T3 K6 if the answer to a rotation's POST is %s, the current key stays, and the next update rotates",
  async (_, error, next) => {
    const isMade = next === "key_3";
    const { ci, failed } = await openFailedRotation((answer) => {
      if (isMade) answer();
      throw error();
    });
    expect(failed.message.includes("the new one: key_2")).toBe(isMade);
    const current = { key: "sk_key_1", keyId: "key_1", rotatedAt: iso(0) };
    expect(failed.state).toMatchObject({ ...current, __failed: true });
    expect(failed.state).not.toHaveProperty("previousKeyId");
    const { state } = await ci.up(failed);
    expect(state).toMatchObject({ keyId: next, previousKeyId: "key_1", retiresAt: iso(97) });
    expect(/already has a key with the name and customer .*: key_2/.test(ci.warnings.join())).toBe(isMade);
  },
);

test("T3: a new key without its secret does not become current, and is deleted before another is created", async () => {
  const { ci, failed } = await openFailedRotation(withoutSecret);
  expect(failed.message).toContain("did not return the secret");
  expect(failed.state).toMatchObject({
    key: "sk_key_1",
    keyId: "key_1",
    toDelete: ["key_2"],
  });
  const next = await ci.up(failed);
  expect(ci.told().join()).toContain("key_2, whose secret is not in state, will be deleted; key_1 is due");
  expect(ci.writes()).toEqual(["DELETE key_2", "POST"]);
  expect(next.state).toMatchObject({ keyId: "key_3", previousKeyId: "key_1" });
  expect(next.state).not.toHaveProperty("toDelete");
  expect(ci.isQuiet(next)).toBe(true);
});

test("T3 while a key without its secret can't be deleted, no other key is created", async () => {
  const { ci, failed } = await openFailedRotation(withoutSecret);
  ci.refuse(asks("DELETE"));
  const again = await ci.failed(ci.up(failed));
  expect(again.message).toContain("Deleting the key in workspace ws_1 (key_2)");
  expect(ci.live.size).toBe(2);
  ci.mend();
  expect((await ci.up(again)).state).toMatchObject({ keyId: "key_3", previousKeyId: "key_1" });
});

test("K6 a first key without its secret is replaced by the next update", async () => {
  const ci = rotating();
  ci.once(asks("POST"), withoutSecret);
  const failed = await ci.failed(ci.create());
  expect(failed.state).not.toHaveProperty("keyId");
  const next = await ci.up(failed);
  expect(next.state).toMatchObject({ key: "sk_key_2", keyId: "key_2", rotatedAt: iso(0) });
  expect([...ci.live.keys()]).toEqual(["key_2"]);
  expect(ci.isQuiet(next)).toBe(true);
});

test.each([
  ["7d", 307],
  ["0d", 300],
])(
  "T4 the overlap of %s begins only when the new key is confirmed to match the program",
  async (overlap, end) => {
    const inputs = { ...declared, overlap };
    const ci = rotating();
    const first = await ci.create(inputs);
    ci.at(90);
    // The key is created, but the answer leaves its scopes out, and every later request fails.
    let isMade = false;
    ci.always(
      () => true,
      (answer) => {
        if (isMade) throw refused(500);
        const given = answer() as { apiKey?: { id: string } };
        isMade = given.apiKey?.id === "key_2";
        return isMade ? { apiKey: { ...given.apiKey, scopes: undefined } } : given;
      },
    );
    const failed = await ci.failed(ci.up(first, inputs));
    expect(failed.message).toContain("key_2");
    expect(failed.state).toMatchObject({
      keyId: "key_2",
      key: "sk_key_2",
      previousKeyId: "key_1",
      previousKey: "sk_key_1",
    });
    expect(failed.state).not.toHaveProperty("retiresAt");
    ci.mend();
    ci.writes();
    ci.told();
    ci.at(300);
    const next = await ci.up(failed, inputs);
    expect(ci.told().join()).toContain("failed halfway, so it is updated again");
    expect(ci.writes()).toEqual(["PATCH key_2"]);
    expect(next.state).toMatchObject({ keyId: "key_2", previousKeyId: "key_1", retiresAt: iso(end) });
  },
);

test("T4 the overlap begins with the next update, without a request, if a refresh has found the new key as declared", async () => {
  const { ci, kept } = await openRotated();
  const { retiresAt: _, ...unconfirmed } = kept.state;
  ci.at(300);
  const read = (await ci.read(kept.id, { ...unconfirmed, __failed: true })) as Kept;
  const next = await ci.up(read);
  expect(ci.writes()).toEqual([]);
  expect(next.state).toMatchObject({ previousKeyId: "key_1", retiresAt: iso(307) });
});

test("T4 the previous key is not deleted while the current one can't be made to match the program", async () => {
  const { ci, kept } = await openRotated();
  ci.at(97);
  ci.refuse(asks("PATCH"), 400);
  const disabled = { ...declared, enabled: false };
  const failed = await ci.failed(ci.up(kept, disabled));
  expect(failed.state).toMatchObject({ previousKeyId: "key_1", retiresAt: iso(97), enabled: true });
  expect([...ci.live.keys()]).toEqual(["key_1", "key_2"]);
  ci.mend();
  expect((await ci.up(failed, disabled)).state).not.toHaveProperty("previousKeyId");
  expect([...ci.live.keys()]).toEqual(["key_2"]);
});

test("T2 after a PATCH of the previous key whose result is unknown, the next update writes it, even if the program is as before", async () => {
  const { ci, kept } = await openRotated();
  ci.always(asks("PATCH", "key_1"), answeredThenLost);
  const failed = await ci.failed(ci.up(kept, { ...declared, enabled: false }));
  expect(failed.message).toMatch(
    /^Updating the rotating key "ci" in workspace ws_1: 1 of 2 failed\. State records/,
  );
  expect(failed.state).toMatchObject({ enabled: false, __previous: { enabled: true } });
  expect(ci.live.get("key_1")).toMatchObject({ enabled: false });
  ci.mend();
  ci.told();
  const next = await ci.up(failed);
  expect(ci.told().join()).toContain("failed halfway");
  expect(ci.live.get("key_1")).toMatchObject({ enabled: true });
  expect(ci.isQuiet(next)).toBe(true);
});

test.each([
  ["refused", () => refused(403)],
  ["lost", lost],
])(
  "R7 if the answer to its deletion is %s, the previous key stays in state until a later update deletes it",
  async (_, error) => {
    const { ci, kept } = await openRotated();
    ci.at(97);
    ci.always(asks("DELETE"), () => {
      throw error();
    });
    const failed = await ci.failed(ci.up(kept, { ...declared, keepers: { a: "b" } }));
    expect(failed.message).toContain('\n"previous": Deleting key "ci" in workspace ws_1 (key_1)');
    expect(failed.state).toMatchObject({
      previousKey: "sk_key_1",
      previousKeyId: "key_1",
      retiresAt: iso(97),
    });
    expect(failed.state).not.toHaveProperty("toDelete");
    ci.mend();
    const next = await ci.up(failed);
    expect(next.state).not.toHaveProperty("previousKeyId");
    expect(ci.isQuiet(next)).toBe(true);
  },
);

test("T3 the next update deletes a key without its secret, even if no rotation is due any more", async () => {
  const { ci, failed } = await openFailedRotation(withoutSecret);
  const later = { ...declared, rotateEvery: "200d" };
  const { __failed, ...state } = failed.state;
  expect(__failed).toBe(true);
  const next = await ci.up({ ...failed, state: { ...state, rotateEvery: "200d" } }, later);
  expect(ci.writes()).toEqual(["DELETE key_2"]);
  expect(ci.isQuiet(next, later)).toBe(true);
});
