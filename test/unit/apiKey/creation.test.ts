import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { least } from "../offline";
import { failureOf, refused, replying } from "../replying";

describe("K6 an answer to create", () => {
  const before = { id: "key_1", name: "other", customerId: "cus_2" };
  /** An ApiKey in a workspace with one other key, where a POST is answered with this. */
  const service = (answer: object) =>
    replying(apiKey, ({ method, path }) => {
      const apiKey = { enabled: true, scopes: [], ...answer };
      if (method === "POST") return { apiKey: { key: "sk_new", ...apiKey } };
      return path.endsWith("/api-key") ? { apiKeys: [before] } : { apiKey };
    });
  const answered = (answer: object, keys = service(answer)) =>
    keys.create(keys.check(least, undefined).inputs);

  test("counts as another key's because its id was listed before", async () => {
    const { message, kept, unresolved } = await failureOf(answered({ ...least, id: "key_1" }));
    expect(message).toContain("the service answered with a different key, key_1");
    expect([kept, unresolved]).toEqual([undefined, true]);
    expect(message).not.toContain("sk_new");
  });

  test.each([
    ["another name only", { name: "rewritten", customerId: "cus_1" }],
    ["another customer only", { name: least.name, customerId: "cus_2" }],
    ["no name", { customerId: "cus_2" }],
    ["another name, another customer and an old createdAt", { ...before, createdAt: "2024-02-19" }],
  ])("counts as the new key's despite %s", async (_how, answer) => {
    expect((await answered({ ...answer, id: "key_2" })).id).toBe("key_2");
  });

  test.each([
    ["a new id", "key_2", []],
    ["an id that was listed before", "key_1", [expect.stringContaining("key_1, which existed before")]],
  ])(
    "K5 counts as the migrated key's despite another name, another customer and %s",
    async (_how, id, warnings) => {
      const keys = service({ id, name: "other", customerId: "cus_2", key: "sk_old" });
      const { inputs } = keys.check({ ...least, existingKey: "sk_old" }, undefined);
      expect((await keys.create(inputs)).id).toBe(id);
      expect(keys.warnings.filter((line) => line.includes("existed before"))).toEqual(warnings);
    },
  );

  test("K5 counts as another key's if its id was listed before and it doesn't have the value", async () => {
    const keys = service({ ...least, id: "key_1", key: null, maskedKey: "sk_***0000" });
    const { inputs } = keys.check({ ...least, existingKey: "sk_old" }, undefined);
    await expect(keys.create(inputs)).rejects.toThrow("the service answered with a different key, key_1");
  });

  test("counts as another key's if this process has read that key, though no list shows it", async () => {
    const keys = service({ ...least, id: "key_2" });
    await keys.read("key_2", { ...least, key: "sk_old", enabled: true, scopes: [] });
    await expect(answered({}, keys)).rejects.toThrow("the service answered with a different key, key_2");
  });

  test("R4 with another name is accepted, with a warning", async () => {
    const keys = service({ id: "key_2", name: "rewritten", customerId: "cus_1" });
    const { state } = await answered({ id: "key_2", name: "rewritten", customerId: "cus_1" }, keys);
    expect(state).toMatchObject({ name: least.name, __observed: { name: "rewritten" } });
    expect(keys.warnings).toEqual([
      expect.stringContaining('Key key_2: name: the program has "ci", the service has "rewritten"'),
    ]);
  });

  test("that is lost is followed by a search for new keys of its name and customer that no resource has", async () => {
    const made = { ...least, id: "key_2", name: " CI", createdAt: "2026-11-25" };
    let posts = 0;
    const keys = replying(apiKey, ({ method }) => {
      if (method === "POST") {
        posts += 1;
        throw new CallError("ambiguous", "no answer came");
      }
      const others = [before, { ...least, id: "key_0" }];
      const since = [made, { ...made, id: "key_3", name: "theirs" }, { ...made, id: "key_4" }];
      return { apiKeys: posts === 0 ? others : [...others, ...since] };
    });
    // Another resource of this run has it.
    keys.diff("key_4", { ...least, key: "sk_4" }, least);
    const { message } = await failureOf(keys.create(keys.check(least, undefined).inputs));
    expect(message).toContain(
      "New in the workspace's list: key_2 (created 2026-11-25). If no other stack or person created it, delete it",
    );
  });

  test("K5 that is lost never adopts the key that the list then shows", async () => {
    const made = { ...least, id: "key_2", enabled: true, scopes: [] };
    let posts = 0;
    const keys = replying(apiKey, ({ method }) => {
      if (method === "GET") return { apiKeys: posts === 0 ? [] : [made] };
      posts += 1;
      throw new CallError("ambiguous", "no answer came");
    });
    const { inputs } = keys.check({ ...least, existingKey: "sk_live_1" }, undefined);
    const { kept, message } = await failureOf(keys.create(inputs));
    expect(kept).toBeUndefined();
    expect(message).toMatch(/New in the workspace's list: key_2\. .*import it.*don't delete it/);
  });

  test.each([
    [
      "no new key",
      { first: [], later: [] },
      /The workspace's list shows no new key with this name and customer: run `pulumi up` again\./,
    ],
    [
      "no list",
      { first: undefined, later: undefined },
      /list of keys could not be read \(.*403\): look for .*, created since 2\S+Z; if there is one, delete it/,
    ],
    [
      "keys of that name, in a list that could not be read before",
      { first: undefined, later: ["key_2", "key_3"] },
      /Perhaps new in the workspace's list: key_2, key_3\. If one was created since 2\S+Z, and no other/,
    ],
  ])(
    "K6 an answer to create that is lost is followed by what the workspace shows: %s",
    async (_what, { first, later }, words) => {
      let posts = 0;
      const keys = replying(apiKey, ({ method }) => {
        if (method === "POST") {
          posts += 1;
          throw new CallError("ambiguous", "no answer came");
        }
        const ids = posts === 0 ? first : later;
        if (ids === undefined) throw refused();
        return { apiKeys: ids.map((id) => ({ ...least, id })) };
      });
      const { kept, message } = await failureOf(keys.create(keys.check(least, undefined).inputs));
      expect(kept).toBeUndefined();
      expect(message).toMatch(words);
      expect(posts).toBe(1);
    },
  );

  test("K6 an answer to create without the secret is saved, and replaces the key, also after a refresh", async () => {
    const keys = service({ ...least, id: "key_2", key: null });
    const { inputs } = keys.check(least, undefined);
    const { kept, message } = await failureOf(keys.create(inputs));
    expect(message).toMatch(
      /did not return the secret\. The key is in state, and the next update replaces it\.$/,
    );
    const { id, state } = kept ?? { id: "", state: {} };
    expect(state).toMatchObject({ ...least, __keyLost: true });
    const read = await keys.read(id, state);
    for (const seen of [state, read?.state ?? {}])
      expect(keys.diff(id, seen, inputs)).toMatchObject({ changes: true, replaces: ["key"] });
  });

  test("counts for only one of two concurrent creates if both are answered with one key", async () => {
    const keys = service({ ...least, id: "key_2" });
    const both = await Promise.allSettled([answered({}, keys), answered({}, keys)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});

test.each([
  ["ApiKey", apiKey, least],
  ["CustomerBilling", customerBilling, { workspaceId: "ws_1", totalCredits: "100" }],
])(
  "a POST of %s that a proxy answers with a page fails with advice to check the base URL",
  async (_kind, definition, inputs) => {
    const service = replying(definition, () => "<html>Sign in</html>");
    await expect(service.create(service.check(inputs, undefined).inputs)).rejects.toThrow(
      /the answer is not JSON\..* If that doesn't help, check the base URL \(.*\), and any proxy or gateway in between\.$/,
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
    expect.stringMatching(/already has a key with this name and customer: key_1\. If another .* do nothing/),
  ]);
  keys.diff("key_1", { ...least, key: "sk_1" }, inputs);
  await keys.create(inputs);
  expect(keys.warnings).toHaveLength(1);
});
