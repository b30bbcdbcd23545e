import { afterAll, beforeAll, expect, test } from "vitest";
import { unknown } from "../../provider/core/fields";
import { type Fixture, openPluginFixture, requestsOf } from "./fixture";
import type { Properties, Resource } from "./host";
import type { PluginHost, PluginResource } from "./plugin";

const key: Properties = {
  workspaceId: "ws_main",
  customerId: "cus_1",
  name: "ci",
  scopes: [
    { representation: "orders", read: true },
    { representation: "users", read: true, update: true },
  ],
  metadata: { team: "a", deep: { list: [1, 2] } },
  keepers: { rotated: "1" },
};
const set: Properties = {
  workspaceId: "ws_main",
  defaults: { customerId: "cus_1", enabled: true },
  keys: { "a b": { name: "one" }, c: { name: "two" } },
};
const settings: Properties = { workspaceId: "ws_main", defaultAllowedIPs: ["10.0.0.0/8"] };
const scope: Properties = { workspaceId: "ws_main", name: "Orders", representation: "orders" };
const grant: Properties = { workspaceId: "ws_main", totalCredits: "100" };

type Row = readonly [
  kind: string,
  what: string,
  before: Properties,
  change: Properties,
  details: Readonly<Record<string, string>>,
  replaces?: readonly string[],
];
const rows: readonly Row[] = [
  [
    "ApiKey",
    "permissions, a name and enabled",
    key,
    {
      ...{ name: "other", enabled: false },
      scopes: [
        { representation: "users", read: true },
        { representation: "orders", read: true, update: true },
        { representation: "z", read: true },
      ],
    },
    {
      ...{ name: "update", enabled: "update" },
      ...{ "scopes[0].update": "add", "scopes[1].update": "delete", "scopes[2]": "add" },
    },
  ],
  [
    "ApiKey",
    "a part of metadata",
    key,
    { metadata: { team: "a", deep: { list: [1, 3] }, "x y": true } },
    { "metadata.deep.list[1]": "update_replace", 'metadata["x y"]': "add_replace" },
    ["metadata"],
  ],
  [
    "ApiKey",
    "keepers left out, and a prefix",
    key,
    { keepers: null, prefix: "acme", name: "other" },
    { keepers: "delete_replace", prefix: "add_replace", name: "update" },
    ["prefix", "keepers"],
  ],
  [
    "ApiKey",
    "values that are not known",
    key,
    { name: unknown, metadata: { team: unknown, deep: { list: [1, 2] } } },
    { name: "update", "metadata.team": "update_replace" },
    ["metadata"],
  ],
  [
    "ApiKeySet",
    "keys",
    set,
    { keys: { "a b": { name: unknown, enabled: false }, d: {} } },
    { 'keys["a b"].enabled': "add", 'keys["a b"].name': "update", "keys.c": "delete", "keys.d": "add" },
  ],
  [
    "ApiKeySet",
    "a default",
    set,
    { defaults: { customerId: "cus_1", enabled: false } },
    { "defaults.enabled": "update" },
  ],
  [
    "ApiKeySet",
    "aliases that are not names",
    { ...set, keys: { 'a"b': {}, "a.b": {}, "a[0]": {}, ü: {} } },
    {
      keys: {
        ...{ 'a"b': { enabled: false }, "a.b": { enabled: false } },
        ...{ "a[0]": { enabled: false }, ü: { enabled: false } },
      },
    },
    {
      ...{ 'keys["a\\"b"].enabled': "add", 'keys["a.b"].enabled': "add" },
      ...{ 'keys["a[0]"].enabled': "add", "keys.ü.enabled": "add" },
    },
  ],
  [
    "ApiKeySet",
    "an alias that no path can have",
    { ...set, keys: { c: {} } },
    { keys: { c: {}, "a\\b": {} } },
    { keys: "update" },
  ],
  ["ApiKeySet", "keys that are not known", set, { keys: unknown }, { keys: "update" }],
  [
    "WorkspaceSettings",
    "all",
    settings,
    { defaultAllowedIPs: ["10.0.0.0/8", "192.0.2.7"], defaultExpiration: 60, onDestroy: "restore" },
    { "defaultAllowedIPs[1]": "add", defaultExpiration: "add", onDestroy: "update" },
  ],
  [
    "Scope",
    "a representation",
    scope,
    { representation: "other" },
    { representation: "update_replace" },
    ["representation"],
  ],
  [
    "CustomerBilling",
    "a grant",
    grant,
    { totalCredits: "200", grant: "2" },
    { totalCredits: "update", grant: "update_replace" },
    ["grant"],
  ],
];

