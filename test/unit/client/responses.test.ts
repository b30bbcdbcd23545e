import { describe, expect, it } from "vitest";
import { apiKey, listedApiKeys, newApiKeyOf } from "../../../provider/client/apiKeys";
import { billing } from "../../../provider/client/billing";
import { type Reader, reader } from "../../../provider/client/reading";
import { scope } from "../../../provider/client/scopes";
import { workspace } from "../../../provider/client/workspaces";

const json = (value: unknown): Buffer =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const readKey = reader("apiKey", apiKey);
const readNewKey = newApiKeyOf();
const readWorkspace = reader("workspace", workspace);
const readScope = reader("scope", scope);
const readBilling = reader("billing", billing);

function value<T>(read: Reader<T>, body: unknown): T {
  const { record, problem } = read(json(body));
  if (record === undefined) throw new Error(problem);
  return record;
}
function problem(read: Reader<unknown>, body: unknown): string {
  return read(json(body)).problem ?? "the answer was usable";
}
const key = (fields: object) => value(readKey, { apiKey: { id: "k", ...fields } });
const keyProblem = (fields: object) => problem(readKey, { apiKey: { id: "k", ...fields } });
const absent = {
  name: undefined,
  maskedKey: undefined,
  prefix: undefined,
  expiresAt: undefined,
  scopes: undefined,
  enabled: undefined,
  customerId: undefined,
  createdAt: undefined,
  updatedAt: undefined,
  lastUsedAt: undefined,
  billingId: undefined,
  key: undefined,
};

describe("reading an answer", () => {
  it.each<[string, Buffer, string]>([
    ["cut JSON", json('{"apiKey":{"id":"SECRET'), "the answer is not JSON"],
    ["HTML", json("<html>SECRET</html>"), "the answer is not JSON"],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22]), "the answer is not JSON"],
    ["a number", json("17"), "the answer is not an object"],
    ["a list", json("[]"), "the answer is not an object"],
    ["another wrapper", json({ data: { id: "k" } }), "the answer's apiKey is not an object"],
    ["no wrapper", json({ id: "k", name: "SECRET" }), "the answer's apiKey is not an object"],
    ["a list in the wrapper", json({ apiKey: [{ id: "k" }] }), "the answer's apiKey is not an object"],
  ])("says what is wrong with it: %s", (_name, body, expected) => {
    expect(readKey(body)).toMatchObject({ record: undefined, problem: expected });
  });

  it.each(["null", "{}", '{"apiKey":null}', '{"apiKey":null,"code":"SECRET"}'])(
    "says that it has no record, if that means something: %s",
    (body) => {
      const problem = "the answer's apiKey is missing";
      const readOne = reader("apiKey", apiKey, undefined, { mayBeNothing: true });
      expect(readOne(json(body))).toEqual({ record: undefined, problem, lasting: true, noRecord: true });
      expect(readKey(json(body))).not.toHaveProperty("noRecord");
    },
  );

  it("marks an answer that is not JSON, because another server may have sent it", () => {
    expect(readKey(Buffer.from("<html>"))).toMatchObject({ flaw: "notJson" });
    expect(readKey(json({}))).not.toHaveProperty("flaw");
  });

  it("says that an empty answer, such as that of a 204, is empty", () => {
    expect(readKey(json(""))).toEqual({ record: undefined, problem: "the answer is empty" });
  });

  it("passes on why the body was not read", () => {
    const unread = { problem: "is larger than 4 MiB", lasting: true };
    expect(readKey(unread)).toEqual({
      record: undefined,
      problem: "the answer is larger than 4 MiB",
      lasting: true,
    });
  });

  it("accepts a byte order mark", () => {
    expect(readKey(json('\ufeff{"apiKey":{"id":"k"}}')).record?.id).toBe("k");
  });
});

