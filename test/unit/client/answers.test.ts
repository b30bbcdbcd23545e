import fc from "fast-check";
import { expect, test } from "vitest";
import { CallError, type Transport, type Written } from "../../../provider/client/send";
import { runs } from "../../all";
import * as service from "../../client/api";
import { anything, bag, canary, expectWireable } from "../bagArbitraries";

const credentials = { baseUrl: "https://api.test", accessToken: canary };
const callOn = (send: Transport["send"]): service.Call => ({
  transport: { send, writes: 0, close: async () => {} },
  credentials,
});

/** Has a call read this body: a string, or a value as JSON. */
function readingOf<T>(run: (call: service.Call) => Promise<T | Written<T>>) {
  return async (body: unknown): Promise<Written<T>> => {
    let found: unknown;
    const send: Transport["send"] = async ({ read }) => {
      const written = read(typeof body === "string" ? body : JSON.stringify(body));
      found = written;
      return written;
    };
    const result = await run(callOn(send));
    // For a write, the calls return more than was read.
    return (
      typeof result === "object" && result !== null && "record" in result ? result : found
    ) as Written<T>;
  };
}

const keyPath = { workspaceId: "w", keyId: "k" };
const newKey = { name: "ci", workspaceId: "w", scopes: [], enabled: true, customerId: "c" };
const existingKey = "sk_existing_value";
const scopeBody = { name: "", representation: "", description: "" };
const grant = { totalCredits: "1", allowOverages: false, workspaceId: "w" };
const readKey = readingOf((call) => service.readApiKey(call, keyPath));
const createKey = readingOf((call) => service.createApiKey(call, newKey));
const migrateKey = readingOf((call) =>
  service.migrateApiKey(call, { ...newKey, key: existingKey, metadata: {} }),
);
const listKeys = readingOf((call) => service.listApiKeys(call, keyPath));
const readWorkspace = readingOf((call) => service.readWorkspace(call, keyPath));
const createScope = readingOf((call) => service.createScope(call, keyPath, scopeBody));
const createBilling = readingOf((call) => service.createBilling(call, grant));

const key = async (fields: object) => (await readKey({ apiKey: { id: "k", ...fields } })).record;
const born = async (fields: object) => (await createKey({ apiKey: { id: "k", ...fields } })).record;
const migrated = async (fields: object) => (await migrateKey({ apiKey: { id: "k", ...fields } })).record;
const listed = async (apiKeys: unknown) => (await listKeys({ apiKeys })).record;
const wrong = (place: string) => `the answer's ${place} is missing or has another type`;

test.each([
  ['{"apiKey":{"id":"SECRET', "the answer is not JSON"],
  ["", "the answer is empty"],
  ['{"data":{"id":"k"}}', wrong("apiKey")],
  ['{"apiKey":[{"id":"k"}]}', wrong("apiKey")],
  ['{"apiKey":{"id":{"SECRET":1}}}', wrong("apiKey.id")],
  ['{"apiKey":{"id":"other"}}', "the answer's apiKey.id is not the one asked for"],
])("R16 an unusable answer is described without being quoted: %s", async (body, problem) => {
  expect(await readKey(body)).toMatchObject({ record: undefined, problem });
});

test.each(["{}", '{"apiKey":null}', '{"apiKey":null,"code":"SECRET"}'])(
  "R6 an answer without a record is told from an unusable one: %s",
  async (body) => {
    expect(await readKey(body)).toMatchObject({ record: undefined, noRecord: true });
  },
);

