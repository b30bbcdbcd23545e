import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unknown } from "../../provider/core/fields";
import { accessToken, openPluginScene, type Scene } from "./fixture";
import type { Held, Properties } from "./host";
import { requestsOf } from "./outcomes";
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

interface Case {
  readonly what: string;
  readonly kind: string;
  readonly before: Properties;
  readonly change: Properties;
  readonly details: Readonly<Record<string, string>>;
  readonly replaces?: readonly string[];
}

const other = "another";
const cases: readonly Case[] = [
  {
    what: "a permission more and one less",
    kind: "ApiKey",
    before: key,
    change: {
      scopes: [
        { representation: "users", read: true },
        { representation: "orders", read: true, update: true },
      ],
    },
    details: { "scopes[0].update": "add", "scopes[1].update": "delete" },
  },
  {
    what: "a scope more",
    kind: "ApiKey",
    before: key,
    change: { scopes: [...(key["scopes"] as object[]), { representation: "z", read: true }] },
    details: { "scopes[2]": "add" },
  },
  {
    what: "name and enabled",
    kind: "ApiKey",
    before: key,
    change: { name: other, enabled: false },
    details: { name: "update", enabled: "update" },
  },
  {
    what: "a part of metadata",
    kind: "ApiKey",
    before: key,
    change: { metadata: { team: "a", deep: { list: [1, 3] }, "x y": true } },
    details: { "metadata.deep.list[1]": "update_replace", 'metadata["x y"]': "add_replace" },
    replaces: ["metadata"],
  },
  {
    what: "keepers left out, and a prefix",
    kind: "ApiKey",
    before: key,
    change: { keepers: null, prefix: "acme", name: other },
    details: { keepers: "delete_replace", prefix: "add_replace", name: "update" },
    replaces: ["prefix", "keepers"],
  },
  {
    what: "values that are not known",
    kind: "ApiKey",
    before: key,
    change: { name: unknown, metadata: { team: unknown, deep: { list: [1, 2] } } },
    details: { name: "update", "metadata.team": "update_replace" },
    replaces: ["metadata"],
  },
  {
    what: "one of a set's keys, one gone, and one more",
    kind: "ApiKeySet",
    before: set,
    change: { keys: { "a b": { name: "one", enabled: false }, d: {} } },
    details: { 'keys["a b"].enabled': "add", "keys.c": "delete", "keys.d": "add" },
  },
  {
    what: "a set's default",
    kind: "ApiKeySet",
    before: set,
    change: { defaults: { customerId: "cus_1", enabled: false } },
    details: { "defaults.enabled": "update" },
  },
  {
    what: "a key of a set that is not known",
    kind: "ApiKeySet",
    before: set,
    change: { keys: { "a b": { name: unknown }, c: { name: "two" } } },
    details: { 'keys["a b"].name': "update" },
  },
  {
    what: "aliases that are no names",
    kind: "ApiKeySet",
    before: { ...set, keys: { "a b": {}, 'a"b': {}, "a.b": {}, "a[0]": {}, ü: {} } },
    change: {
      keys: {
        ...{ "a b": { enabled: false }, 'a"b': { enabled: false }, "a.b": { enabled: false } },
        ...{ "a[0]": { enabled: false }, ü: { enabled: false } },
      },
    },
    details: {
      'keys["a b"].enabled': "add",
      'keys["a\\"b"].enabled': "add",
      'keys["a.b"].enabled': "add",
      'keys["a[0]"].enabled': "add",
      'keys["ü"].enabled': "add",
    },
  },
  {
    what: "an alias that no path can have",
    kind: "ApiKeySet",
    before: { ...set, keys: { c: {} } },
    change: { keys: { c: {}, "a\\b": {} } },
    details: { keys: "update" },
  },
  {
    what: "the keys of a set",
    kind: "ApiKeySet",
    before: set,
    change: { keys: unknown },
    details: { keys: "update" },
  },
  {
    what: "settings",
    kind: "WorkspaceSettings",
    before: settings,
    change: { defaultAllowedIPs: ["10.0.0.0/8", "192.0.2.7"], defaultExpiration: 60, onDestroy: "restore" },
    details: { "defaultAllowedIPs[1]": "add", defaultExpiration: "add", onDestroy: "update" },
  },
  {
    what: "a representation",
    kind: "Scope",
    before: scope,
    change: { representation: other },
    details: { representation: "update_replace" },
    replaces: ["representation"],
  },
  {
    what: "a grant",
    kind: "CustomerBilling",
    before: grant,
    change: { totalCredits: "200", grant: "2" },
    details: { totalCredits: "update", grant: "update_replace" },
    replaces: ["grant"],
  },
];

/** The same values, written differently. */
const respelled: Readonly<Record<string, readonly [Properties, Properties]>> = {
  ApiKey: [
    key,
    {
      ...key,
      enabled: null,
      prefix: "",
      scopes: [...(key["scopes"] as object[])].reverse(),
      expiresAt: null,
    },
  ],
  ApiKeySet: [
    set,
    {
      workspaceId: "ws_main",
      defaults: { name: "one" },
      keys: { c: { name: "two", customerId: "cus_1" }, "a b": { customerId: "cus_1", enabled: true } },
    },
  ],
  WorkspaceSettings: [
    { ...settings, workspaceId: "ws_second" },
    { workspaceId: "ws_second", defaultAllowedIPs: ["10.1.2.3/8"], defaultKeyPrefix: "" },
  ],
  Scope: [
    { ...scope, representation: "again" },
    { ...scope, representation: "again", description: "" },
  ],
  CustomerBilling: [
    { ...grant, grant: "again" },
    { ...grant, totalCredits: 100, allowOverages: null, grant: " again " },
  ],
};

