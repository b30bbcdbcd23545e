import { describe, expect, test } from "vitest";
import { pausesMs } from "../../../provider/core/converge";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { failureOf, refused, replying } from "../replying";
import { type Answers, alive, keyOn, markedDeleted, missing, record, state } from "./keyAnswers";

describe("R7 a deletion", () => {
  const deleting = (answers: Answers) => {
    const service = keyOn(answers);
    return { service, done: service.delete("key_1", state) };
  };
  const methods = (service: ReturnType<typeof keyOn>) => service.calls.map(({ method }) => method).join(" ");

  test("that is answered with the key as deleted is done", async () => {
    const { service, done } = deleting({ write: markedDeleted });
    await done;
    expect(methods(service)).toBe("DELETE");
  });

  const others = [
    ["nothing", ""],
    ["{}", {}],
    ["the key as it was", alive],
  ] as const;
  describe.each(others)("that is answered with %s", (_what, write) => {
    test.each(missing)("is done if a GET is answered with %s", async (_read, read) => {
      const { service, done } = deleting({ write, reads: [read], list: refused(403) });
      await done;
      expect(methods(service)).toBe("DELETE GET");
    });

    test.each([{}, { apiKey: null }])(
      "is done if a GET is answered with %j, which has no record",
      async (read) => {
        const { service, done } = deleting({ write, reads: [read] });
        await done;
        expect(methods(service)).toBe("DELETE GET");
      },
    );

    test.each([
      ["without the key", { apiKeys: [] }],
      ["with the key as deleted", { apiKeys: [{ ...record, deleted: true }] }],
    ])("is done if a GET is answered with 400 and there is a list %s", async (_how, list) => {
      const { done } = deleting({ write, reads: [refused(400)], list });
      await done;
    });

    test.each([
      ["the list still has the key", { apiKeys: [record] }, "but the key still exists"],
      ["the list can't be read", refused(403), "the service answered 400"],
    ])("fails if a GET is answered with 400 and %s", async (_how, list, why) => {
      const { done } = deleting({ write, reads: [refused(400)], list });
      expect((await failureOf(done)).message).toContain(why);
    });

    test("is done once a repeated GET no longer finds the key", async () => {
      const { service, done } = deleting({ write, reads: [alive, alive, alive, refused(404)] });
      await done;
      expect(methods(service)).toBe("DELETE GET GET GET GET");
      expect(service.progress).toEqual(["Waiting for key key_1 to be deleted."]);
    });

    test("fails if the key still exists in the end", async () => {
      const { service, done } = deleting({ write });
      await expect(done).rejects.toThrow(/, but the key still exists\. It stays in state\. Run the/);
      expect(service.calls).toHaveLength(2 + pausesMs.length);
    });
  });

  describe.each([400, 404, 405, 409, 410, 422, 423])("that is refused with %i", (status) => {
    test("is done if the key is gone", async () => {
      const { done } = deleting({ write: refused(status), reads: [refused(404)] });
      await done;
    });

    test("fails if the key still exists", async () => {
      await expect(deleting({ write: refused(status) }).done).rejects.toThrow(
        new RegExp(`the service answered ${status}\\. It stays in state\\. Check`),
      );
    });

    test("fails if nothing confirms that the key is gone", async () => {
      const { done } = deleting({ write: refused(status), reads: [refused(404)], list: refused(403) });
      expect((await failureOf(done)).message).toContain("can't be read to confirm that it is gone");
    });
  });

  test.each([401, 403, 429])(
    "that is refused with %i fails without a read, because that says nothing about the key",
    async (status) => {
      const { service, done } = deleting({ write: refused(status), reads: [refused(404)] });
      expect((await failureOf(done)).message).toContain("It stays in state");
      expect(methods(service)).toBe("DELETE");
    },
  );
});

describe("R7 a set's key that is still to be deleted", () => {
  const ofSet = { workspaceId: "ws_1", keys: {}, ids: {}, maskedKeys: {}, secrets: {} };
  const left = { ...ofSet, __toDelete: [{ id: "key_1", name: "ci" }] };
  const reading = (answers: { readonly key: unknown; readonly list?: unknown }) =>
    replying(apiKeySet, ({ path }) => {
      const { key, list = { apiKeys: [] } } = answers;
      const answer = path.endsWith("/key_1")
        ? key
        : path.endsWith("/api-key")
          ? list
          : { workspace: { id: "ws_1" } };
      if (answer instanceof Error) throw answer;
      return answer;
    });

  test("is removed from state by a refresh that finds it gone", async () => {
    const set = reading({ key: refused(404) });
    expect((await set.read("keys-1", left))?.state).toEqual({ ...ofSet, __service: expect.any(String) });
  });

  test.each([
    ["it still exists", { key: alive }],
    ["nothing confirms that it is gone", { key: refused(404), list: refused(403) }],
    ["it can't be read", { key: refused(403) }],
  ])("stays in state if %s", async (_what, answers) => {
    expect((await reading(answers).read("keys-1", left))?.state).toMatchObject(left);
  });

  test("does not fail an update whose DELETE is refused if it is already gone", async () => {
    const set = replying(apiKeySet, ({ method, path }) => {
      if (method === "DELETE") throw refused(409);
      if (path.endsWith("/key_1")) throw refused(404);
      return path.endsWith("/api-key") ? { apiKeys: [] } : { workspace: { id: "ws_1" } };
    });
    const inputs = set.check({ workspaceId: "ws_1", keys: {} }, undefined).inputs;
    expect(await set.update("keys-1", left, inputs)).not.toHaveProperty("__toDelete");
  });
});
