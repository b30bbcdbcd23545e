import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { least } from "../offline";
import { type Asked, failureOf, idIn, refused, replying } from "../replying";

const existingKey = "sk_live_value";
/** Another key of the workspace. */
const other = { id: "key_1", name: "other", customerId: "cus_2" };
const lost = new CallError("ambiguous", "no answer came");

/** An ApiKey whose POST is answered with this. Before it, the list has one other key. */
function answering(answer: object, later: (asked: Asked) => unknown = () => undefined) {
  const keys = replying(apiKey, (asked) => {
    const apiKey = { enabled: true, scopes: [], ...answer };
    if (asked.method === "POST") return { apiKey: { key: "sk_new", ...apiKey } };
    return later(asked) ?? (asked.path.endsWith("/api-key") ? { apiKeys: [other] } : { apiKey });
  });
  const create = (more: object = {}) => keys.create(keys.check({ ...least, ...more }, undefined).inputs);
  return { ...keys, create };
}

describe("the answer to a create", () => {
  test.each([
    ["whose id was listed before", { ...least, id: "key_1" }, {}],
    [
      "whose id was listed before, and which lacks the migrated value",
      { ...least, id: "key_1", key: null, maskedKey: "sk_***0000" },
      { existingKey },
    ],
  ])("K6 K5 the answer to a create is another key's if it has a key %s", async (_what, answer, more) => {
    const {
      message,
      kept,
      options: { unresolved },
    } = await failureOf(answering(answer).create(more));
    expect(message).toContain("the service answered with key_1, which existed before");
    expect([kept, unresolved]).toEqual([undefined, true]);
    expect(message).not.toContain("sk_new");
  });

  test("K6 the answer to a create is another key's if this process has read that key, though no list shows it", async () => {
    const keys = answering({ ...least, id: "key_2" });
    await keys.read("key_2", { ...least, key: "sk_old", enabled: true, scopes: [] });
    await expect(keys.create()).rejects.toThrow("answered with key_2, which existed before");
  });

  test.each([
    ["another name only", { name: "rewritten", customerId: "cus_1" }],
    ["no name", { customerId: "cus_2" }],
    ["another name, another customer and an old createdAt", { ...other, createdAt: "2024-02-19" }],
  ])("K6 the answer to a create is the new key's despite %s", async (_how, answer) => {
    expect((await answering({ ...answer, id: "key_2" }).create()).id).toBe("key_2");
  });

  test.each([
    ["a new id", "key_2", []],
    ["an id that was listed before", "key_1", [expect.stringContaining("key_1, which existed before")]],
  ])(
    "K5 the answer to a migration is the migrated key's despite another name, another customer and %s",
    async (_how, id, warnings) => {
      const keys = answering({ ...other, id, key: existingKey });
      expect((await keys.create({ existingKey })).id).toBe(id);
      expect(keys.warnings.filter((line) => line.includes("existed before"))).toEqual(warnings);
    },
  );

  test("K6 an answer counts for only one of two concurrent creates if both are answered with one key", async () => {
    const keys = answering({ ...least, id: "key_2" });
    const both = await Promise.allSettled([keys.create(), keys.create()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test("K6: a new key whose answer has no secret is saved with an error, and then replaced, also after a refresh", async () => {
    const keys = answering({ ...least, id: "key_2", key: null });
    const { kept, message } = await failureOf(keys.create());
    expect(message).toMatch(/did not return the secret\. The next update replaces the key\.$/);
    const { id, state } = kept ?? { id: "", state: {} };
    expect(state).toMatchObject({ ...least, __keyLost: true });
    const read = await keys.read(id, state);
    const { inputs } = keys.check(least, undefined);
    for (const seen of [state, read?.state ?? {}])
      expect(keys.diff(id, seen, inputs)).toMatchObject({ changes: true, replaces: ["key"] });
  });

  test.each([
    ["enabled as a number", { enabled: 2 }],
    ["scopes as an object", { scopes: {} }],
    ["a flag as a string", { scopes: [{ representation: "orders", read: "true" }] }],
    ["an expiry that is not a number", { expiresAt: "soon" }],
  ])(
    "K6 an answer is used for its secret even if it has %s, with an error if the key can't be read",
    async (_what, odd) => {
      const answer = { ...least, id: "key_2", ...odd };
      const seen = { apiKey: { ...least, id: "key_2", enabled: true, scopes: [] } };
      const readable = answering(answer, ({ path }) => (path.endsWith("key_2") ? seen : undefined));
      const state = { key: "sk_new", enabled: true, scopes: [] };
      expect(await readable.create()).toMatchObject({ id: "key_2", state });
      const unreadable = answering({ ...answer, enabled: 2 });
      expect((await failureOf(unreadable.create())).kept).toMatchObject({
        id: "key_2",
        state: { key: "sk_new" },
      });
    },
  );

  test("K6 R4 a new key is waited for if it can't be read yet, and its secret is kept", async () => {
    let reads = 0;
    const keys = answering({ id: "key_2", enabled: undefined }, ({ path }) => {
      if (!path.endsWith("key_2")) return undefined;
      reads += 1;
      if (reads < 3) throw refused(404);
      return { apiKey: { ...least, id: "key_2", enabled: true, scopes: [] } };
    });
    expect((await keys.create()).state).toMatchObject({ key: "sk_new", name: "ci" });
  });

  test("K5 an answer with another value than existingKey is an error, but the declared value is kept", async () => {
    const keys = answering({ ...least, id: "key_2", key: "sk_ne*w", maskedKey: "sk_ne*w" });
    const { kept, message } = await failureOf(keys.create({ existingKey }));
    expect(message).toContain("returned a secret that differs from existingKey");
    expect(kept?.state).toMatchObject({ key: existingKey });
    expect(JSON.stringify(kept)).not.toContain("sk_ne*w");
    const { inputs } = keys.check({ ...least, existingKey }, undefined);
    expect(keys.diff("key_2", kept?.state ?? {}, inputs)).toMatchObject({ changes: false, replaces: [] });
  });

  test.each([
    ["sk_****alue", "sk_****alue"],
    ["sk_\u2022\u2022", "sk_\u2022\u2022"],
    ["sk...alue", "sk...alue"],
    [existingKey, undefined],
  ])(
    "K5: a migrated key has the declared value as its secret, and never shows it as maskedKey, if the answer has %s",
    async (text, shown) => {
      const { state } = await answering({ ...least, id: "key_2", key: text, maskedKey: text }).create({
        existingKey,
      });
      expect([state["key"], state["maskedKey"]]).toEqual([existingKey, shown]);
    },
  );
});

/** An ApiKey whose POSTs fail with this. The list shows `first` before them, and `later` after; none can't be read. */
function failing(error: CallError, first: readonly object[] | undefined, later = first, again = error) {
  const posts = () => keys.calls.filter((asked) => asked.method === "POST").length;
  const keys = replying(apiKey, ({ method }) => {
    if (method === "POST") throw posts() > 1 ? again : error;
    const shown = posts() > 0 ? later : first;
    if (shown === undefined) throw refused();
    return { apiKeys: shown };
  });
  const failed = (more: object = {}) =>
    failureOf(keys.create(keys.check({ ...least, ...more }, undefined).inputs));
  return { ...keys, failed, posts };
}

describe("a create whose answer is lost", () => {
  const made = (id: string) => ({ ...least, id });
  const conflict = new CallError("ambiguous", 'the service answered 409 "it exists"', 409);

  test.each([
    [
      "no new key",
      failing(lost, []),
      /It is not known whether the key was created.*list of keys shows no such key so far\. If there is a key with this name and customer, created since 2\S+Z, delete it.*Then run `pulumi up` again\. If that doesn't help, check the base URL/,
      1,
    ],
    [
      "no list",
      failing(lost, undefined),
      /list of keys could not be read \(.*403\)\. If there is a key .*, created since 2\S+Z, delete it/,
      1,
    ],
    [
      "keys of its name, in a list that could not be read before",
      failing(lost, undefined, [made("key_2"), made("key_3")]),
      /If one of the keys below was created since 2\S+Z, and by no other.* Keys that may be the new one: key_2, key_3\.$/,
      1,
    ],
    [
      "a new key after a 409, which a proxy may have caused",
      failing(conflict, [], [made("key_2")]),
      /409 "it exists"\. It is not known whether the key was created.*may be the new one: key_2\.$/,
      1,
    ],
    [
      "no new key after a 409",
      failing(conflict, []),
      /list of keys shows no such key so far\..* If the service refused it: Check that workspace ws_1.*a replacement needs another name.*several changes at a time, .*--parallel 1/,
      2,
    ],
    ["no list after a 409", failing(conflict, undefined), /list of keys could not be read/, 1],
    [
      "no new key after a 409 and a refusal",
      failing(conflict, [], [], refused(400)),
      /the service answered 400\. It is not known.* If the service refused it: Check/,
      2,
    ],
  ])(
    "K6 a create whose answer is lost is not in state, and its error names what the workspace shows: %s",
    async (_what, keys, words, posts) => {
      const {
        kept,
        message,
        options: { unresolved },
      } = await keys.failed();
      expect([kept, unresolved, keys.posts()]).toEqual([undefined, true, posts]);
      expect(message).toMatch(words);
      expect(message).not.toContain("Nothing was created");
    },
  );

  test("K6 the key of a lost create is searched for among the new keys of its name and customer that no resource has", async () => {
    const before = [other, made("key_0")];
    const created = { ...made("key_2"), name: " CI", createdAt: "2026-11-25" };
    const keys = failing(lost, before, [...before, created, { ...made("key_3"), name: "b" }, made("key_4")]);
    // Another resource of this run has it.
    keys.diff("key_4", { ...least, key: "sk_4" }, least);
    expect((await keys.failed()).message).toContain(
      "Keys that may be the new one: key_2 (created 2026-11-25).",
    );
  });

  test("K5 a migration whose answer is lost adopts nothing from the list, and its key is not to be deleted", async () => {
    const { kept, message } = await failing(lost, [], [made("key_2")]).failed({ existingKey });
    expect(kept).toBeUndefined();
    expect(message).toMatch(
      /declare its id as existingId too \(don.t delete it.* Keys that may be the new one: key_2\.$/,
    );
  });

  test("K6 a create that is answered with 409 is sent once more if the list shows that nothing has come of it", async () => {
    let posts = 0;
    const keys = replying(apiKey, ({ method }) => {
      if (method === "GET") return { apiKeys: [] };
      posts += 1;
      if (posts === 1) throw conflict;
      return { apiKey: { ...least, enabled: true, scopes: [], id: "key_1", key: "sk_1" } };
    });
    expect((await keys.create(keys.check(least, undefined).inputs)).id).toBe("key_1");
    expect(posts).toBe(2);
  });
});

describe("a create that the service refuses, although it may have carried it out", () => {
  const made = { ...least, id: "key_2" };

  test.each([404, 405, 410, 301])(
    "K6 a create that is refused with %i is looked for once, and named if the list shows it",
    async (status) => {
      const found = failing(refused(status), [], [made]);
      const { message, options } = await found.failed();
      expect(message).toMatch(/answered \d+\. It is not known whether .* may be the new one: key_2\.$/);
      expect([options.unresolved, found.posts()]).toEqual([true, 1]);
      const none = failing(refused(status), []);
      expect((await none.failed()).message).toMatch(/answered \d+\. Nothing was created\. Check that/);
      expect(none.calls.map(({ method }) => method)).toEqual(["GET", "POST", "GET"]);
    },
  );

  test.each([
    ["like the list", undefined],
    ["where the list is cut", { apiKeys: [], hasMore: true }],
  ])("K6 a create that is refused %s doesn't claim that nothing was created", async (_, list) => {
    const keys = replying(apiKey, ({ method }) => {
      if (method === "GET" && list !== undefined) return list;
      throw refused(404);
    });
    await expect(keys.create(keys.check(least, undefined).inputs)).rejects.toThrow(
      /answered 404\. Most likely nothing was created, but the workspace's list of keys can't confirm it/,
    );
  });

  test.each([400, 401, 403, 422, 429])(
    "K6 a create that is refused with %i was not carried out",
    async (status) => {
      const keys = failing(refused(status), [], [made]);
      expect((await keys.failed()).message).toContain("Nothing was created");
      expect(keys.calls).toHaveLength(2);
    },
  );
});

test.each<[string, CallError | string, string | undefined]>([
  ["a page of HTML", "<html>Sign in</html>", undefined],
  ["a 500", new CallError("ambiguous", "the service answered 500", 500), undefined],
  ["a 401", refused(401), undefined],
  ["a lost connection", lost, undefined],
  ["a redirect", refused(308), undefined],
  ...[403, 404, 405, 501].map(
    (status) => [`a ${status}`, refused(status), "key_2"] as [string, CallError, string],
  ),
])(
  "K6 a create whose list is answered with %s sends its POST only if that is about the list alone",
  async (_what, list, made) => {
    const keys = answering({ ...least, id: "key_2" }, ({ path }) => {
      if (!path.endsWith("/api-key")) return undefined;
      if (list instanceof Error) throw list;
      return list;
    });
    const create = keys.create();
    if (made !== undefined) expect((await create).id).toBe(made);
    else {
      await expect(create).rejects.toThrow(/: listing the keys first: .*Nothing was created: a key whose/);
      expect(keys.calls.map(({ method }) => method)).toEqual(["GET"]);
    }
  },
);

test.each([
  ["ApiKey", apiKey, least],
  ["CustomerBilling", customerBilling, { workspaceId: "ws_1", totalCredits: "100" }],
])(
  "B3 K6 a POST of %s that a proxy answers with a page fails with advice to check the base URL",
  async (_kind, definition, inputs) => {
    const service = replying(definition, ({ method }) =>
      method === "GET" ? { apiKeys: [] } : "<html>Sign in</html>",
    );
    await expect(service.create(service.check(inputs, undefined).inputs)).rejects.toThrow(
      /the answer is a page of HTML, not JSON\..* If that doesn't help, check the base URL \(.*\), and any proxy or gateway in between\.$/,
    );
  },
);

test("K6 a create warns of a key with its name and customer, unless that is in state, as in a replacement", async () => {
  let made = 1;
  const keys = replying(apiKey, ({ method }) => {
    if (method === "GET") return { apiKeys: [{ ...least, id: "key_1" }] };
    made += 1;
    return { apiKey: { ...least, id: `key_${made}`, key: `sk_${made}`, enabled: true, scopes: [] } };
  });
  const { inputs } = keys.check({ ...least, keepers: { rotated: "1" } }, undefined);
  await keys.create(inputs);
  expect(keys.warnings).toEqual([
    expect.stringMatching(
      /already has a key with the name and customer of a new one\. If another .* do nothing.*: "ci": key_1\.$/,
    ),
  ]);
  await keys.create(inputs);
  keys.diff("key_1", { ...least, key: "sk_1" }, inputs);
  await keys.create(inputs);
  expect(keys.warnings).toHaveLength(1);
});

test("K6 a refresh warns once of a live key with the name and customer of one in state that no resource has", async () => {
  const keyOf = (id: string, more: object = {}) => ({
    ...least,
    id,
    enabled: true,
    scopes: [],
    deleted: false,
    ...more,
  });
  const twins = [
    keyOf("key_2"),
    keyOf("key_3"),
    keyOf("key_6", { name: " CI" }),
    keyOf("key_4", { deleted: true }),
  ];
  const others = [keyOf("key_1", { name: "other" }), keyOf("key_5", { customerId: "cus_9" })];
  const keys = replying(apiKey, (asked) =>
    asked.path.endsWith("/api-key") ? { apiKeys: [...others, ...twins] } : { apiKey: keyOf(idIn(asked)) },
  );
  const state = { ...least, key: "sk", enabled: true, scopes: [] };
  await keys.read("key_1", { ...state, name: "other" });
  for (const _ of [1, 2]) await keys.read("key_2", state);
  expect(keys.warnings).toEqual([
    expect.stringMatching(/with the name and customer of one in state\..* a proxy sent .*: "ci": key_3\.$/),
  ]);
});

test("K6 a refresh warns of no key that another resource of the run has", async () => {
  const keyOf = (id: string) => ({ ...least, id, enabled: true, scopes: [] });
  const keys = replying(apiKey, (asked) =>
    asked.path.endsWith("/api-key")
      ? { apiKeys: ["key_1", "key_2", "key_3"].map(keyOf) }
      : { apiKey: keyOf(idIn(asked)) },
  );
  const state = { ...least, key: "sk", enabled: true, scopes: [] };
  await Promise.all(["key_1", "key_2", "key_3"].map((id) => keys.read(id, state)));
  expect(keys.warnings).toEqual([]);
});

test("K5 K6 no error contains a secret that the program or the service repeats in another field", async () => {
  const named = { id: "k2", name: "ci-sk_live_1", customerId: least.customerId, createdAt: "sk_live_1" };
  const keys = failing(refused(409), [named]);
  const { message } = await keys.failed({ name: "ci-sk_live_1", existingKey: "sk_live_1" });
  expect(message).toContain('Migrating key "ci-[secret]"');
  expect(keys.warnings.join()).toContain("k2");
  expect([message, ...keys.warnings].join()).not.toContain("sk_live_1");
});

test("R16 every later request for a key masks its secret", async () => {
  const seen: (readonly string[])[] = [];
  const orders = { representation: "orders", read: true };
  const keys = replying(apiKey, ({ method, path, secrets }) => {
    if (!path.endsWith("/api-key")) seen.push(secrets);
    else if (method === "GET") return { apiKeys: [] };
    return {
      apiKey: { ...least, id: "k", scopes: [orders], key: "sk_secret", deleted: method === "DELETE" },
    };
  });
  const { inputs } = keys.check(least, undefined);
  const state = { ...inputs, key: "sk_secret" };
  await keys.create(inputs).catch(() => {});
  await keys.read("k", state);
  await keys.update("k", state, inputs).catch(() => {});
  await keys.delete("k", state);
  expect(seen.length).toBeGreaterThan(5);
  for (const secrets of seen) expect(secrets).toContain("sk_secret");
});
