import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { longestLagMs } from "../../../provider/core/existence";
import { openRun } from "../../../provider/core/run";
import { refused } from "../replying";
import { type Answers, alive, keyOn, markedDeleted, missing, record, state } from "./keyAnswers";

const withoutIt = { apiKeys: [{ ...record, id: "key_2" }] };
const withIt = { apiKeys: [{ ...record, deleted: false }] };
const asDeleted = { apiKeys: [{ ...record, deleted: true }] };
const reading = (answers: Answers) => keyOn(answers).read("key_1", state);
const pausing = () => {
  const pauses: number[] = [];
  return { pauses, pause: async (ms: number) => void pauses.push(ms) };
};
const noKeyList = { env: { APIKEYS_NO_KEY_LIST: "true" } };

const unreadable = [
  ...[403, 404, 405, 501].map(refused),
  { keys: [] },
  new CallError("ambiguous", "the service answered 500", 500),
];

describe.each(missing)("R6: a key is gone only if GETs, workspace and list agree: %s", (_what, read) => {
  test("R6 a key that is not found is gone if its workspace can be read, and the list lacks it or shows it as deleted", async () => {
    for (const list of [withoutIt, asDeleted, { apiKeys: null }])
      expect(await reading({ reads: [read], list })).toBeUndefined();
  });

  test("R6 a key that is not found stays in state if its workspace can't be read", async () => {
    await expect(reading({ reads: [read], workspace: refused(404) })).rejects.toThrow(
      /workspace can't be read either.*State is unchanged.*`pulumi state delete`/,
    );
  });

  // Two GETs that show a key as deleted need no list.
  if (read === markedDeleted) return;

  test("R6 a key that is not found stays in state if the list keeps showing it as not deleted, even if APIKEYS_NO_KEY_LIST is set", async () => {
    for (const more of [{}, noKeyList])
      await expect(reading({ reads: [read], list: withIt, ...more })).rejects.toThrow(
        /, but its workspace lists it\. State is unchanged\. Run the command again later, with an access token that is allowed to/,
      );
  });

  test("R6 a key that is not found stays in state if the list can't be read, unless APIKEYS_NO_KEY_LIST is set", async () => {
    for (const list of unreadable) {
      await expect(reading({ reads: [read], list })).rejects.toThrow(
        /list of keys can't be read to confirm.*State is unchanged.*APIKEYS_NO_KEY_LIST/,
      );
      expect(await reading({ reads: [read], list, ...noKeyList })).toBeUndefined();
    }
  });
});

test("R6 a key that can't be read stays in state, and the error names the way out if its workspace was deleted", async () => {
  await expect(reading({ reads: [refused(403)] })).rejects.toThrow(
    /403\. State is unchanged\. Check that the access token .* If the workspace was deleted, remove its resources with `pulumi state delete`\.$/,
  );
});

test.each([
  ["one GET did not find, but that the list shows,", withIt],
  ["neither a GET nor the list shows at first", undefined],
  ["neither one GET nor an incomplete list showed", { apiKeys: [] }],
])("R6 a key that %s is read again, and stays in state", async (_what, list) => {
  const { pauses, pause } = pausing();
  const service = keyOn({ reads: [refused(404), alive], list, pause });
  expect((await service.read("key_1", state))?.state).toMatchObject(state);
  expect(pauses).toEqual([longestLagMs]);
});

describe("a key that neither a GET nor the list of a lagging service shows", () => {
  const late = [refused(404), alive];

  test("R6 a key that is not found is waited for even if APIKEYS_NO_KEY_LIST is set", async () => {
    const found = await reading({ reads: late, list: refused(403), ...noKeyList });
    expect(found?.state).toMatchObject(state);
  });

  test("R6 a key that is not found is waited for by an update, which then goes on, and by a refused deletion, which then fails", async () => {
    const updated = keyOn({ reads: late, write: { apiKey: { ...record, name: "new" } } });
    expect(await updated.update("key_1", state, { ...state, name: "new" })).toMatchObject({ name: "new" });
    await expect(keyOn({ reads: late, write: refused(404) }).delete("key_1", state)).rejects.toThrow(
      "the service answered 404. It stays in state",
    );
  });

  test("R6 a key that is not found is gone if it doesn't show up after a wait of its own, while the service finds another key", async () => {
    const { pauses, pause } = pausing();
    const service = keyOn({ reads: [refused(404)], pause });
    const requestsFor = async (id: string) => {
      const before = service.calls.length;
      expect(await service.read(id, state)).toBeUndefined();
      return service.calls.slice(before).map(({ path }) => path.split("/").at(-1));
    };
    expect(await requestsFor("key_1")).toEqual(["key_1", "ws_1", "api-key", "key_2", "key_1"]);
    expect(await requestsFor("key_9")).toEqual(["key_9", "ws_1", "api-key", "key_2", "key_9"]);
    expect(pauses).toEqual([longestLagMs, longestLagMs]);
  });

  test("R6 a key that is not found is not gone if the run has ended, which ends the wait", async () => {
    const run = openRun();
    const list = () => {
      run.stop("the test ended it");
      return { apiKeys: [] };
    };
    await expect(reading({ reads: [refused(404)], list, run })).rejects.toThrow(
      "and the test ended it before it could be confirmed. State is unchanged",
    );
  });

  test.each([
    ["has no such key", undefined],
    ["shows it as not deleted", withIt],
    ["can't be read", refused(403)],
  ])(
    "R6 a key that two GETs show as deleted is gone without a wait, also if the list %s",
    async (_what, list) => {
      const { pauses, pause } = pausing();
      expect(await reading({ reads: [markedDeleted], list, pause })).toBeUndefined();
      expect(pauses).toEqual([]);
    },
  );
});
