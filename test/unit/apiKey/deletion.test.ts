import { describe, expect, test } from "vitest";
import { pausesMs } from "../../../provider/core/existence";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { failureOf, refused, replying } from "../replying";
import { type Answers, alive, keyOn, markedDeleted, missing, record, state } from "./keyAnswers";

const deleting = (answers: Answers) => {
  const service = keyOn(answers);
  return { service, done: service.delete("key_1", state) };
};
const methods = (service: ReturnType<typeof keyOn>) => service.calls.map(({ method }) => method).join(" ");

describe("R7: a deletion succeeds only if its answer, a GET or the list of keys shows that the key no longer exists", () => {
  test("K10: a key is deleted by one DELETE if the answer shows the key as deleted", async () => {
    const { service, done } = deleting({ write: markedDeleted });
    await done;
    expect(methods(service)).toBe("DELETE");
  });

  test.each([...missing, ["no record", {}] as const])(
    "R7 a deletion whose answer doesn't show the key is done if a GET is answered with %s",
    async (_read, read) => {
      for (const write of ["", {}, alive]) {
        const { service, done } = deleting({ write, reads: [read], list: refused(403) });
        await done;
        expect(methods(service)).toBe("DELETE GET");
      }
    },
  );

  test.each([
    ["done if a list lacks the key", { apiKeys: [] }, undefined],
    ["done if a list shows the key as deleted", { apiKeys: [{ ...record, deleted: true }] }, undefined],
    ["an error if the list still has the key", { apiKeys: [record] }, "but the key still exists"],
    ["an error if the list can't be read", refused(403), "the service answered 400"],
  ])("R7 a deletion whose GET is answered with 400 is %s", async (_how, list, why) => {
    const { done } = deleting({ write: "", reads: [refused(400)], list });
    if (why === undefined) await done;
    else expect((await failureOf(done)).message).toContain(why);
  });

  test("R7 a list doesn't confirm a deletion once a GET has shown the key since", async () => {
    const { done } = deleting({ write: "", reads: [alive, refused(400)], list: { apiKeys: [] } });
    expect((await failureOf(done)).message).toContain("the service answered 400");
  });

  test("R7 a deletion is done once a repeated GET no longer finds the key, and fails if the key still exists in the end", async () => {
    const slow = deleting({ write: alive, reads: [alive, alive, alive, refused(404)] });
    await slow.done;
    expect(methods(slow.service)).toBe("DELETE GET GET GET GET");
    const { service, done } = deleting({ write: alive });
    await expect(done).rejects.toThrow(/, but the key still exists\. It stays in state\. Run the/);
    expect(service.calls).toHaveLength(2 + pausesMs.length);
  });

  test.each([400, 404, 409, 410, 423])(
    "R7 R6 a deletion that is refused with %i is done only if the key is gone, and nothing less confirms that",
    async (status) => {
      const write = refused(status);
      await deleting({ write, reads: [refused(404)] }).done;
      await expect(deleting({ write }).done).rejects.toThrow(
        new RegExp(`the service answered ${status}\\. It stays in state\\. Check`),
      );
      const { message } = await failureOf(
        deleting({ write, reads: [refused(404)], list: refused(403) }).done,
      );
      expect(message).toContain("can't be read to confirm that it is gone");
    },
  );

  test.each([401, 403, 429])(
    "R6 a deletion that is refused with %i fails without a read, because that says nothing about the key",
    async (status) => {
      const { service, done } = deleting({ write: refused(status), reads: [refused(404)] });
      expect((await failureOf(done)).message).toContain("It stays in state");
      expect(methods(service)).toBe("DELETE");
    },
  );
});

describe("a key that a set has still to delete", () => {
  const ofSet = { workspaceId: "ws_1", keys: {}, ids: {}, maskedKeys: {}, secrets: {} };
  const left = { ...ofSet, toDelete: ["key_1"] };
  const setOn = (key: unknown, list: unknown = { apiKeys: [] }) =>
    replying(apiKeySet, ({ method, path }) => {
      const workspace = path.endsWith("/api-key") ? list : { workspace: { id: "ws_1" } };
      const answer = method === "DELETE" ? refused(409) : path.endsWith("/key_1") ? key : workspace;
      if (answer instanceof Error) throw answer;
      return answer;
    });

  test("R6 a key to delete is removed from state by a refresh that finds it gone, and its refused DELETE doesn't fail an update", async () => {
    const set = setOn(refused(404));
    expect((await set.read("keys-1", left))?.state).toEqual({ ...ofSet, __service: expect.any(String) });
    const { inputs } = set.check({ workspaceId: "ws_1", keys: {} }, undefined);
    expect(await set.update("keys-1", left, inputs)).not.toHaveProperty("toDelete");
  });

  test("R6 a key to delete stays in state if it still exists", async () => {
    expect((await setOn(alive).read("keys-1", left))?.state).toMatchObject(left);
  });

  test.each([
    ["nothing confirms that it is gone", setOn(refused(404), refused(403))],
    ["it can't be read", setOn(refused(403))],
  ])("R6 a key to delete fails a refresh if %s", async (_what, set) => {
    const { message } = await failureOf(set.read("keys-1", left));
    expect(message).toContain("1 of 1 failed. State is unchanged");
  });
});
