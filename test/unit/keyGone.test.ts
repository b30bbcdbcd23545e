import { describe, expect, test } from "vitest";
import { CallError } from "../../provider/client/callError";
import { pausesMs } from "../../provider/core/polling";
import { apiKey } from "../../provider/resources/apiKey";
import { apiKeySet } from "../../provider/resources/apiKeySet";
import { failureOf, replying } from "./replying";

const state = { workspaceId: "ws_1", customerId: "c", name: "ci", scopes: [], enabled: true, key: "sk_1" };
const record = { id: "key_1", name: "ci", customerId: "c", scopes: [], enabled: true };
const refused = (status: number) => new CallError("refused", `the service answered ${status}`, status);

interface Answers {
  /** What the GETs of the key are answered with in turn, the last one for ever; an Error is thrown. */
  readonly reads?: readonly unknown[];
  /** What PATCH or DELETE is answered with. */
  readonly write?: unknown;
  readonly list?: unknown;
  readonly workspace?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

const alive = { apiKey: record };
const marked = { apiKey: { ...record, deleted: true } };
const withoutIt = { apiKeys: [{ ...record, id: "key_2" }] };
const withIt = { apiKeys: [{ ...record, deleted: false }] };
const asDeleted = { apiKeys: [{ ...record, deleted: true }] };

/** An ApiKey on a service that answers so. */
function on({ reads = [alive], write, list = withoutIt, workspace, env = {} }: Answers) {
  let read = 0;
  return replying(
    apiKey,
    ({ method, path }) => {
      const answer =
        method !== "GET"
          ? write
          : path.endsWith("/api-key")
            ? list
            : path.includes("/api-key/key_")
              ? reads[Math.min(read++, reads.length - 1)]
              : (workspace ?? { workspace: { id: "ws_1" } });
      if (answer instanceof Error) throw answer;
      return answer;
    },
    { env },
  );
}

const missing = [
  ["404", refused(404)],
  ["410", refused(410)],
  ["a record that is deleted", marked],
] as const;
const unreadable = [
  ...[403, 404, 405, 410, 501].map((status) => [`${status}`, refused(status)] as const),
  ["something else", { keys: [] }],
  ["500", new CallError("ambiguous", "the service answered 500", 500)],
] as const;

describe.each(missing)("R6 a key whose GET is answered with %s", (_what, read) => {
  test("is gone where its workspace is visible, and the list lacks it or has it as deleted", async () => {
    for (const list of [withoutIt, asDeleted, { apiKeys: null }]) {
      expect(await on({ reads: [read], list }).read("key_1", state)).toBeUndefined();
    }
  });

  test("stays where the list has it alive, however often it is asked", async () => {
    const { message } = await failureOf(on({ reads: [read], list: withIt }).read("key_1", state));
    expect(message).toMatch(/, but its workspace lists it\. State is unchanged\. The access token may not/);
  });

  test("stays where its workspace is not visible", async () => {
    const service = on({ reads: [read], workspace: refused(404) });
    const { message } = await failureOf(service.read("key_1", state));
    expect(message).toMatch(/workspace can't be read either.*State is unchanged.*`pulumi state delete`/);
  });

  test.each(unreadable)("stays where the list is answered with %s", async (_list, list) => {
    const { message } = await failureOf(on({ reads: [read], list }).read("key_1", state));
    expect(message).toMatch(/list of keys can't be read to confirm.*State is unchanged.*APIKEYS_NO_KEY_LIST/);
  });

  test.each(unreadable)(
    "is gone where the list is answered with %s and the user does without",
    async (_list, list) => {
      const service = on({ reads: [read], list, env: { APIKEYS_NO_KEY_LIST: "true" } });
      expect(await service.read("key_1", state)).toBeUndefined();
    },
  );

  test("stays where the list has it alive, although the user does without one", async () => {
    const service = on({ reads: [read], list: withIt, env: { APIKEYS_NO_KEY_LIST: "true" } });
    expect((await failureOf(service.read("key_1", state))).message).toContain("its workspace lists it");
  });
});

test("R6 a key that was not found once, and is listed alive, is read again and stays as it is", async () => {
  const service = on({ reads: [refused(410), alive], list: withIt });
  expect((await service.read("key_1", state))?.state).toMatchObject(state);
  expect(service.progress).toEqual([]);
});

test("R6 a key that was not found once, and that a list which is cut does not hold, is read again and stays", async () => {
  const service = on({ reads: [refused(404), alive], list: { apiKeys: [] } });
  expect((await service.read("key_1", state))?.state).toMatchObject(state);
});

describe("R6 a key that neither a GET nor the list shows, as of a service that lags behind", () => {
  const late = [refused(404), alive];

  test("is waited for, and stays where it shows up", async () => {
    const service = on({ reads: late });
    expect((await service.read("key_1", state))?.state).toMatchObject(state);
    expect(service.progress).toEqual(["Waiting for the service to show key key_1."]);
  });

  test("is waited for where the user does without a list", async () => {
    const service = on({ reads: late, list: refused(403), env: { APIKEYS_NO_KEY_LIST: "true" } });
    expect((await service.read("key_1", state))?.state).toMatchObject(state);
  });

  test("is waited for by an update and a deletion, which go on or fail where it shows up", async () => {
    const updated = on({ reads: late, write: { apiKey: { ...record, enabled: false } } });
    expect(await updated.update("key_1", state, { ...state, enabled: false })).toMatchObject({
      enabled: false,
    });
    const { message } = await failureOf(on({ reads: late, write: refused(404) }).delete("key_1", state));
    expect(message).toContain("the service answered 404. It stays in state");
  });

  test("is gone where it doesn't show up, after one wait for all keys of the workspace", async () => {
    const service = on({ reads: [refused(404)] });
    const requestsFor = async (id: string) => {
      const before = service.calls.length;
      expect(await service.read(id, state)).toBeUndefined();
      return service.calls.slice(before).map(({ path }) => path.split("/").at(-1));
    };
    expect(await requestsFor("key_1")).toEqual(["key_1", "ws_1", "api-key", "api-key", "key_1"]);
    expect(await requestsFor("key_9")).toEqual(["key_9", "ws_1", "key_9"]);
    expect(service.progress).toHaveLength(1);
  });

  test.each([
    ["the GET shows it as deleted", { reads: [marked] }],
    ["the list shows it as deleted", { reads: [refused(404)], list: asDeleted }],
  ])("is not waited for where %s", async (_what, answers) => {
    const service = on(answers);
    expect(await service.read("key_1", state)).toBeUndefined();
    expect(service.progress).toEqual([]);
  });
});

test("R6 a list that leaves out `deleted` does not speak against a record that has it", async () => {
  const list = { apiKeys: [record] };
  expect(await on({ reads: [marked], list }).read("key_1", state)).toBeUndefined();
  await failureOf(on({ reads: [refused(404)], list }).read("key_1", state));
});

describe("R7 a deletion", () => {
  const deleting = (answers: Answers) => {
    const service = on(answers);
    return { service, done: service.delete("key_1", state) };
  };
  const methods = (service: ReturnType<typeof on>) => service.calls.map(({ method }) => method).join(" ");

  test("that is answered with the key as deleted is done", async () => {
    const { service, done } = deleting({ write: marked });
    await done;
    expect(methods(service)).toBe("DELETE");
  });

  const others = [
    ["nothing", ""],
    ["{}", {}],
    ["the key as it was", alive],
  ] as const;
  describe.each(others)("that is answered with %s", (_what, write) => {
    test.each(missing)("is done where a GET is answered with %s", async (_read, read) => {
      const { service, done } = deleting({ write, reads: [read], list: refused(403) });
      await done;
      expect(methods(service)).toBe("DELETE GET");
    });

    test("is done where a GET finds nothing after a while", async () => {
      const { service, done } = deleting({ write, reads: [alive, alive, alive, refused(404)] });
      await done;
      expect(methods(service)).toBe("DELETE GET GET GET GET");
      expect(service.progress).toEqual(["Waiting for key key_1 to be deleted."]);
    });

    test("fails where the key is still there in the end", async () => {
      const { service, done } = deleting({ write });
      const { message } = await failureOf(done);
      expect(message).toMatch(/, but the key still exists\. It stays in state\. Run the/);
      expect(service.calls).toHaveLength(2 + pausesMs.length);
    });
  });

  describe("that is answered with a page", () => {
    const page = "<html>";

    test.each(missing)("is not done because a GET is answered with %s", async (_read, read) => {
      const { done } = deleting({ write: page, reads: [read, alive] });
      expect((await failureOf(done)).message).toMatch(/, but the key still exists\. It stays in state\./);
    });

    test("is done where the key is gone", async () => {
      const { done } = deleting({ write: page, reads: [refused(404)] });
      await done;
    });

    test("fails where nobody can tell", async () => {
      const { done } = deleting({ write: page, reads: [refused(404)], list: refused(403) });
      expect((await failureOf(done)).message).toContain("can't be read to confirm that it is gone");
    });
  });

  describe.each([400, 404, 405, 409, 410, 422, 423])("that is refused with %i", (status) => {
    test("is done where the key is gone", async () => {
      const { done } = deleting({ write: refused(status), reads: [refused(404)] });
      await done;
    });

    test("fails where the key is there", async () => {
      const { message } = await failureOf(deleting({ write: refused(status) }).done);
      expect(message).toMatch(new RegExp(`the service answered ${status}\\. It stays in state\\. Check`));
    });

    test("fails where nobody can tell", async () => {
      const { done } = deleting({ write: refused(status), reads: [refused(404)], list: refused(403) });
      expect((await failureOf(done)).message).toContain("can't be read to confirm that it is gone");
    });
  });

  test.each([401, 403, 429])("that is refused with %i says nothing of the key", async (status) => {
    const { service, done } = deleting({ write: refused(status), reads: [refused(404)] });
    expect((await failureOf(done)).message).toContain("It stays in state");
    expect(methods(service)).toBe("DELETE");
  });
});

describe("R6 an update whose PATCH is refused", () => {
  const changed = { ...state, enabled: false };
  const updating = (answers: Answers) => failureOf(on(answers).update("key_1", state, changed));

  test.each([404, 410])("with %i does not say that a key which is there was deleted", async (status) => {
    const { message, kept } = await updating({ write: refused(status) });
    expect(message).toMatch(new RegExp(`the service answered ${status}\\. State is unchanged\\. Check`));
    expect(kept).toBeUndefined();
  });

  test("with another status is told as refused, also where the key can't be read then", async () => {
    const down = new CallError("ambiguous", "the service answered 503", 503);
    const { message } = await updating({ write: refused(422), reads: [alive, down] });
    expect(message).toContain("the service answered 422. State is unchanged. Check");
  });

  test.each([404, 409, 410])("with %i says that the key is gone where it is", async (status) => {
    const { message } = await updating({ write: refused(status), reads: [alive, refused(404)] });
    expect(message).toMatch(/no longer exists.*State is unchanged\. Run `pulumi up --refresh`/);
  });
});

describe("R4 a write that is carried out a little later", () => {
  const later = { apiKey: { ...record, enabled: false } };
  const changed = { ...state, enabled: false };

  test.each([
    ["the key as it was", alive],
    ["nothing", ""],
  ])("is waited for where PATCH is answered with %s", async (_what, write) => {
    const service = on({ write, reads: [alive, alive, alive, later] });
    expect(await service.update("key_1", state, changed)).toMatchObject({ enabled: false });
    expect(service.calls.map(({ method }) => method).join(" ")).toBe("GET PATCH GET GET GET");
    expect(service.progress).toEqual(["Waiting for key key_1 to match the program."]);
  });

  test("is not waited for where the service has changed the key, into something else", async () => {
    const other = { apiKey: { ...record, name: "CI" } };
    const service = on({ write: "", reads: [alive, other] });
    await failureOf(service.update("key_1", state, changed));
    expect(service.calls.map(({ method }) => method).join(" ")).toMatch(/^GET PATCH GET PATCH /);
  });

  test("K6 is waited for where a key that was created can't be read yet, and its secret is kept", async () => {
    const made = { apiKey: { id: "key_1", key: "sk_1" } };
    const service = on({ write: made, reads: [refused(404), refused(404), alive] });
    const { key: _, ...inputs } = state;
    expect((await service.create(inputs)).state).toMatchObject({ key: "sk_1", name: "ci" });
  });
});

describe("K6 a create that is answered with 409, which something on the way may have caused by a repetition", () => {
  const conflict = new CallError("ambiguous", 'the service answered 409 "it exists"', 409);
  const { key: _, ...inputs } = state;

  test("names the key that it may have made", async () => {
    let lists = 0;
    const service = replying(apiKey, ({ method }) => {
      if (method === "POST") throw conflict;
      lists += 1;
      return { apiKeys: lists === 1 ? [] : [record] };
    });
    const { message, unresolved } = await failureOf(service.create(inputs));
    expect(message).toMatch(
      /409 "it exists"\. It is not known whether the key was created.*New in the .*key_1 \("ci"\)/,
    );
    expect(unresolved).toBe(true);
  });

  test("says what to check where the service has refused it", async () => {
    const service = on({ write: conflict, list: { apiKeys: [] } });
    const { message } = await failureOf(service.create(inputs));
    expect(message).toMatch(/list shows no new key.*If the service refused it: Check that the access token/);
    expect(message).not.toContain("Nothing was created");
  });

  test("K5 takes the one new key that has the value", async () => {
    let lists = 0;
    const service = replying(apiKey, ({ method, path }) => {
      if (method === "POST") throw conflict;
      if (path.endsWith("/key_1")) return alive;
      lists += 1;
      return { apiKeys: lists === 1 ? [] : [{ ...record, maskedKey: "sk_…9876" }] };
    });
    const made = await service.create({ ...inputs, existingKey: "sk_live_9876" });
    expect(made).toMatchObject({ id: "key_1", state: { key: "sk_live_9876" } });
  });
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

  test("is forgotten by a refresh that finds it gone", async () => {
    const set = reading({ key: refused(404) });
    expect((await set.read("keys-1", left))?.state).toEqual({ ...ofSet, __service: expect.any(String) });
  });

  test.each([
    ["it is there", { key: alive }],
    ["nobody can tell", { key: refused(404), list: refused(403) }],
    ["it can't be read", { key: refused(403) }],
  ])("stays where %s", async (_what, answers) => {
    expect((await reading(answers).read("keys-1", left))?.state).toMatchObject(left);
  });

  test("lets an update end where its deletion is refused since it is gone", async () => {
    const set = replying(apiKeySet, ({ method, path }) => {
      if (method === "DELETE") throw refused(409);
      if (path.endsWith("/key_1")) throw refused(404);
      return path.endsWith("/api-key") ? { apiKeys: [] } : { workspace: { id: "ws_1" } };
    });
    const inputs = set.check({ workspaceId: "ws_1", keys: {} }, undefined).inputs;
    expect(await set.update("keys-1", left, inputs)).not.toHaveProperty("__toDelete");
  });
});
