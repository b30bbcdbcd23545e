import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { failureOf, replying } from "../replying";

type Answers = (method: string, path: string, secrets: readonly string[]) => unknown;

/** The operations of an ApiKey on a service with these answers: a value is sent as JSON, an Error is thrown. */
const serving = (answers: Answers) =>
  replying(apiKey, ({ method, path, secrets }) => {
    const answer = answers(method, path, secrets);
    if (answer instanceof Error) throw answer;
    return answer ?? "";
  });

const flags = { create: false, read: true, update: false, del: false };
const orders = { representation: "orders", ...flags };
const declared = { workspaceId: "ws", customerId: "c", name: "ci", scopes: [], enabled: true };
const record = { id: "k", name: "ci", enabled: true, scopes: [], key: "sk_secret" };
const ambiguous = () => new CallError("ambiguous", "the service answered 500", 500);

describe("an answer that leaves out a field", () => {
  test("R4 is no proof that a scope was removed: a read decides", async () => {
    const held = { ...record, scopes: [orders] };
    const service = serving((method) => ({
      apiKey: method === "PATCH" ? { ...held, scopes: undefined } : held,
    }));
    const { kept, message } = await failureOf(
      service.update("k", { ...declared, scopes: [orders] }, declared),
    );
    expect(message).toContain("scopes: the program has no scopes, the service still has orders (read)");
    expect(kept?.state["scopes"]).toEqual([{ representation: "orders", read: true }]);
  });

  test("R4 is no proof that a key was disabled: a read decides", async () => {
    const service = serving((method) => ({
      apiKey: method === "POST" ? { ...record, enabled: null } : record,
    }));
    const { kept, message } = await failureOf(service.create({ ...declared, enabled: false }));
    expect(message).toContain("enabled: the program has false, the service has true");
    expect(kept?.state).toMatchObject({ enabled: true, key: "sk_secret" });
  });

  test("R4 is no proof that a key has no name: a read decides", async () => {
    const held = { ...record, name: "ci-", enabled: false };
    const service = serving((method) => ({
      apiKey: method === "PATCH" ? { ...held, name: undefined } : held,
    }));
    const state = { ...declared, key: "sk", __observed: { name: "ci-" } };
    const after = await service.update("k", state, { ...declared, enabled: false });
    expect(service.calls.map(({ method }) => method)).toEqual(["GET", "PATCH", "GET"]);
    expect(after).toMatchObject({ name: "ci", __observed: { name: "ci-" } });
  });
});

describe("K6 a create's secret is kept", () => {
  test.each([
    ["enabled as a number", { enabled: 1 }],
    ["scopes as strings", { scopes: ["orders"] }],
    ["scopes as an object", { scopes: {} }],
    ["a flag as a string", { scopes: [{ representation: "orders", read: "true" }] }],
    ["a name as an object", { name: { text: "ci" } }],
    ["an expiry that is not a number", { expiresAt: "soon" }],
  ])("if the answer has %s", async (_what, odd) => {
    const service = serving((method) => ({ apiKey: { ...record, ...(method === "POST" && odd) } }));
    const { id, state } = await service.create(declared);
    expect(id).toBe("k");
    expect(state).toMatchObject({ key: "sk_secret", enabled: true, scopes: [] });
  });

  test("with an error if the key can't be read either", async () => {
    const service = serving(() => ({ apiKey: { ...record, enabled: 1 } }));
    const { kept } = await failureOf(service.create(declared));
    expect(kept).toMatchObject({ id: "k", state: { key: "sk_secret" } });
  });
});

describe("K6 an id that can't be part of a URL's path", () => {
  test("is not accepted from a list", async () => {
    let posted = false;
    const service = serving((method) => {
      if (method === "POST") posted = true;
      const listed = { ...record, id: "..", customerId: "c", key: undefined };
      return method === "POST" ? ambiguous() : { apiKeys: posted ? [listed] : [] };
    });
    const { kept, message } = await failureOf(service.create({ ...declared, existingKey: "sk_live_value" }));
    expect(kept).toBeUndefined();
    expect(message).toContain("the key is not in state");
  });
});

