import { expect, test } from "vitest";
import type { Transport } from "../../provider/client/send";
import type { Properties } from "../../provider/core/state";
import { type ApiKeyFilter, getApiKey, getApiKeys, type Source } from "../../provider/functions";
import { hostContext } from "./offline";
import { idIn, refused } from "./replying";

type Change = (key: Properties) => object;
const asItIs: Change = (key) => key;

/** A service with these keys. `listed` and `single`: what its list shows of a key, and what the key's own record does. */
function sourceWith(records: readonly Properties[], listed: Change, single = asItIs) {
  const asked: string[] = [];
  const transport: Transport = {
    send: async ({ path, read }) => {
      const id = idIn({ path });
      asked.push(id);
      const own = records.find((key) => key["id"] === id);
      if (own?.["deleted"] === true) throw refused(404);
      const answer = id === "api-key" ? { apiKeys: records.map(listed) } : { apiKey: own && single(own) };
      return read(JSON.stringify(answer));
    },
    writes: 0,
    close: async () => {},
  };
  const source: Source = { configuration: hostContext({}).configuration, transport: () => transport };
  return { source, asked };
}

/** Filters the keys, and says which were read by themselves. */
async function filtered(filter: ApiKeyFilter, ...[records, listed, single]: Parameters<typeof sourceWith>) {
  const { source, asked } = sourceWith(records, listed, single);
  const { apiKeys: found } = await getApiKeys(source, { workspaceId: "ws_1", ...filter });
  return { found: found.map(({ id }) => id), asked: asked.filter((id) => id !== "api-key") };
}

const theirs = [
  { id: "key_1", name: "ci", customerId: "cus_1", enabled: true },
  { id: "key_2", name: "ci", customerId: "cus_2", enabled: false },
  { id: "key_3", name: "web", enabled: true },
];
const without =
  (...fields: string[]): Change =>
  (key) =>
    Object.fromEntries(Object.entries(key).filter(([field]) => !fields.includes(field)));

test("a key that the list has twice is found once", async () => {
  const [first, ...others] = theirs;
  const { found, asked } = await filtered({}, [...theirs, { ...first }, ...others], asItIs);
  expect([found, asked]).toEqual([["key_1", "key_2", "key_3"], []]);
});

test.each<[string, Change, ApiKeyFilter, string[], string[]]>([
  ["leaves enabled out, but there is no filter", without("enabled"), {}, ["key_1", "key_2", "key_3"], []],
  [
    "leaves customerId out",
    without("customerId"),
    { customerId: "cus_1", name: "ci" },
    ["key_1"],
    ["key_1", "key_2", "key_3"],
  ],
  [
    "leaves everything out",
    ({ id }) => ({ id }),
    { name: "ci" },
    ["key_1", "key_2"],
    ["key_1", "key_2", "key_3"],
  ],
  ["has no customerId for a key without one", asItIs, { customerId: "cus_1" }, ["key_1"], ["key_3"]],
])(
  "getApiKeys reads a key by itself where a filter needs it: the list %s",
  async (_, list, filter, found, read) => {
    expect(await filtered(filter, theirs, list)).toEqual({ found, asked: read });
  },
);

test("getApiKeys finds disabled keys even if neither the list nor their own records show that", async () => {
  const sparse: Change = ({ enabled, ...key }) => ({ ...key, ...(enabled === true && { enabled }) });
  const expected = { found: ["key_2"], asked: ["key_2"] };
  for (const single of [asItIs, sparse])
    expect(await filtered({ enabled: false }, theirs, sparse, single)).toEqual(expected);
});

test("getApiKeys keeps a field of the list that the key by itself lacks, and leaves out a key that is not found", async () => {
  const filter = { customerId: "cus_1", enabled: true };
  const alone = without("customerId");
  expect((await filtered(filter, theirs, without("enabled"), alone)).found).toEqual(["key_1"]);
  const gone = { id: "key_4", name: "ci", customerId: "cus_1", deleted: true };
  const brief = without("customerId", "deleted");
  expect((await filtered({ customerId: "cus_1" }, [...theirs, gone], brief)).found).toEqual(["key_1"]);
});

test("getApiKey by name also returns the fields that the list leaves out, but no secret", async () => {
  const scopes = [{ representation: "orders", create: false, read: true, update: false, del: false }];
  const own = { ...theirs[2], scopes, key: "sk_1" };
  const { source, asked } = sourceWith([own], ({ id, name }) => ({ id, name }));
  const found = await getApiKey(source, { workspaceId: "ws_1", name: "web" });
  expect(found).toMatchObject({ id: "key_3", enabled: true, scopes });
  expect(found).not.toHaveProperty("key");
  expect(asked).toEqual(["api-key", "key_3"]);
});

test("functions that read the same at the same time share one request, and each returns its own objects", async () => {
  const { source, asked } = sourceWith(theirs, asItIs);
  const list = async () => (await getApiKeys(source, { workspaceId: "ws_1" })).apiKeys;
  const [[first], [second]] = await Promise.all([list(), list()]);
  expect(asked).toEqual(["api-key"]);
  Object.assign(first ?? {}, { name: "changed by the program" });
  expect(second?.name).toBe("ci");
});
