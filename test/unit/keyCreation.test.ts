import { describe, expect, test } from "vitest";
import { CallError } from "../../provider/client/callError";
import { apiKey } from "../../provider/resources/apiKey";
import { customerBilling } from "../../provider/resources/customerBilling";
import { least } from "./offline";
import { failureOf, replying } from "./replying";

describe("K6 an answer to create", () => {
  const before = { id: "key_1", name: "other", customerId: "cus_2" };
  /** Creates against a workspace with a key, where POST is answered with this. */
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
    ["if only the list of now has it", [], true],
    ["unless another new key has both", [{ ...least, id: "key_3" }], false],
  ])("of another name and customer is that of the new one %s", async (_how, others, taken) => {
    const answer = { id: "key_2", name: "ci-2", customerId: "internal_1" };
    const keys = service(answer, (posts) => (posts === 0 ? [before] : [before, answer, ...others]));
    const creating = answered(answer, keys);
    if (taken) expect(await creating).toMatchObject({ id: "key_2", state: { key: "sk_new" } });
    else
      expect((await failureOf(creating)).message).toContain(
        "the service answered with a different key, key_2",
      );
    expect(keys.warnings).toEqual(
      taken ? [expect.stringContaining("key_2, which has another name and customer. If the service")] : [],
    );
  });

  test.each([
    ["another name only", { name: "rewritten", customerId: "cus_1" }],
    ["another customer only", { name: least.name, customerId: "cus_2" }],
    ["no name", { customerId: "cus_2" }],
  ])("is that of the new one by %s", async (_how, answer) => {
    expect((await answered({ ...answer, id: "key_2" })).id).toBe("key_2");
  });

  test("R5 may have its own word for the customer, of which no refresh warns, after an update either", async () => {
    let now = { ...least, id: "key_2", deleted: false, enabled: true, scopes: [], customerId: "internal_1" };
    const keys = replying(apiKey, ({ method, path, body }) => {
      if (method === "POST") return { apiKey: { id: now.id, key: "sk_new", name: least.name } };
      now = { ...now, ...(body as object) };
      return path.endsWith("/api-key") ? { apiKeys: [] } : { apiKey: now };
    });
    const { inputs } = keys.check(least, undefined);
    const { id, state } = await keys.create(inputs);
    await keys.read(id, state);
    const updated = await keys.update(id, state, { ...inputs, enabled: false });
    await keys.read(id, updated);
    expect([updated["customerId"], keys.warnings]).toEqual([least.customerId, []]);
    now = { ...now, customerId: "internal_2" };
    await keys.read(id, updated);
    expect(keys.warnings).toEqual([expect.stringContaining("its customerId in the service has changed")]);
  });

  test("R5 may leave the customer out, of which no refresh warns after the first update", async () => {
    let now = { ...least, id: "key_2", deleted: false, enabled: true, scopes: [], customerId: "internal_1" };
    let isDown = true;
    const keys = replying(apiKey, ({ method, path, body }) => {
      if (method === "POST") return { apiKey: { id: now.id, key: "sk_new" } };
      if (path.endsWith("/api-key")) return { apiKeys: [] };
      now = { ...now, ...(body as object) };
      return isDown ? {} : { apiKey: now };
    });
    const { inputs } = keys.check(least, undefined);
    const { kept } = await failureOf(keys.create(inputs));
    isDown = false;
    const updated = await keys.update("key_2", kept?.state ?? {}, { ...inputs, enabled: false });
    await keys.read("key_2", updated);
    expect([updated["customerId"], keys.warnings]).toEqual([least.customerId, []]);
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
  });

  test.each([
    ["ahead", "2024-02-19T08:00:00Z", [expect.stringContaining("more than two days old by the clock")]],
    ["behind", "2099-02-19T08:00:00Z", []],
  ])("is that of the new one by a clock that is years %s", async (_how, createdAt, warnings) => {
    const answer = { ...least, id: "key_2", createdAt };
    const keys = service(answer, (posts) => (posts === 0 ? [before] : [before, answer]));
    expect(await answered(answer, keys)).toMatchObject({ id: "key_2", state: { key: "sk_new" } });
    expect(keys.warnings).toEqual(warnings);
  });

  test("without a secret that an error hook repeats is named: the engine keeps nothing of the first attempt", async () => {
    const keys = service({ ...least, id: "key_2", key: null });
    const first = await failureOf(answered({}, keys));
    expect([first.kept?.id, keys.warnings]).toEqual(["key_2", []]);
    await failureOf(answered({}, keys));
    expect(keys.warnings).toEqual([expect.stringMatching(/^If an onError hook repeats .*: key_2\.$/)]);
  });

  // As of a proxy that repeats the answer to an earlier create of the same name and customer.
  const replayed = { ...least, id: "key_2", createdAt: "2024-02-19T08:00:00Z" };
  test.each<[string, (posts: number) => unknown]>([
    ["that no longer exists", () => [before]],
    [
      "that the list shows as deleted",
      (posts) => [before, ...(posts > 0 ? [{ ...replayed, deleted: true }] : [])],
    ],
    ["if the keys can't be listed", () => "none"],
    ["if they can't be listed any more", (posts) => (posts === 0 ? [before] : "none")],
    ["if they could not be listed before", (posts) => (posts === 0 ? "none" : [before, replayed])],
  ])("is another key's by a time of long before, although all else is the same, %s", async (_which, list) => {
    const { message, unresolved } = await failureOf(answered(replayed, service(replayed, list)));
    expect(message).toContain(
      "the service answered with a different key, key_2, which is more than two days old by the clock of this machine.",
    );
    expect(unresolved).toBe(true);
  });

  test.each([
    ["now", undefined],
    ["long before", "2024-02-19T08:00:00Z"],
  ])(
    "is that of one of two creates at once, if both are answered with the same key of %s",
    async (_when, createdAt) => {
      const answer = { ...least, id: "key_2", createdAt };
      const keys = service(answer, (posts) => (posts === 0 ? [before] : [before, answer]));
      const both = await Promise.allSettled([answered(answer, keys), answered(answer, keys)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    },
  );

  test("is another key's by a time of long before if this process has deleted that key", async () => {
    const keys = service({ ...replayed, deleted: true }, () => [before, replayed]);
    await keys.delete("key_2", { ...replayed, key: "sk_old" });
    const { message } = await failureOf(answered(replayed, keys));
    expect(message).toContain("the service answered with a different key, key_2, which is more than two");
  });
});

test.each([
  ["ApiKey", apiKey, least],
  ["CustomerBilling", customerBilling, { workspaceId: "ws_1", totalCredits: "100" }],
])("a POST of %s that a page of a proxy answers says where it went", async (_kind, definition, inputs) => {
  const service = replying(definition, () => "<html>Sign in</html>");
  const { message } = await failureOf(service.create(service.check(inputs, undefined).inputs));
  expect(message).toMatch(
    /the answer is not JSON\..* If that doesn't help, check the base URL \(.*\), and any proxy or gateway in between\.$/,
  );
});
