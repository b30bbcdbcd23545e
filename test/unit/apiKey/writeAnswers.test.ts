import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { failureOf, refused, replying } from "../replying";
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
      /list shows no new key.*If the service refused it: Check that workspace ws_1.*a replacement needs another name/,
    );
    expect(message).not.toContain("Nothing was created");
  });
});