describe("an answer with a key", () => {
  it("needs only an id; fields that are absent, null or empty are undefined", () => {
    expect(key({})).toStrictEqual({ id: "k", deleted: undefined, ...absent });
    const texts = { name: "", maskedKey: null, prefix: "", expiresAt: null, customerId: "", enabled: null };
    expect(key(texts)).toStrictEqual({ id: "k", deleted: undefined, ...absent });
    expect(key({ expiresAt: "", createdAt: "", lastUsedAt: null })).toStrictEqual({
      id: "k",
      deleted: undefined,
      ...absent,
    });
  });

  it.each([
    [17, "17"],
    ["a b", "a b"],
    ["0", "0"],
  ])("has its id %j read as %j", (id, text) => {
    expect(key({ id }).id).toBe(text);
  });

  it("keeps every digit of an id that is too large for a number", () => {
    expect(value(readKey, '{"apiKey":{"id":9007199254740993,"name":"1234567890123456789"}}')).toMatchObject({
      id: "9007199254740993",
      name: "1234567890123456789",
    });
    expect(value(listedApiKeys, '{"apiKeys":[{"id" : 12345678901234567890}]}')[0]?.id).toBe(
      "12345678901234567890",
    );
  });

  it.each([[undefined], [null], [""], [true], [{}], [[]]])("is unusable with the id %j", (id) => {
    const what =
      id === undefined || id === null || id === ""
        ? "is missing"
        : "is not a string of at most 1,024 characters";
    expect(keyProblem({ id })).toBe(`the answer's apiKey.id ${what}`);
  });

  it.each([true, false])("has `deleted` as sent if it is %j, and as false if it is not a boolean", (flag) => {
    expect(key({ deleted: flag }).deleted).toBe(flag);
    for (const other of ["true", 1, "2026-01-01", {}]) expect(key({ deleted: other }).deleted).toBe(false);
  });

  it("has no expiresAt if the number is too large, however it is written", () => {
    expect(key({ expiresAt: "9".repeat(400) }).expiresAt).toBeUndefined();
    expect(value(readKey, '{"apiKey":{"id":"k","expiresAt":1e309}}').expiresAt).toBeUndefined();
  });

  it("has half a surrogate pair replaced by U+FFFD", () => {
    const [half, whole] = ["a\ud800b\udc00", "a\ufffdb\ufffd"];
    expect(key({ id: half, name: half, createdAt: half })).toMatchObject({
      id: whole,
      name: whole,
      createdAt: whole,
    });
    expect(value(readNewKey, { apiKey: { id: "k", key: half } }).key).toBe(whole);
  });

  it.each(["sk_****", "sk_••••1234", "sk_live…1234", "sk_live...1234"])(
    "has no secret if `key` is a masked form: %s",
    (masked) => {
      expect(value(readNewKey, { apiKey: { id: "k", key: masked, maskedKey: masked } })).toMatchObject({
        key: undefined,
        maskedKey: masked,
      });
    },
  );

  it("has no maskedKey if that shows the secret", () => {
    const secret = "sk_live*a.b.c";
    expect(value(readNewKey, { apiKey: { id: "k", key: secret, maskedKey: `${secret} ` } })).toMatchObject({
      key: secret,
      maskedKey: undefined,
    });
  });

  it("has strings cut that are too long for a message, but never an id or a secret", () => {
    const long = "x".repeat(20_000);
    const read = value(readNewKey, { apiKey: { id: "k", createdAt: long, key: long.slice(0, 16_384) } });
    expect(read.createdAt).toBe(`${"x".repeat(1_023)}…`);
    expect(read.key).toHaveLength(16_384);
    expect(value(readNewKey, { apiKey: { id: "k", key: long } }).key).toBeUndefined();
    expect(key({ name: long }).name).toBe(`${"x".repeat(16_383)}…`);
    expect(key({ name: "x".repeat(16_384) }).name).toBe("x".repeat(16_384));
    expect(key({ name: `${"x".repeat(16_382)}😀y` }).name).toBe(`${"x".repeat(16_382)}\ufffd…`);
    expect(keyProblem({ id: "x".repeat(1_025) })).toBe(
      "the answer's apiKey.id is not a string of at most 1,024 characters",
    );
    expect(key({ id: "x".repeat(1_024) }).id).toHaveLength(1_024);
  });

  it("may have numbers in place of strings, and a numeric string as expiresAt", () => {
    const read = key({ name: 5, createdAt: 1_700_000_000, lastUsedAt: 0, expiresAt: "1700000000" });
    const expected = { name: "5", createdAt: "1700000000", lastUsedAt: "0", expiresAt: 1_700_000_000 };
    expect(read).toMatchObject(expected);
    expect(key({ expiresAt: 0 }).expiresAt).toBe(0);
    expect(value(readKey, '{"apiKey":{"id":"k","expiresAt":1700000000000000000}}').expiresAt).toBe(1.7e18);
  });

  it("may have an unexpected type in a field that is only passed on", () => {
    const odd = { at: "SECRET" };
    const fields = {
      billingId: odd,
      updatedAt: [],
      createdAt: true,
      maskedKey: odd,
      prefix: odd,
    };
    expect(key({ ...fields, customerId: odd, expiresAt: "2026-01-01T00:00:00Z" })).toStrictEqual({
      id: "k",
      deleted: undefined,
      ...absent,
    });
  });

  it("has a lastUsedAt of any type as text that changes with it", () => {
    const at = (lastUsedAt: unknown) => key({ lastUsedAt })?.lastUsedAt;
    expect([at({ seconds: 1 }), at({ seconds: 2 })]).toEqual(['{"seconds":1}', '{"seconds":2}']);
    expect([at(5), at("today"), at(null), at("")]).toEqual(["5", "today", undefined, undefined]);
  });

  it.each<[string, unknown, string]>([
    ["name", { a: 1 }, "is not a string"],
    ["name", true, "is not a string"],
    ["enabled", "true", "is not true or false"],
    ["enabled", 1, "is not true or false"],
    ["scopes", "read", "is not a list"],
    ["scopes", {}, "is not a list"],
  ])("is unusable when %s is %j", (field, odd, what) => {
    expect(keyProblem({ [field]: odd })).toBe(`the answer's apiKey.${field} ${what}`);
  });

  it("has undefined scopes if they are absent, and an empty list if they are null", () => {
    expect(key({}).scopes).toBeUndefined();
    expect(key({ scopes: null }).scopes).toEqual([]);
    expect(key({ scopes: [] }).scopes).toEqual([]);
  });

  it("has false for absent and null flags of a scope entry, and no id for an absent one", () => {
    const scopes = [
      { representation: "a", read: true },
      { id: 7, representation: "b", create: null, update: false, del: true, more: 1 },
      { id: "", representation: 5 },
    ];
    expect(key({ scopes }).scopes).toEqual([
      { representation: "a", create: false, read: true, update: false, del: false },
      { id: "7", representation: "b", create: false, read: false, update: false, del: true },
      { representation: "5", create: false, read: false, update: false, del: false },
    ]);
  });

  it.each<[unknown, string]>([
    [{}, ".representation is missing"],
    [{ representation: "" }, ".representation is missing"],
    [{ representation: ["SECRET"] }, ".representation is not a string"],
    [{ representation: "a", del: "SECRET" }, ".del is not true or false"],
    [{ representation: "a", read: 1 }, ".read is not true or false"],
    [{ representation: "a", id: {} }, ".id is not a string"],
    ["SECRET", " is not an object"],
    [null, " is not an object"],
  ])("is unusable with the scope entry %j", (entry, what) => {
    const fine = { representation: "fine" };
    expect(keyProblem({ scopes: [fine, entry] })).toBe(`the answer's apiKey.scopes[1]${what}`);
  });

  it("has the secret only if it answers a create or a migrate", () => {
    const body = { apiKey: { id: "k", key: "sk_1" } };
    expect(value(readNewKey, body).key).toBe("sk_1");
    expect(value(readKey, body).key).toBeUndefined();
    expect(value(listedApiKeys, { apiKeys: [body.apiKey] })[0]?.key).toBeUndefined();
    expect(value(readNewKey, { apiKey: { id: "k", key: "" } }).key).toBeUndefined();
    expect(value(readNewKey, { apiKey: { id: "k", key: { v: 1 } } }).key).toBeUndefined();
  });

  it("keeps the secret, even if another field of the answer is not UTF-8", () => {
    const latin1 = Buffer.from('{"apiKey":{"id":"k","name":"Jos\u00e9","key":"sk_1"}}', "latin1");
    expect(readNewKey(latin1).record).toMatchObject({ id: "k", name: "Jos\ufffd", key: "sk_1" });
    expect(readKey(latin1).problem).toBe("the answer is not JSON");
  });
});