describe("R4 an update that may have been carried out", () => {
  test("fails with the previous values in state, so that undoing the change still causes an update", async () => {
    const service = serving((method) => (method === "GET" ? { apiKey: record } : ambiguous()));
    const { kept, message } = await failureOf(
      service.update("k", declared, { ...declared, scopes: [orders] }),
    );
    expect(kept).toMatchObject({ id: "k", state: { scopes: [], name: "ci" } });
    expect(message).toMatch(
      /^Updating key "ci" in workspace ws \(k\): .*It is not known whether the change was applied: state has the previous values/,
    );
  });
});

describe("K5 an existing key", () => {
  const taken = { ...declared, existingKey: "sk_live_value" };

  test("keeps the declared value, and is not replaced, if the service returns another one", async () => {
    const service = serving(() => ({ apiKey: record }));
    const { kept, message } = await failureOf(service.create(taken));
    expect(message).toContain("returned a secret that differs from existingKey");
    expect(kept?.state).toMatchObject({ key: "sk_live_value" });
    expect(service.diff("id_1", kept?.state ?? {}, taken)).toMatchObject({ changes: false, replaces: [] });
  });

  test.each(["sk_…alue", "sk_live_*****"])(
    "is migrated without an error if the service returns it masked: %s",
    async (key) => {
      const service = serving(() => ({ apiKey: { ...record, key } }));
      expect((await service.create(taken)).state["key"]).toBe("sk_live_value");
    },
  );

  test.each([
    ["a masked form", "sk_****alue", "sk_****alue"],
    ["its value", "sk_live_value", undefined],
  ])(
    "is migrated if the service returns %s as key and maskedKey, and maskedKey does not show its value",
    async (_what, text, shown) => {
      const service = serving(() => ({ apiKey: { ...record, key: text, maskedKey: text } }));
      const { state } = await service.create(taken);
      expect(state).toMatchObject({ key: "sk_live_value" });
      expect(state["maskedKey"]).toBe(shown);
    },
  );

  test("whose answer was lost has an error that says not to delete it, because its value may be in use", async () => {
    const { message } = await failureOf(serving(ambiguous).create(taken));
    expect(message).toContain("don't delete it");
    expect((await failureOf(serving(ambiguous).create(declared))).message).toContain(", delete it");
  });
});

test("no error contains a secret that the program or the service repeats in another field", async () => {
  const refusing = serving((method, path) =>
    path.endsWith("/api-key") && method === "GET"
      ? { apiKeys: [{ ...record, id: "k2", name: "ci-sk_live_1", customerId: "c", createdAt: "sk_live_1" }] }
      : new CallError("refused", "the service answered 409", 409),
  );
  const taken = { ...declared, name: "ci-sk_live_1", existingKey: "sk_live_1" };
  const { message } = await failureOf(refusing.create(taken));
  expect(message).toContain('Migrating key "ci-[secret]"');
  expect(message).not.toContain("sk_live_1");
  expect(refusing.warnings.join()).toContain("k2");
  expect(refusing.warnings.join()).not.toContain("sk_live_1");
});

test("every later request for a key masks its secret", async () => {
  const seen: (readonly string[])[] = [];
  const service = serving((method, path, secrets) => {
    if (!path.endsWith("/api-key")) seen.push(secrets);
    return { apiKey: { ...record, scopes: [orders], deleted: method === "DELETE" } };
  });
  const state = { ...declared, key: "sk_secret" };
  await service.create(declared).catch(() => {});
  await service.read("k", state);
  await service.update("k", state, state).catch(() => {});
  await service.delete("k", state);
  expect(seen.length).toBeGreaterThan(5);
  for (const secrets of seen) expect(secrets).toContain("sk_secret");
});
