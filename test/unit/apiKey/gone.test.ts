import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { openRun } from "../../../provider/core/run";
import { apiKey } from "../../../provider/resources/apiKey";
import { failureOf, refused, replying } from "../replying";
import { alive, keyOn, markedDeleted, missing, record, state } from "./keyAnswers";

const withoutIt = { apiKeys: [{ ...record, id: "key_2" }] };
const withIt = { apiKeys: [{ ...record, deleted: false }] };
const asDeleted = { apiKeys: [{ ...record, deleted: true }] };

const unreadable = [
  ...[403, 404, 405, 410, 501].map((status) => [`${status}`, refused(status)] as const),
  ["an object without a list", { keys: [] }],
  ["500", new CallError("ambiguous", "the service answered 500", 500)],
] as const;

describe.each(missing)("R6 a key whose GET is answered with %s", (_what, read) => {
  test("is gone if its workspace can be read, and the list lacks it or shows it as deleted", async () => {
    for (const list of [withoutIt, asDeleted, { apiKeys: null }]) {
      expect(await keyOn({ reads: [read], list }).read("key_1", state)).toBeUndefined();
    }
  });

  test("stays in state if the list keeps showing it as not deleted", async () => {
    await expect(keyOn({ reads: [read], list: withIt }).read("key_1", state)).rejects.toThrow(
      /, but its workspace lists it\. State is unchanged\. The access token may not/,
    );
  });

  test("stays in state if its workspace can't be read", async () => {
    const service = keyOn({ reads: [read], workspace: refused(404) });
    await expect(service.read("key_1", state)).rejects.toThrow(
      /workspace can't be read either.*State is unchanged.*`pulumi state delete`/,
    );
  });

  test.each(unreadable)("stays in state if the list is answered with %s", async (_list, list) => {
    await expect(keyOn({ reads: [read], list }).read("key_1", state)).rejects.toThrow(
      /list of keys can't be read to confirm.*State is unchanged.*APIKEYS_NO_KEY_LIST/,
    );
  });

  test.each(unreadable)(
    "is gone if the list is answered with %s and APIKEYS_NO_KEY_LIST is set",
    async (_list, list) => {
      const service = keyOn({ reads: [read], list, env: { APIKEYS_NO_KEY_LIST: "true" } });
      expect(await service.read("key_1", state)).toBeUndefined();
    },
  );

  test("stays in state if the list shows it as not deleted, even if APIKEYS_NO_KEY_LIST is set", async () => {
    const service = keyOn({ reads: [read], list: withIt, env: { APIKEYS_NO_KEY_LIST: "true" } });
    expect((await failureOf(service.read("key_1", state))).message).toContain("its workspace lists it");
  });
});

test("R6 a key that one GET did not find, but that the list shows, is read again and stays in state", async () => {
  const service = keyOn({ reads: [refused(410), alive], list: withIt });
  expect((await service.read("key_1", state))?.state).toMatchObject(state);
  expect(service.progress).toEqual([]);
});

test("R6 a key that the list of a lagging service still shows is gone once the list no longer does", async () => {
  const lists = [withIt, withIt, withIt];
  const service = keyOn({ reads: [refused(404)], list: () => lists.pop() ?? withoutIt });
  expect(await service.read("key_1", state)).toBeUndefined();
  expect(lists).toEqual([]);
});

test("R6 a key that neither one GET nor an incomplete list showed is read again and stays in state", async () => {
  const service = keyOn({ reads: [refused(404), alive], list: { apiKeys: [] } });
  expect((await service.read("key_1", state))?.state).toMatchObject(state);
});

describe("R6 a key that neither a GET nor the list of a lagging service shows", () => {
  const late = [refused(404), alive];

  test("is waited for, and stays in state if it shows up", async () => {
    const service = keyOn({ reads: late });
    expect((await service.read("key_1", state))?.state).toMatchObject(state);
    expect(service.progress).toEqual(["Waiting for the service to show key key_1."]);
  });

  test("is waited for even if APIKEYS_NO_KEY_LIST is set", async () => {
    const service = keyOn({ reads: late, list: refused(403), env: { APIKEYS_NO_KEY_LIST: "true" } });
    expect((await service.read("key_1", state))?.state).toMatchObject(state);
  });

  test("is waited for by an update, which then goes on, and by a refused deletion, which then fails", async () => {
    const updated = keyOn({ reads: late, write: { apiKey: { ...record, name: "new" } } });
    expect(await updated.update("key_1", state, { ...state, name: "new" })).toMatchObject({ name: "new" });
    await expect(keyOn({ reads: late, write: refused(404) }).delete("key_1", state)).rejects.toThrow(
      "the service answered 404. It stays in state",
    );
  });

  test("is gone if it doesn't show up, after one wait for all keys of the workspace", async () => {
    const service = keyOn({ reads: [refused(404)] });
    const requestsFor = async (id: string) => {
      const before = service.calls.length;
      expect(await service.read(id, state)).toBeUndefined();
      return service.calls.slice(before).map(({ path }) => path.split("/").at(-1));
    };
    expect(await requestsFor("key_1")).toEqual(["key_1", "ws_1", "api-key", "api-key", "key_1"]);
    expect(await requestsFor("key_9")).toEqual(["key_9", "ws_1", "key_9"]);
    expect(service.progress).toHaveLength(1);
  });

  test("is not gone if the run has ended, which ends the wait", async () => {
    const run = openRun();
    const service = replying(
      apiKey,
      ({ path }) => {
        run.stop("the test ended it");
        if (path.endsWith("/ws_1")) return { workspace: { id: "ws_1" } };
        if (path.endsWith("/api-key")) return { apiKeys: [] };
        throw refused(404);
      },
      { run },
    );
    const refreshed = await failureOf(service.read("key_1", state));
    expect(refreshed.message).toContain("the run ended before it could be confirmed. State is unchanged");
  });

  test.each([
    ["the GET shows it as deleted", { reads: [markedDeleted] }],
    ["the list shows it as deleted", { reads: [refused(404)], list: asDeleted }],
  ])("is not waited for if %s", async (_what, answers) => {
    const service = keyOn(answers);
    expect(await service.read("key_1", state)).toBeUndefined();
    expect(service.progress).toEqual([]);
  });
});

test("R6 a key whose record is marked deleted is gone even if the list leaves out `deleted`", async () => {
  const list = { apiKeys: [record] };
  expect(await keyOn({ reads: [markedDeleted], list }).read("key_1", state)).toBeUndefined();
  await failureOf(keyOn({ reads: [refused(404)], list }).read("key_1", state));
});
