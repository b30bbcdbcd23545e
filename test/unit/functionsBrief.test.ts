import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ApiKeyFilter, getApiKey, getApiKeys, sourceOf } from "../../provider/functions";
import { type StandIn, startStandIn } from "../../standin";

let service: StandIn;
const source = () => sourceOf({ "apikeys:baseUrl": service.url, "apikeys:accessToken": "token" });
const apiKeys = async (filter: ApiKeyFilter) =>
  (await getApiKeys(source(), { workspaceId: "ws_1", ...filter })).apiKeys;
const scope = { representation: "orders", create: false, read: true, update: false, del: false };

beforeAll(async () => {
  const tenants = [{ accessToken: "token", workspaces: [{ id: "ws_1" }] }];
  // Its lists leave out scopes and enabled.
  service = await startStandIn({ tenants, dialect: { listRecords: "brief", delete: "marksAndLists" } });
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
  expect(on).toMatchObject({ id: "key_on", enabled: undefined, scopes: undefined });
  expect(asked()).toEqual(["listApiKeys"]);
});
