import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { least } from "../offline";
import { failureOf, idIn, replying } from "../replying";

describe("K6 an answer to create", () => {
  const before = { id: "key_1", name: "other", customerId: "cus_2" };
  /** An ApiKey in a workspace with one other key, where a POST is answered with this. */
  const service = (answer: object, list: (posts: number) => unknown = () => [before]) => {
    let posts = 0;
    return replying(apiKey, ({ method, path }) => {
      const apiKey = { enabled: true, scopes: [], ...answer };
      if (method === "POST") {
        posts += 1;
        return { apiKey: { key: "sk_new", ...apiKey } };
      }
      return path.endsWith("/api-key") ? { apiKeys: list(posts) } : { apiKey };
    });
  };
  const answered = (answer: object, keys = service(answer)) =>
    keys.create(keys.check(least, undefined).inputs);

  test.each([
    ["an id that was listed before", { ...least, id: "key_1" }],
    ["an old createdAt without a secret", { ...least, id: "key_2", createdAt: "2024-02-19", key: null }],
    ["an old createdAt and another name", { ...least, id: "key_2", createdAt: "2024-02-19", name: "other" }],
    [
      "an old createdAt and another customer",
      { ...least, id: "key_2", createdAt: "2024-02-19", customerId: "c" },
    ],
    ["another name and customer", { id: "key_2", name: "other", customerId: "cus_2" }],
  ])("counts as another key's because of %s", async (_how, answer) => {
    const list = (posts: number) => (posts === 0 ? [before] : [before, { id: "key_2" }]);
    const { message, kept, unresolved } = await failureOf(answered(answer, service(answer, list)));
    expect(message).toContain("the service answered with a different key, ");
    expect([kept, unresolved]).toEqual([undefined, true]);
    expect(message).not.toContain("sk_new");
  });

  test.each([
    ["another name only", { name: "rewritten", customerId: "cus_1" }],
    ["another customer only", { name: least.name, customerId: "cus_2" }],
    ["no name", { customerId: "cus_2" }],
  ])("counts as the new key's despite %s", async (_how, answer) => {
    expect((await answered({ ...answer, id: "key_2" })).id).toBe("key_2");
  });

  test.each([
    ["a new id", "key_2"],
    ["an id that was listed before", "key_1"],
  ])("K5 counts as the migrated key's despite another name, another customer and %s", async (_how, id) => {
    const keys = service({ id, name: "other", customerId: "cus_2", key: "sk_old" });
    const { inputs } = keys.check({ ...least, existingKey: "sk_old" }, undefined);
    expect((await keys.create(inputs)).id).toBe(id);
  });

  test("counts as another key's despite the declared name if its customer differs and no list was read before", async () => {
    const answer = { ...least, id: "key_2", customerId: "cus_2" };
    await expect(
      answered(
        answer,
        service(answer, () => "none"),
      ),
    ).rejects.toThrow("the service answered with a different key, key_2");
  });

  test("counts as another key's if this process has read that key, though no list shows it", async () => {
    const keys = service({ ...least, id: "key_2" });
    await keys.read("key_2", { ...least, key: "sk_old", enabled: true, scopes: [] });
    await expect(answered({}, keys)).rejects.toThrow("the service answered with a different key, key_2");
  });

  test("R4 with another name is accepted, with a warning", async () => {
    const keys = service({ id: "key_2", name: "rewritten", customerId: "cus_1" }, () => [before]);
    const { state } = await answered({ id: "key_2", name: "rewritten", customerId: "cus_1" }, keys);
    expect(state).toMatchObject({ name: least.name, __observed: { name: "rewritten" } });
    expect(keys.warnings).toEqual([
      expect.stringContaining('Key key_2: name: the program has "ci", the service has "rewritten"'),
    ]);
  });

  test("that is lost is no reason to name the key of another create, which the service answers 50 s later", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let slow: object | undefined;
    const keys = replying(apiKey, async ({ method, body }) => {
      if (method === "GET") return { apiKeys: slow === undefined ? [] : [slow] };
      const { name } = body as { name: string };
      if (name === "lost") throw new CallError("ambiguous", "no answer came");
      slow = { ...least, id: "key_2", name };
      await new Promise((resolve) => setTimeout(resolve, 50_000));
      return { apiKey: { ...slow, key: "sk_new", enabled: true, scopes: [] } };
    });
    const create = (name: string) => keys.create(keys.check({ ...least, name }, undefined).inputs);
    const [made, failure] = [create("slow"), failureOf(create("lost"))];
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await made).id).toBe("key_2");
    expect((await failure).message).toContain("The workspace's list shows no new key");
  });

  test("that is lost is found for an existing value, even if the list has its key twice", async () => {
    const record = { ...least, id: "key_2", enabled: true, scopes: [] };
    let posts = 0;
    const keys = replying(apiKey, ({ method, path }) => {
      if (method === "POST") posts += 1;
      if (method === "POST") throw new CallError("ambiguous", "no answer came");
      if (!path.endsWith("/api-key")) return { apiKey: record };
      return { apiKeys: posts === 0 ? [] : [record, record] };
    });
    const { inputs } = keys.check({ ...least, existingKey: "sk_live_1" }, undefined);
    expect(await keys.create(inputs)).toMatchObject({ id: "key_2", state: { key: "sk_live_1" } });
    // The list alone is not enough.
    expect(idIn(keys.calls.at(-1) ?? { path: "" })).toBe("key_2");
  });

  test.each([
    ["ahead", "2024-02-19T08:00:00Z", [expect.stringContaining("more than two days old by the clock")]],
    ["behind", "2099-02-19T08:00:00Z", []],
  ])(
    "counts as the new key's even if the clock of this machine is years %s",
    async (_how, createdAt, warnings) => {
      const answer = { ...least, id: "key_2", createdAt };
      const keys = service(answer, (posts) => (posts === 0 ? [before] : [before, answer]));
      expect(await answered(answer, keys)).toMatchObject({ id: "key_2", state: { key: "sk_new" } });
      expect(keys.warnings).toEqual(warnings);
    },
  );

  // As from a proxy that repeats the answer to an earlier create with the same name and customer.
  const replayed = { ...least, id: "key_2", createdAt: "2024-02-19T08:00:00Z" };
  test.each<[string, (posts: number) => unknown]>([
    ["if that key no longer exists", () => [before]],
    [
      "if the list shows that key as deleted",
      (posts) => [before, ...(posts > 0 ? [{ ...replayed, deleted: true }] : [])],
    ],
    ["if the keys can't be listed", () => "none"],
    ["if the keys can't be listed after the create", (posts) => (posts === 0 ? [before] : "none")],
    [
      "if the keys could not be listed before the create",
      (posts) => (posts === 0 ? "none" : [before, replayed]),
    ],
  ])("with an old createdAt, but all else as declared, counts as another key's %s", async (_which, list) => {
    const { message, unresolved } = await failureOf(answered(replayed, service(replayed, list)));
    expect(message).toContain(
      "the service answered with a different key, key_2, which is more than two days old by the clock of this machine.",
    );
    expect(unresolved).toBe(true);
  });

  test.each([
    ["now", undefined],
    ["years ago", "2024-02-19T08:00:00Z"],
  ])(
    "counts for only one of two concurrent creates if both are answered with one key, created %s",
    async (_when, createdAt) => {
      const answer = { ...least, id: "key_2", createdAt };
      const keys = service(answer, (posts) => (posts === 0 ? [before] : [before, answer]));
      const both = await Promise.allSettled([answered(answer, keys), answered(answer, keys)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    },
  );

  test("with an old createdAt counts as another key's if this process has deleted that key", async () => {
    const keys = service({ ...replayed, deleted: true }, () => [before, replayed]);
    await keys.delete("key_2", { ...replayed, key: "sk_old" });
    await expect(answered(replayed, keys)).rejects.toThrow(
      "the service answered with a different key, key_2, which is more than two",
    );
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
