import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Properties } from "../../provider/core/state";
import { type ApiKeyFilter, getApiKey, getApiKeys, type Source, sourceOf } from "../../provider/functions";
import { type StandIn, startStandIn } from "../../standin";
import { hostContext } from "./offline";
import { idIn, refused } from "./replying";

let service: StandIn;
const config = (): Properties => ({ "apikeys:baseUrl": service.url, "apikeys:accessToken": "token" });
const source = () => sourceOf((key) => config()[key]);
const apiKeys = async (filter: ApiKeyFilter) =>
  (await getApiKeys(source(), { workspaceId: "ws_1", ...filter })).apiKeys;
const scope = { representation: "orders", create: false, read: true, update: false, del: false };

beforeAll(async () => {
  const tenants = [{ accessToken: "token", workspaces: [{ id: "ws_1" }] }];
  // Its lists leave out scopes and enabled.
  service = await startStandIn({ tenants, variant: { listRecords: "brief", delete: "marksAndLists" } });
  service.addKey({ workspaceId: "ws_1", id: "key_on", name: "on", scopes: [scope] });
  service.addKey({ workspaceId: "ws_1", id: "key_off", name: "off", enabled: false });
  service.addKey({ workspaceId: "ws_1", id: "key_gone", name: "gone" });
  service.deleteKey("key_gone");
});
afterAll(() => service.close());
beforeEach(() => service.clearRequests());

const asked = () => service.requests.map(({ endpoint }) => endpoint);

test("getApiKey by name also returns the fields that the list leaves out", async () => {
  const found = await getApiKey(source(), { workspaceId: "ws_1", name: "on" });
  expect(found).toMatchObject({ id: "key_on", enabled: true, scopes: [scope] });
  expect(found).not.toHaveProperty("key");
  expect(asked()).toEqual(["listApiKeys", "readApiKey"]);
});

test("getApiKeys filters by enabled even if the list does not show it", async () => {
  const ids = async (enabled: boolean) => (await apiKeys({ enabled })).map(({ id }) => id);
  expect(await ids(true)).toEqual(["key_on"]);
  expect(await ids(false)).toEqual(["key_off"]);
});

test("getApiKeys without a filter only lists, and returns undefined for fields that the list leaves out", async () => {
  const [on] = await apiKeys({});
  expect([on?.id, on?.enabled, on?.scopes]).toEqual(["key_on", undefined, undefined]);
  expect(asked()).toEqual(["listApiKeys"]);
});

test("functions that read the same at the same time share one request, and each returns its own objects", async () => {
  const shared = source();
  const list = async () => (await getApiKeys(shared, { workspaceId: "ws_1" })).apiKeys;
  const [[first], [second]] = await Promise.all([list(), list()]);
  expect(asked()).toEqual(["listApiKeys"]);
  Object.assign(first ?? {}, { name: "changed by the program" });
  expect(second?.name).toBe("on");
});

/** Filters the keys of a service whose list has these records, and says which keys were read by themselves. */
async function filtered(
  records: readonly Properties[],
  list: (key: Properties) => object,
  filter: ApiKeyFilter,
  single: (key: Properties) => object = (key) => key,
) {
  const asked: string[] = [];
  const scripted: Source = {
    configuration: hostContext({}).configuration,
    transport: () => ({
      send: async ({ path, read }) => {
        const id = idIn({ path });
        if (id !== "api-key") asked.push(id);
        const own = records.find((key) => key["id"] === id);
        if (own?.["deleted"] === true) throw refused(404);
        const answer = id === "api-key" ? { apiKeys: records.map(list) } : { apiKey: own && single(own) };
        return read(JSON.stringify(answer));
      },
      writes: 0,
      close: async () => {},
    }),
  };
  const { apiKeys: found } = await getApiKeys(scripted, { workspaceId: "ws_1", ...filter });
  return { found: found.map(({ id }) => id), asked };
}

/** What a key's own record shows: without its customer, or nothing of a deleted one. */
const alone = ({ customerId: _, ...key }: Properties) => key;

const theirs = [
  { id: "key_1", name: "ci", customerId: "cus_1", enabled: true },
  { id: "key_2", name: "ci", customerId: "cus_2", enabled: false },
  { id: "key_3", name: "web", enabled: true },
];

test.each<[string, (key: Properties) => object, ApiKeyFilter, string[], string[]]>([
  [
    "leaves customerId out",
    ({ customerId: _, ...key }) => key,
    { customerId: "cus_1", name: "ci" },
    ["key_1"],
    ["key_1", "key_2"],
  ],
  [
    "leaves everything out",
    ({ id }) => ({ id }),
    { name: "ci" },
    ["key_1", "key_2"],
    ["key_1", "key_2", "key_3"],
  ],
  ["has no customerId for a key without one", (key) => key, { customerId: "cus_1" }, ["key_1"], ["key_3"]],
  [
    "leaves enabled out where it is false",
    ({ enabled, ...key }) => ({ ...key, ...(enabled === true && { enabled }) }),
    { enabled: false },
    ["key_2"],
    ["key_2"],
  ],
])("getApiKeys filters by fields of each key if the list %s", async (_, list, filter, found, read) => {
  expect(await filtered(theirs, list, filter)).toEqual({ found, asked: read });
});

test("getApiKeys keeps a field of the list that the key by itself lacks, and leaves out a key that is not found", async () => {
  const withoutEnabled = ({ enabled: _, ...key }: Properties) => key;
  const filter = { customerId: "cus_1", enabled: true };
  expect((await filtered(theirs, withoutEnabled, filter, alone)).found).toEqual(["key_1"]);
  const gone = { id: "key_4", name: "ci", customerId: "cus_1", deleted: true };
  const brief = ({ id, name }: Properties) => ({ id, name });
  expect((await filtered([...theirs, gone], brief, { customerId: "cus_1" })).found).toEqual(["key_1"]);
});