let fixture: Fixture<PluginHost>;
beforeAll(async () => {
  fixture = await openPluginFixture();
});
afterAll(() => fixture.close());

async function created(resource: PluginResource, declared: Properties) {
  const { inputs, failures } = await resource.check(declared);
  expect(failures).toEqual([]);
  return { inputs, held: await resource.create(inputs) };
}

/** The diff and its details, which send no request. */
async function planned(resource: PluginResource, held: Resource, inputs: Properties) {
  const { result, requests } = await requestsOf(fixture, async () => ({
    ...(await resource.diff(held, inputs)),
    details: await resource.details(held, inputs),
  }));
  expect(requests).toEqual([]);
  return result;
}

test.each(rows.map((row) => [row[0], row[1], row] as const))(
  "R18 the plugin's diff of an %s lists the changed paths: %s",
  async (kind, what, [, , before, change, details, replaces = []]) => {
    const resource = fixture.host.resource(kind, `${kind} of ${what}`);
    const { inputs: olds, held } = await created(resource, before);
    const { inputs, failures } = await resource.check({ ...before, ...change }, olds);
    expect(failures).toEqual([]);
    expect(await planned(resource, held, inputs)).toEqual({ changes: "some", replaces, details });
    expect(await planned(resource, held, olds)).toEqual({ changes: "none", replaces: [], details: {} });
  },
);

test("K6 the plugin's diff lists a lost secret, which asks for a replacement, beside the program's changes", async () => {
  const resource = fixture.host.resource("ApiKey", "lost");
  fixture.standIn.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
  const { inputs } = await resource.check(key);
  const { kept } = await resource.create(inputs).catch((error) => error);
  const held = { id: kept.id, state: kept.properties };
  const isLost = { changes: "some", replaces: ["key"] };
  expect(await planned(resource, held, inputs)).toEqual({ ...isLost, details: { key: "update_replace" } });
  expect(await planned(resource, held, { ...inputs, name: "other" })).toEqual({
    ...isLost,
    details: { key: "update_replace", name: "update" },
  });
});

test("the plugin's diff comes with a note that names a set's keys to replace and to delete, except in a refresh", async () => {
  const resource = fixture.host.resource("ApiKeySet", "noted");
  const { inputs, held } = await created(resource, set);
  const keys = { "a b": { name: "one", prefix: "new" } };
  const { inputs: next } = await resource.check({ ...set, keys }, inputs);
  const notes = () => fixture.host.logged.filter(({ urn }) => urn === resource.urn);
  await resource.diff(held, next);
  expect(notes()).toMatchObject([
    {
      ...{ severity: "info" },
      message: 'ApiKeySet "noted": 1 to replace, with a new secret: "a b"; 1 to delete: "c".',
    },
  ]);
  const [first] = Object.values(held.state["ids"] as Record<string, string>);
  fixture.standIn.editKey(String(first), { name: "theirs" });
  const { properties } = await resource.refresh(held, inputs);
  // As the engine diffs in a refresh: the state that was read, with the inputs from before it.
  await resource.diff({ id: held.id, state: properties }, next);
  expect(notes()).toHaveLength(1);
});