const odd = { at: "SECRET" };
test.each<[string, object, object]>([
  ["needs only an id", {}, {}],
  [
    "has no empty fields",
    { name: "", maskedKey: null, prefix: "", expiresAt: null, enabled: null, lastUsedAt: "", deleted: null },
    {},
  ],
  [
    "may have numbers in place of strings, and a number as a string",
    { name: 5, createdAt: 1_700_000_000, lastUsedAt: 0, expiresAt: "1700000000" },
    { name: "5", createdAt: "1700000000", lastUsedAt: "0", expiresAt: 1_700_000_000 },
  ],
  [
    "lacks a field of another type that is only passed on",
    { billingId: odd, updatedAt: [], createdAt: true, maskedKey: odd, prefix: odd, customerId: odd },
    {},
  ],
  ["lacks an expiry that is not a finite number", { expiresAt: "9".repeat(400) }, {}],
  ["has half a surrogate pair replaced", { name: "a\ud800b\udc00" }, { name: "a\ufffdb\ufffd" }],
  ["may have 1 and 0 for flags", { enabled: 1, deleted: 0 }, { enabled: true, deleted: false }],
  ["is deleted only if it says so", { deleted: true }, { deleted: true }],
  ["is not known to be deleted if it says anything else", { deleted: "true" }, {}],
  ["has an empty list of scopes for null", { scopes: null }, { scopes: [] }],
  [
    "has false for absent and null flags, and no id for an absent one",
    {
      scopes: [
        { representation: "a", read: true },
        { id: 7, representation: 5, create: null, update: false, del: true, more: 1 },
      ],
    },
    {
      scopes: [
        { representation: "a", create: false, read: true, update: false, del: false },
        { id: "7", representation: "5", create: false, read: false, update: false, del: true },
      ],
    },
  ],
])("R5 a key in an answer %s", async (_how, fields, expected) => {
  expect(await key(fields)).toEqual({ id: "k", ...expected });
});

test("R5 a whole number that JavaScript would round keeps its digits in texts, such as ids", async () => {
  const fields = '"id":"k","name":9007199254741003,"customerId":12,"expiresAt":9223372036854775807';
  const expected = { id: "k", name: "9007199254741003", customerId: "12", expiresAt: 2 ** 63 };
  expect((await readKey(`{"apiKey":{${fields}}}`)).record).toMatchObject(expected);
});

