import { describe, expect, it } from "vitest";
import type { Transport, Written } from "../../../provider/client/send";
import * as service from "../../client/api";

/** What a call reads in this body: a string, or a value as JSON. */
function readingOf<T>(run: (call: service.Call) => Promise<T | Written<T>>) {
  return async (body: unknown): Promise<Written<T>> => {
    let found: unknown;
    const send: Transport["send"] = async ({ read }) => {
      const written = read(typeof body === "string" ? body : JSON.stringify(body));
      found = written;
      return written;
    };
    const transport: Transport = { send, writes: 0, close: async () => {} };
    const result = await run({ transport, credentials: { baseUrl: "https://api.test", accessToken: "t" } });
    // What the calls return of a write is more than what was read.
    return (
      typeof result === "object" && result !== null && "record" in result ? result : found
    ) as Written<T>;
  };
}

const keyPath = { workspaceId: "w", keyId: "k" };
const newKey = { name: "ci", workspaceId: "w", scopes: [], enabled: true, customerId: "c" };
const existingKey = "sk_existing_value";
const readKey = readingOf((call) => service.readApiKey(call, keyPath));
const createKey = readingOf((call) => service.createApiKey(call, newKey));
const migrateKey = readingOf((call) =>
  service.migrateApiKey(call, { ...newKey, key: existingKey, metadata: {} }),
);
const listKeys = readingOf((call) => service.listApiKeys(call, keyPath));
const readWorkspace = readingOf((call) => service.readWorkspace(call, keyPath));
const createScope = readingOf((call) =>
  service.createScope(call, keyPath, { name: "", representation: "", description: "" }),
);
const createBilling = readingOf((call) =>
  service.createBilling(call, { totalCredits: "1", allowOverages: false, workspaceId: "w" }),
);

const key = async (fields: object) => (await readKey({ apiKey: { id: "k", ...fields } })).record;
const born = async (fields: object) => (await createKey({ apiKey: { id: "k", ...fields } })).record;
const listed = async (apiKeys: unknown) => (await listKeys({ apiKeys })).record;

describe("reading an answer", () => {
  it.each([
    ['{"apiKey":{"id":"SECRET', "the answer is not JSON"],
    ["<html>SECRET</html>", "the answer is not JSON"],
    ["", "the answer is empty"],
    ["null", "the answer's apiKey is missing or has another type"],
    ["17", "the answer's apiKey is missing or has another type"],
    ["[]", "the answer's apiKey is missing or has another type"],
    ['{"data":{"id":"k"}}', "the answer's apiKey is missing or has another type"],
    ['{"apiKey":[{"id":"k"}]}', "the answer's apiKey is missing or has another type"],
    ['{"apiKey":{"id":{"SECRET":1}}}', "the answer's apiKey.id is missing or has another type"],
    ['{"apiKey":{"id":"other"}}', "the answer's apiKey.id is not the one asked for"],
  ])("says what is wrong with it: %s", async (body, problem) => {
    expect(await readKey(body)).toMatchObject({ record: undefined, problem });
  });

  it.each(["{}", '{"apiKey":null}', '{"apiKey":null,"code":"SECRET"}'])(
    "says that it has no record: %s",
    async (body) => {
      expect(await readKey(body)).toMatchObject({ record: undefined, noRecord: true });
    },
  );
});

