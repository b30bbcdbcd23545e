import { describe, expect, test } from "vitest";
import { apiKey } from "../../provider/resources/apiKey";
import { least } from "./offline";
import { failureOf, replying } from "./replying";

describe("K6 an answer to create", () => {
  const before = { id: "key_1", name: "other", customerId: "cus_2" };
  /** Creates against a workspace with a key, where POST is answered with this. */
  const service = (answer: object) =>
    replying(apiKey, ({ method, path }) => {
      const apiKey = { enabled: true, scopes: [], ...answer };
      if (method === "POST") return { apiKey: { key: "sk_new", ...apiKey } };
      return path.endsWith("/api-key") ? { apiKeys: [before] } : { apiKey };
    });
  const answered = (answer: object, keys = service(answer)) =>
    keys.create(keys.check(least, undefined).inputs);

  test.each([
    ["an id that was listed before", { ...least, id: "key_1" }],
    ["a time of long before without a secret", { ...least, id: "key_2", createdAt: "2024-02-19", key: null }],
    [
      "a time of long before and another name",
      { ...least, id: "key_2", createdAt: "2024-02-19", name: "other" },
    ],
    [
      "a time of long before and another customer",
      { ...least, id: "key_2", createdAt: "2024-02-19", customerId: "c" },
    ],
    ["another name and customer", { id: "key_2", name: "other", customerId: "cus_2" }],
  ])("is another key's by %s", async (_how, answer) => {
    const { message, kept, unresolved } = await failureOf(answered(answer));
    expect(message).toContain("the service answered with a different key, ");
    expect([kept, unresolved]).toEqual([undefined, true]);
    expect(message).not.toContain("sk_new");
  });

  test.each([
    ["another name only", { name: "rewritten", customerId: "cus_1" }],
    ["another customer only", { name: least.name, customerId: "cus_2" }],
    ["no name", { customerId: "cus_2" }],
  ])("is that of the new one by %s", async (_how, answer) => {
    expect((await answered({ ...answer, id: "key_2" })).id).toBe("key_2");
  });

  test.each([
    ["ahead", "2024-02-19T08:00:00Z", [expect.stringContaining("more than two days old by the clock")]],
    ["behind", "2099-02-19T08:00:00Z", []],
  ])("is that of the new one by a clock that is years %s", async (_how, createdAt, warnings) => {
    const answer = { ...least, id: "key_2", createdAt };
    const keys = service(answer);
    expect(await answered(answer, keys)).toMatchObject({ id: "key_2", state: { key: "sk_new" } });
    expect(keys.warnings).toEqual(warnings);
  });
});