test.each<[string, unknown]>([
  ["name", { a: 1 }],
  ["enabled", "true"],
  ["scopes[1]", [{ representation: "fine" }, null]],
  ["scopes[0].del", [{ representation: "a", del: "SECRET" }]],
  ["scopes[0].id", [{ representation: "a", id: {} }]],
])("R5 a key in an answer is unusable if its %s is wrong: %j", async (place, odd) => {
  const { problem } = await readKey({ apiKey: { id: "k", [place.replace(/\[.*/, "")]: odd } });
  expect(problem).toBe(wrong(`apiKey.${place}`));
});

test("K6 a key has the secret only if it answers a create or a migrate, whatever its other fields are", async () => {
  const odd = { name: {}, scopes: "none", enabled: "yes", expiresAt: {} };
  expect(await born({ ...odd, key: "sk_1" })).toEqual({ id: "k", key: "sk_1" });
  expect(await key({ key: "sk_1" })).toEqual({ id: "k" });
  expect(await listed([{ id: "k", key: "sk_1" }])).toEqual([{ id: "k" }]);
  for (const none of ["", { v: 1 }]) expect((await born({ key: none }))?.key).toBeUndefined();
});

test.each(["sk_****", "sk_••••1234", "sk_live…1234"])(
  "K6 a key has no secret if `key` is a masked form: %s",
  async (maskedKey) => {
    for (const read of [born, migrated])
      expect(await read({ key: maskedKey, maskedKey })).toEqual({ id: "k", maskedKey });
  },
);

test("R5 a workspace has its IP list, and its numbers even if they come as strings", async () => {
  const fields = { defaultAllowedIPs: ["10.0.0.1"], defaultExpiration: 0 };
  const workspace = { id: "w", name: ["odd"], defaultRateLimitPerSecond: "10", ...fields };
  const expected = { id: "w", defaultRateLimitPerSecond: 10, ...fields };
  expect((await readWorkspace({ workspace })).record).toEqual(expected);
});

test.each<[string, unknown]>([
  ["defaultRateLimitPerSecond", "many"],
  ["defaultAllowedIPs", "10.0.0.1"],
  ["defaultAllowedIPs[0]", [{}]],
])("R5 a workspace is unusable if its %s is wrong: %j", async (place, odd) => {
  const { problem } = await readWorkspace({ workspace: { id: "w", [place.replace("[0]", "")]: odd } });
  expect(problem).toBe(wrong(`workspace.${place}`));
});

test("a scope needs an id and a representation; a billing record an id, and it has credits as strings", async () => {
  const scope = async (fields: object) => (await createScope({ scope: fields })).record;
  expect(await scope({ id: 1, representation: "a" })).toEqual({ id: "1", representation: "a" });
  for (const odd of [{ id: 1 }, { representation: "a" }, { id: 1, representation: "a", name: [] }])
    expect(await scope(odd)).toBeUndefined();
  const billing = { id: 5, totalCredits: 100, usedCredits: "0.50", allowOverages: "no", spendCap: null };
  const expected = { id: "5", totalCredits: "100", usedCredits: "0.50" };
  expect((await createBilling({ billing })).record).toEqual(expected);
});

test("R6 a key in a list lacks what can't be read, so that an odd one hides no other", async () => {
  const odd = { id: "a", name: {}, scopes: [{ representation: null }], enabled: "perhaps" };
  expect(await listed([odd, { id: "b", name: "b" }])).toEqual([{ id: "a" }, { id: "b", name: "b" }]);
});

test("R6 a list that is null, or left out of an answer without any field, is empty; anything else is unusable", async () => {
  for (const answer of [{ apiKeys: null }, { apiKeys: [], extra: 1 }, {}])
    expect((await listKeys(answer)).record).toEqual([]);
  for (const answer of [{ apiKeys: {} }, { apiKeys: "" }, { apiKeys: 0 }, { data: [] }, { code: "no" }])
    expect((await listKeys(answer)).problem).toBe(wrong("apiKeys"));
  const { problem } = await listKeys({ apiKeys: [{ id: "a" }, { name: "b" }] });
  expect(problem).toBe(wrong("apiKeys[1].id"));
});

test.each([
  ["a/b", "a%2Fb"],
  ["a?b#c", "a%3Fb%23c"],
  ["%2e%2e", "%252e%252e"],
  ["ü €", "%C3%BC%20%E2%82%AC"],
  ["..\\", "..%5C"],
])("the id %s is %s in the path of a request", async (workspaceId, encoded) => {
  let path = "";
  const send: Transport["send"] = async (request) => {
    path = request.path;
    return request.read("{}");
  };
  await service.listApiKeys(callOn(send), { workspaceId });
  expect(path).toBe(`/api/v1/workspace/${encoded}/api-key`);
  expect(new URL(path, "https://x.example").pathname).toBe(path);
});

test.each(["", "..", "a\nb", "\u0085", "a\udc00b"])(
  "the id %j is refused before anything is sent",
  async (workspaceId) => {
    const send = () => expect.unreachable();
    const listing = service.listApiKeys(callOn(send), { workspaceId });
    await expect(listing).rejects.toMatchObject({ verdict: "refused", status: undefined });
  },
);

const ofKey = { workspaceId: "id_1", keyId: "id_1" };
/** All twelve calls, each with the field that wraps its answer. */
const endpoints: readonly [name: string, wrapper: string, run: (call: service.Call) => Promise<unknown>][] = [
  ["editApiKey", "apiKey", (call) => service.editApiKey(call, ofKey, {})],
  ["readApiKey", "apiKey", (call) => service.readApiKey(call, ofKey)],
  ["listApiKeys", "apiKeys", (call) => service.listApiKeys(call, ofKey)],
  ["createApiKey", "apiKey", (call) => service.createApiKey(call, newKey)],
  [
    "migrateApiKey",
    "apiKey",
    (call) => service.migrateApiKey(call, { ...newKey, key: canary, metadata: {} }),
  ],
  ["listWorkspaces", "workspaces", (call) => service.listWorkspaces(call)],
  ["readWorkspace", "workspace", (call) => service.readWorkspace(call, ofKey)],
  ["editWorkspace", "workspace", (call) => service.editWorkspace(call, ofKey, {})],
  ["deleteApiKey", "apiKey", (call) => service.deleteApiKey(call, ofKey)],
  ["listScopes", "scopes", (call) => service.listScopes(call, ofKey)],
  ["createScope", "scope", (call) => service.createScope(call, ofKey, scopeBody)],
  ["createBilling", "billing", (call) => service.createBilling(call, grant)],
];

const valid = { id: "id_1", name: "ci", representation: "docs", totalCredits: "1" };
const scopes = [{ representation: "docs", read: true }];
const times = { createdAt: "2026-01-01", updatedAt: 1, expiresAt: 60, enabled: true, deleted: false };
const record = bag({ ...valid, ...times, scopes });

/** Bytes of an answer for this wrapper: JSON with a record that is changed somewhere, any JSON, or any bytes. */
function bytes(wrapper: string): fc.Arbitrary<Buffer> {
  const list = wrapper.endsWith("s");
  const mutated = fc
    .tuple(record, fc.boolean())
    .map(([fields, right]) => ({ ...fields, ...(right && { id: "id_1" }) }))
    .map((one) => ({ [wrapper]: list ? [one, one] : one }));
  const json = fc.oneof(
    { weight: 4, arbitrary: mutated },
    { weight: 1, arbitrary: anything.map((value) => ({ [wrapper]: value })) },
    { weight: 1, arbitrary: anything },
  );
  const text = json.map((value) => JSON.stringify(value) ?? "");
  const cut = fc.tuple(text, fc.nat(200), fc.string({ unit: "binary", maxLength: 3 }));
  return fc.oneof(
    { weight: 4, arbitrary: text.map((whole) => Buffer.from(whole)) },
    {
      weight: 1,
      arbitrary: cut.map(([whole, at, odd]) => Buffer.from(whole.slice(0, at) + odd + whole.slice(at))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((odd) => Buffer.from(odd)) },
  );
}

/** Our own words: a field of the answer and what is wrong with it, nothing that the service wrote. */
const ours =
  /^the answer( is (empty|not JSON|not text: it may be compressed in an unknown way)|'s [a-zA-Z]+(\[\d+\])?(\.[a-zA-Z]+(\[\d+\])?)* is (not the one asked for|missing or has another type))$/;

function expectRecord(found: object): void {
  const { id, key: _, ...rest } = found as { id: unknown; key?: unknown };
  expect(typeof id).toBe("string");
  expect(JSON.stringify(rest)).not.toContain(canary);
  // Half of a surrogate pair would be one of these escapes.
  expect(JSON.stringify(found)).not.toMatch(/\\ud[89a-f]/);
  expectWireable(JSON.parse(JSON.stringify(rest)) as object);
  for (const value of Object.values(rest))
    if (typeof value === "number") expect(value).toSatisfy(Number.isFinite);
}

test.each(endpoints)(
  "R16 any answer to %s is read as a record that can be saved, or described in our own words",
  async (_name, wrapper, run) => {
    const property = fc.asyncProperty(bytes(wrapper), async (answer) => {
      const outcome = await run(callOn(async ({ read }) => read(new TextDecoder().decode(answer)))).catch(
        (error: unknown) => error,
      );
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(CallError);
        expect(outcome.message).toMatch(ours);
        return;
      }
      const { all = outcome } = (outcome ?? {}) as { readonly all?: unknown };
      const { record, problem } = { record: all, ...(outcome as Partial<Written<unknown>>) };
      if (problem !== undefined) expect(problem).toMatch(ours);
      for (const one of [record ?? []].flat()) expectRecord(one as object);
    });
    await fc.assert(property, { seed: 12, numRuns: runs(800) });
  },
);