describe("answers with other records", () => {
  it("a workspace has its IP list, and its numbers even if they come as strings", () => {
    const workspace = { id: 3, name: ["odd"], defaultRateLimitPerSecond: "10", defaultExpiration: 0 };
    expect(
      value(readWorkspace, { workspace: { ...workspace, defaultAllowedIPs: ["10.0.0.1"] } }),
    ).toStrictEqual({
      id: "3",
      name: undefined,
      teamId: undefined,
      defaultKeyPrefix: undefined,
      defaultAllowedIPs: ["10.0.0.1"],
      defaultRateLimitPerSecond: 10,
      defaultExpiration: 0,
      createdAt: undefined,
      updatedAt: undefined,
    });
  });

  it.each<[string, unknown, string]>([
    ["defaultRateLimitPerSecond", "many", " is not a number"],
    ["defaultExpiration", true, " is not a number"],
    ["defaultKeyPrefix", {}, " is not a string"],
    ["defaultAllowedIPs", "10.0.0.1", " is not a list"],
    ["defaultAllowedIPs", [{}], "[0] is not a string"],
  ])("a workspace is unusable when %s is %j", (field, odd, what) => {
    expect(problem(readWorkspace, { workspace: { id: "w", [field]: odd } })).toBe(
      `the answer's workspace.${field}${what}`,
    );
  });

  it("a scope needs an id and a representation", () => {
    expect(value(readScope, { scope: { id: 1, representation: "a" } })).toMatchObject({
      id: "1",
      name: undefined,
    });
    expect(problem(readScope, { scope: { id: 1 } })).toBe("the answer's scope.representation is missing");
    expect(problem(readScope, { scope: { representation: "a" } })).toBe("the answer's scope.id is missing");
    expect(problem(readScope, { scope: { id: 1, representation: "a", name: [] } })).toBe(
      "the answer's scope.name is not a string",
    );
  });

  it("a billing record needs an id, and has credits as strings", () => {
    const billing = { id: 5, totalCredits: 100, usedCredits: "0.50", allowOverages: "no", spendCap: null };
    expect(value(readBilling, { billing })).toStrictEqual({
      id: "5",
      totalCredits: "100",
      usedCredits: "0.50",
      allowOverages: undefined,
      spendCap: undefined,
      createdAt: undefined,
      updatedAt: undefined,
    });
  });

  it("R6 a key in a list lacks what can't be read, so that an odd one hides no other", () => {
    const odd = { id: "a", name: {}, scopes: [{ representation: null }], enabled: "perhaps" };
    const long = "n".repeat(16_000);
    const keys = value(listedApiKeys, { apiKeys: [odd, { id: "b", name: long }] });
    expect(keys).toMatchObject([
      { id: "a", name: undefined, scopes: undefined, enabled: undefined },
      { id: "b", name: long },
    ]);
  });

  it("a list that is null, or left out of an answer without any field, is empty; anything else is unusable", () => {
    for (const answer of [{ apiKeys: null }, { apiKeys: [], extra: 1 }, {}]) {
      expect(value(listedApiKeys, answer)).toEqual([]);
    }
    for (const answer of [{ apiKeys: {} }, { apiKeys: "" }, { apiKeys: 0 }, { data: [] }, { error: "no" }]) {
      expect(problem(listedApiKeys, answer)).toBe("the answer's apiKeys is not a list");
    }
    expect(problem(listedApiKeys, { apiKeys: [{ id: "a" }, { name: "b" }] })).toBe(
      "the answer's apiKeys[1].id is missing",
    );
  });
});
