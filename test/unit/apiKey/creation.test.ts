import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { least } from "../offline";
import { failureOf, replying } from "../replying";

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

  test("that is lost is followed by a search for new keys of its name and customer only", async () => {
    const made = { ...least, id: "key_2", name: " CI", createdAt: "2026-11-25" };
    let posts = 0;
    const keys = replying(apiKey, ({ method }) => {
      if (method === "POST") {
        posts += 1;
        throw new CallError("ambiguous", "no answer came");
      }
      return { apiKeys: posts === 0 ? [before] : [before, made, { ...made, id: "key_3", name: "theirs" }] };
    });
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