describe("the plugin's detailed diff", () => {
  let scene: Scene<PluginHost>;
  beforeAll(async () => {
    scene = await openPluginScene();
  });
  afterAll(async () => {
    const printed = await scene.close();
    for (const text of [accessToken, ...scene.standIn.secrets()]) expect(printed).not.toContain(text);
  });

  async function made(resource: PluginResource, declared: Properties) {
    const { inputs, failures } = await resource.check(declared);
    expect(failures).toEqual([]);
    return { inputs, held: await resource.create(inputs) };
  }
  /** The diff and its details, which send no request. */
  async function planned(resource: PluginResource, held: Held, inputs: Properties) {
    const { result, requests } = await requestsOf(scene, async () => ({
      ...(await resource.diff(held, inputs)),
      details: await resource.details(held, inputs),
    }));
    expect(requests).toEqual([]);
    return result;
  }

  test.each(cases)(
    "R18 the plugin's diff lists the changed paths of $kind: $what",
    async ({ what, kind, before, change, details, replaces = [] }) => {
      const resource = scene.host.resource(kind, `${kind} of ${what}`);
      for (const { id } of scene.standIn.scopes("ws_main")) scene.standIn.deleteScope(id);
      const { inputs: olds, held } = await made(resource, before);
      const { inputs, failures } = await resource.check({ ...before, ...change }, olds);
      expect(failures).toEqual([]);
      expect(await planned(resource, held, inputs)).toEqual({ changes: "some", replaces, details });
      expect(await planned(resource, held, olds)).toEqual({ changes: "none", replaces: [], details: {} });
    },
  );

  test.each(Object.entries(respelled))(
    "R2 the plugin's diff is empty for inputs of %s that are only written differently",
    async (kind, both) => {
      const resource = scene.host.resource(kind, `${kind} respelled`);
      const [before, now] = both;
      for (const { id } of scene.standIn.scopes("ws_main")) scene.standIn.deleteScope(id);
      const { inputs: olds, held } = await made(resource, before);
      const { inputs, failures } = await resource.check(now, olds);
      expect(failures).toEqual([]);
      expect(await planned(resource, held, inputs)).toEqual({ changes: "none", replaces: [], details: {} });
    },
  );

  test("K6 the plugin's diff lists a lost secret, which asks for a replacement, beside the program's changes", async () => {
    const resource = scene.host.resource("ApiKey", "lost");
    scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
    const { inputs } = await resource.check(key);
    const { kept } = await resource.create(inputs).catch((error) => error);
    const held = { id: kept.id, state: kept.properties };
    expect(await planned(resource, held, inputs)).toEqual({
      changes: "some",
      replaces: ["key"],
      details: { key: "update_replace" },
    });
    expect(await planned(resource, held, { ...inputs, name: other })).toEqual({
      changes: "some",
      replaces: ["key"],
      details: { key: "update_replace", name: "update" },
    });
  });

  test("K5 the plugin's diff is empty if existingKey is left out later, in an ApiKey and in a set", async () => {
    const resource = scene.host.resource("ApiKey", "migrated");
    const { inputs, held } = await made(resource, { ...key, existingKey: "sk_of_old" });
    const { existingKey: _, ...left } = inputs;
    expect(await planned(resource, held, left)).toEqual({ changes: "none", replaces: [], details: {} });
    expect(await planned(resource, held, { ...left, name: other })).toMatchObject({
      details: { name: "update" },
    });

    const ofSet = scene.host.resource("ApiKeySet", "migrated set");
    const keys = { a: { existingKey: "sk_of_older" }, b: {} };
    const { inputs: all, held: set2 } = await made(ofSet, { ...set, keys });
    const { inputs: none } = await ofSet.check({ ...set, keys: { a: {}, b: {} } }, all);
    expect(await planned(ofSet, set2, none)).toEqual({ changes: "none", replaces: [], details: {} });
  });

  test("the plugin's diff comes with a note that names a set's keys to replace and to delete, except in a refresh", async () => {
    const resource = scene.host.resource("ApiKeySet", "noted");
    const { inputs, held } = await made(resource, set);
    const { inputs: next } = await resource.check(
      { ...set, keys: { "a b": { name: "one", prefix: "new" } } },
      inputs,
    );
    const notes = () => scene.host.logged.filter(({ urn }) => urn === resource.urn);
    await resource.diff(held, next);
    expect(notes()).toEqual([
      {
        urn: resource.urn,
        severity: "info",
        ephemeral: false,
        message: 'Keys of workspace ws_main: 1 to replace, with a new secret: "a b"; 1 to delete: "c".',
      },
    ]);
    const [first] = Object.values(held.state["ids"] as Record<string, string>);
    scene.standIn.editKey(String(first), { name: "theirs" });
    const read = await resource.refresh(held, inputs);
    expect(read.inputs).toBeDefined();
    // As the engine diffs in a refresh: the state that was read, with the inputs from before it.
    await resource.diff({ id: held.id, state: read.properties }, next);
    expect(notes()).toHaveLength(1);
  });
});
