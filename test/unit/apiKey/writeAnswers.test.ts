import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { type Asked, failureOf, nameIn, refused, replying } from "../replying";
import { type Answers, alive, keyOn, record, state } from "./keyAnswers";

describe("R6 an update whose PATCH is refused", () => {
  const changed = { ...state, enabled: false };
  const updating = (answers: Answers) => failureOf(keyOn(answers).update("key_1", state, changed));

  test.each([404, 410])("with %i does not say that an existing key was deleted", async (status) => {
    const { message, kept } = await updating({ write: refused(status) });
    expect(message).toMatch(new RegExp(`the service answered ${status}\\. State is unchanged\\. Check`));
    expect(kept).toBeUndefined();
  });

  test("with another status is reported with that status, even if the key can't be read afterwards", async () => {
    const down = new CallError("ambiguous", "the service answered 503", 503);
    const { message } = await updating({ write: refused(422), reads: [alive, down] });
    expect(message).toContain("the service answered 422. State is unchanged. Check");
  });

  test.each([404, 409, 410])("with %i says that the key no longer exists if it is gone", async (status) => {
    const { message } = await updating({ write: refused(status), reads: [alive, refused(404)] });
    expect(message).toMatch(/no longer exists.*State is unchanged\. Run `pulumi up --refresh`/);
  });
});

test("R6 an update whose PATCH is refused after a lost answer says that the key no longer exists if it is gone", async () => {
  const unclear = new CallError("ambiguous", "the service answered 404", 404);
  const updating = (answers: Answers) =>
    failureOf(keyOn(answers).update("key_1", state, { ...state, enabled: false }));
  const { message } = await updating({ write: unclear, reads: [alive, refused(404)] });
  expect(message).toMatch(/no longer exists.*State is unchanged\. Run `pulumi up --refresh`/);
  const doubt = await updating({ write: unclear });
  expect(doubt.message).toContain("It is not known whether the change was applied");
});

describe("R4 a write that is carried out a little later", () => {
  const later = { apiKey: { ...record, enabled: false } };
  const changed = { ...state, enabled: false };

  test.each([
    ["the key as it was", alive],
    ["nothing", ""],
  ])("is waited for if PATCH is answered with %s", async (_what, write) => {
    const service = keyOn({ write, reads: [alive, alive, alive, later] });
    expect(await service.update("key_1", state, changed)).toMatchObject({ enabled: false });
    expect(service.calls.map(({ method }) => method).join(" ")).toBe("GET PATCH GET GET GET");
    expect(service.progress).toEqual(["Waiting for key key_1 to match the program."]);
  });

  test("K6 is waited for if a created key can't be read yet, and its secret is kept", async () => {
    const created = { apiKey: { id: "key_1", key: "sk_1" } };
    const service = keyOn({ write: created, reads: [refused(404), refused(404), alive] });
    const { key: _, ...inputs } = state;
    expect((await service.create(inputs)).state).toMatchObject({ key: "sk_1", name: "ci" });
  });
});

describe("K6 a create that is answered with 409, which a proxy may have caused by repeating it,", () => {
  const conflict = new CallError("ambiguous", 'the service answered 409 "it exists"', 409);
  const { key: _, ...inputs } = state;

  test("names the key that it may have created", async () => {
    let lists = 0;
    const service = replying(apiKey, ({ method }) => {
      if (method === "POST") throw conflict;
      lists += 1;
      return { apiKeys: lists === 1 ? [] : [record] };
    });
    const { message, unresolved } = await failureOf(service.create(inputs));
    expect(message).toMatch(
      /409 "it exists"\. It is not known whether the key was created.*New in the .*key_1\. If/,
    );
    expect(unresolved).toBe(true);
  });

  test("says what to check in case the service refused it", async () => {
    const service = keyOn({ write: conflict, list: { apiKeys: [] } });
    const { message } = await failureOf(service.create(inputs));
    expect(message).toMatch(
      /list shows no new key.*If the service refused it: Check that workspace ws_1.*a replacement needs another name.*several changes at a time, .*--parallel 1/,
    );
    expect(message).not.toContain("Nothing was created");
    expect(service.calls.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  const busy = (isListed: boolean) => {
    const made: object[] = [];
    const posts: string[] = [];
    let isBusy = false;
    const pause = () => setTimeout(5);
    const answer = async (asked: Asked) => {
      const name = nameIn(asked);
      if (asked.method === "GET" && !isListed) throw refused(403);
      if (asked.method === "GET") return { apiKeys: [...made] };
      posts.push(name);
      if (isBusy) throw conflict;
      isBusy = true;
      await pause();
      isBusy = false;
      const apiKey = { ...record, id: `key_${name}`, name };
      made.push(apiKey);
      return { apiKey: { ...apiKey, key: `sk_${name}` } };
    };
    const keys = replying(apiKey, answer, { pause });
    const all = ["a", "b", "c", "d"].map((name) => keys.create({ ...inputs, name }));
    return { posts, made, all };
  };

  test("is sent once more, one at a time, if the list shows that nothing has come of it", async () => {
    const { posts, made, all } = busy(true);
    expect((await Promise.all(all)).map(({ id }) => id)).toEqual(["key_a", "key_b", "key_c", "key_d"]);
    expect(posts.toSorted()).toEqual(["a", "b", "b", "c", "c", "d", "d"]);
    expect(made).toHaveLength(4);
  });

  test("is not sent again if the list can't be read", async () => {
    const { posts, all } = busy(false);
    const failed = (await Promise.allSettled(all)).filter(({ status }) => status === "rejected");
    expect([posts.length, failed.length]).toEqual([4, 3]);
  });
});