describe("an answer with a key", () => {
  it("needs only an id; fields that are absent, null or empty are undefined", async () => {
    const empty = { name: "", maskedKey: null, prefix: "", expiresAt: null, enabled: null, lastUsedAt: "" };
    for (const fields of [{}, empty]) expect(await key(fields)).toEqual({ id: "k" });
    expect(
      (await readingOf((c) => service.readApiKey(c, { ...keyPath, keyId: "17" }))({ apiKey: { id: 17 } }))
        .record?.id,
    ).toBe("17");
  });

  it("may have numbers in place of strings, and a numeric string as expiresAt", async () => {
    const read = await key({ name: 5, createdAt: 1_700_000_000, lastUsedAt: 0, expiresAt: "1700000000" });
    const expected = { name: "5", createdAt: "1700000000", lastUsedAt: "0", expiresAt: 1_700_000_000 };
    expect(read).toMatchObject(expected);
    expect((await key({ expiresAt: "9".repeat(400) }))?.expiresAt).toBeUndefined();
  });

  it("may have another type in a field that is only passed on", async () => {
    const odd = { at: "SECRET" };
    const fields = { billingId: odd, updatedAt: [], createdAt: true, maskedKey: odd, prefix: odd };
    expect(await key({ ...fields, customerId: odd, expiresAt: "2026-01-01T00:00:00Z" })).toEqual({ id: "k" });
  });

  it("has a lastUsedAt of any type as text that changes with it", async () => {
    expect((await key({ lastUsedAt: { seconds: 1 } }))?.lastUsedAt).toBe('{"seconds":1}');
  });

  it("has half a surrogate pair replaced by U+FFFD", async () => {
    const half = "a\ud800b\udc00";
    expect(await born({ name: half, key: half })).toMatchObject({
      name: "a\ufffdb\ufffd",
      key: "a\ufffdb\ufffd",
    });
  });

  it.each([true, false])(
    "has `deleted` as sent if it is %j, and as absent if it is anything else",
    async (sent) => {
      expect((await key({ deleted: sent }))?.deleted).toBe(sent);
      for (const other of ["true", 1, "2026-01-01", {}])
        expect((await key({ deleted: other }))?.deleted).toBeUndefined();
      expect((await key({ deleted: null }))?.deleted).toBeUndefined();
    },
  );

  it.each<[string, unknown]>([
    ["name", { a: 1 }],
    ["name", true],
    ["enabled", "true"],
    ["enabled", 1],
    ["scopes", "read"],
    ["scopes[1]", [{ representation: "fine" }, null]],
    ["scopes[0].representation", [{}]],
    ["scopes[0].representation", [{ representation: "" }]],
    ["scopes[0].del", [{ representation: "a", del: "SECRET" }]],
    ["scopes[0].id", [{ representation: "a", id: {} }]],
  ])("R5 is unusable if its %s is wrong: %j", async (place, odd) => {
    const { problem } = await readKey({ apiKey: { id: "k", [place.replace(/\[.*/, "")]: odd } });
    expect(problem).toBe(`the answer's apiKey.${place} is missing or has another type`);
  });

  it("has undefined scopes if they are absent, and an empty list if they are null", async () => {
    expect((await key({}))?.scopes).toBeUndefined();
    expect((await key({ scopes: null }))?.scopes).toEqual([]);
  });

  it("has false for absent and null flags of a scope entry, and no id for an absent one", async () => {
    const scopes = [
      { representation: "a", read: true },
      { id: 7, representation: 5, create: null, update: false, del: true, more: 1 },
    ];
    expect((await key({ scopes }))?.scopes).toEqual([
      { representation: "a", create: false, read: true, update: false, del: false },
      { id: "7", representation: "5", create: false, read: false, update: false, del: true },
    ]);
  });

  it("has the secret only if it answers a create or a migrate", async () => {
    expect((await born({ key: "sk_1" }))?.key).toBe("sk_1");
    expect(await key({ key: "sk_1" })).toEqual({ id: "k" });
    expect(await listed([{ id: "k", key: "sk_1" }])).toEqual([{ id: "k" }]);
    for (const none of ["", { v: 1 }]) expect((await born({ key: none }))?.key).toBeUndefined();
  });

  it("keeps the secret, whatever the other fields are", async () => {
    const odd = { name: {}, scopes: "none", enabled: "yes", expiresAt: {} };
    expect(await born({ ...odd, key: "sk_1" })).toEqual({ id: "k", key: "sk_1" });
  });

  it.each(["sk_****", "sk_••••1234", "sk_live…1234"])(
    "has no secret if `key` is a masked form: %s",
    async (masked) => {
      const fields = { key: masked, maskedKey: masked };
      expect(await born(fields)).toEqual({ id: "k", maskedKey: masked });
      expect((await migrateKey({ apiKey: { id: "k", ...fields } })).record).toEqual({
        id: "k",
        maskedKey: masked,
      });
    },
  );

  it("has no maskedKey if that shows the secret", async () => {
    expect(await born({ key: "sk_1", maskedKey: "sk_1 " })).toEqual({ id: "k", key: "sk_1" });
    const migrated = { id: "k", maskedKey: `${existingKey}!` };
    expect((await migrateKey({ apiKey: migrated })).record).toEqual({ id: "k" });
  });
});

describe("answers with other records", () => {
  it("a workspace has its IP list, and its numbers even if they come as strings", async () => {
    const workspace = { id: "w", name: ["odd"], defaultRateLimitPerSecond: "10", defaultExpiration: 0 };
    expect(
      (await readWorkspace({ workspace: { ...workspace, defaultAllowedIPs: ["10.0.0.1"] } })).record,
    ).toEqual({
      id: "w",
      defaultAllowedIPs: ["10.0.0.1"],
      defaultRateLimitPerSecond: 10,
      defaultExpiration: 0,
    });
  });

  it.each<[string, unknown]>([
    ["defaultRateLimitPerSecond", "many"],
    ["defaultExpiration", true],
    ["defaultKeyPrefix", {}],
    ["defaultAllowedIPs", "10.0.0.1"],
    ["defaultAllowedIPs[0]", [{}]],
  ])("a workspace is unusable if its %s is wrong: %j", async (place, odd) => {
    const { problem } = await readWorkspace({ workspace: { id: "w", [place.replace("[0]", "")]: odd } });
    expect(problem).toBe(`the answer's workspace.${place} is missing or has another type`);
  });

  it("a scope needs an id and a representation", async () => {
    expect((await createScope({ scope: { id: 1, representation: "a" } })).record).toEqual({
      id: "1",
      representation: "a",
    });
    for (const odd of [{ id: 1 }, { representation: "a" }, { id: 1, representation: "a", name: [] }])
      expect((await createScope({ scope: odd })).record).toBeUndefined();
  });

  it("a billing record needs an id, and has credits as strings", async () => {
    const billing = { id: 5, totalCredits: 100, usedCredits: "0.50", allowOverages: "no", spendCap: null };
    const expected = { id: "5", totalCredits: "100", usedCredits: "0.50" };
    expect((await createBilling({ billing })).record).toEqual(expected);
  });

  it("R6 a key in a list lacks what can't be read, so that an odd one hides no other", async () => {
    const odd = { id: "a", name: {}, scopes: [{ representation: null }], enabled: "perhaps" };
    expect(await listed([odd, { id: "b", name: "b" }])).toEqual([{ id: "a" }, { id: "b", name: "b" }]);
  });

  it("a list that is null, or left out of an answer without any field, is empty; anything else is unusable", async () => {
    for (const answer of [{ apiKeys: null }, { apiKeys: [], extra: 1 }, {}])
      expect((await listKeys(answer)).record).toEqual([]);
    for (const answer of [{ apiKeys: {} }, { apiKeys: "" }, { apiKeys: 0 }, { data: [] }, { code: "no" }])
      expect((await listKeys(answer)).problem).toBe("the answer's apiKeys is missing or has another type");
    expect((await listKeys({ apiKeys: [{ id: "a" }, { name: "b" }] })).problem).toBe(
      "the answer's apiKeys[1].id is missing or has another type",
    );
  });
});

describe("a request's path", () => {
  const pathOf = async (workspaceId: string) => {
    let path = "";
    const send: Transport["send"] = async (request) => {
      path = request.path;
      return request.read("{}");
    };
    const transport: Transport = { send, writes: 0, close: async () => {} };
    const call = { transport, credentials: { baseUrl: "https://api.test", accessToken: "t" } };
    await service.listApiKeys(call, { workspaceId });
    return path;
  };

  it.each([
    ["a/b", "/api/v1/workspace/a%2Fb/api-key"],
    ["a?b#c", "/api/v1/workspace/a%3Fb%23c/api-key"],
    ["%2e%2e", "/api/v1/workspace/%252e%252e/api-key"],
    ["ü €", "/api/v1/workspace/%C3%BC%20%E2%82%AC/api-key"],
    ["..\\", "/api/v1/workspace/..%5C/api-key"],
  ])("with the id %s is %s", async (id, expected) => {
    expect(await pathOf(id)).toBe(expected);
    expect(new URL(expected, "https://x.example").pathname).toBe(expected);
  });

  it.each(["", ".", "..", "a\nb", "\u0085", "a\udc00b"])("rejects the id %j", async (id) => {
    await expect(pathOf(id)).rejects.toMatchObject({ verdict: "notSent", status: undefined });
  });
});
