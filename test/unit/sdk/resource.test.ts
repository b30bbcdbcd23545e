import { runInNewContext } from "node:vm";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import {
  ApiKey,
  type ApiKeyArgs,
  ApiKeySet,
  type ApiKeySetArgs,
  type FoundApiKey,
  Provider,
  type ProviderArgs,
} from "../../../sdk";

import { secretAmong } from "../../../sdk/apiKey";
import { CustomerBilling } from "../../../sdk/customerBilling";
import { type FoundWorkspace, type FunctionInputs, getScopes, getScopesOutput } from "../../../sdk/functions";
import { argumentsOf } from "../../../sdk/provider";
import { Scope } from "../../../sdk/scope";
import { WorkspaceSettings, type WorkspaceSettingsArgs } from "../../../sdk/workspaceSettings";

const inWorkspace = { workspaceId: "ws_1" };
const newResource = ({ inputs }: pulumi.runtime.MockResourceArgs) => ({ id: "id", state: inputs });
const call = () => ({});

test.each([
  [ApiKeySet, { keys: {} }],
  [WorkspaceSettings, { defaultExpiration: 1 }],
  [Scope, { name: "Orders", representation: "orders" }],
  [CustomerBilling, { totalCredits: 1 }],
] as const)("R19 the resource option import fails, and says what to do instead (%o)", (Kind, args) => {
  const make = Kind as new (name: string, args: object, opts: object) => unknown;
  const declare = () => new make("taken", { ...inWorkspace, ...args }, { import: "id_1" });
  expect(declare).toThrow(
    `${Kind.name} "taken": the resource option import can't work for dynamic resources.\nFor an ApiKey, use \`pulumi import --file\`.\nDeclare any other existing object without the option: a key with existingId, `,
  );
});

test.each(["__proto__", "toString", "4dabf18193072939515e22adb298388d"])(
  "E2 a map can't have the name %s, which Pulumi's SDK loses or fails on",
  (alias) => {
    const map = Object.fromEntries([[alias, { customerId: "c" }]]);
    const said = `Pulumi can't carry the name "${alias}": choose another.`;
    expect(() => new ApiKeySet("s", { workspaceId: "ws_1", keys: map })).toThrow(`"s": keys: ${said}`);
    const key = { workspaceId: "ws_1", customerId: "c", metadata: { deep: [map] } };
    expect(() => new ApiKey("ci", key)).toThrow(`"ci": metadata.deep[0]: ${said}`);
  },
);

const itself: Record<string, unknown> = {};
itself["self"] = itself;
const lost = {
  ...{
    Date: new Date(0),
    Map: new Map(),
    Set: new Set(),
    Buffer: Buffer.from("a"),
    RegExp: /a/,
    URL: new URL("a:b"),
  },
  ...{
    BigInt: 1n,
    Symbol: Symbol("a"),
    Function: () => "a",
    String: new String("a"),
    StringAsset: new pulumi.asset.StringAsset("a"),
  },
  Class: new (class Class {
    readonly a = 1;
  })(),
};

test.each(Object.entries(lost))(
  "R8 a class refuses a value of type %s at any depth, which Pulumi would change without an error",
  (type, value) => {
    const said = (path: string) => `${path}: must be plain JSON: a value of type ${type} can't be sent.`;
    const key = (args: object) => () => new ApiKey("ci", { ...inWorkspace, customerId: "c", ...args });
    expect(key({ name: value })).toThrow(said('APIKEYS1001: ApiKey "ci": name'));
    expect(key({ metadata: { a: [{ b: value }] } })).toThrow(said('ApiKey "ci": metadata.a[0].b'));
    const set = (keys: unknown) => () => new ApiKeySet("s", { ...inWorkspace, keys: keys as never });
    expect(set({ a: { customerId: "c", keepers: { k: value } } })).toThrow(
      said('ApiKeySet "s": keys.a.keepers.k'),
    );
    expect(set({ a: value })).toThrow(said('ApiKeySet "s": keys.a'));
    expect(set(value)).toThrow(said('ApiKeySet "s": keys'));
  },
);

test("R8 a class takes plain JSON of any realm, and refuses an object that contains itself", async () => {
  await pulumi.runtime.setMocks({ newResource, call });
  const key = (metadata: Record<string, unknown>) =>
    new ApiKey("ci", { ...inWorkspace, customerId: "c", metadata });
  const plain = {
    a: [null, undefined, 1, "b", { c: true }],
    d: Object.create(null),
    e: runInNewContext("({ f: [1] })"),
  };
  expect(() =>
    key({ ...plain, twice: [plain, plain], later: pulumi.output(1), soon: Promise.resolve({}) }),
  ).not.toThrow();
  expect(() => key({ a: [itself] })).toThrow(
    'ApiKey "ci": metadata.a[0].self: must be plain JSON, and contains itself.',
  );
});

// tsc checks it.
test("key(alias) takes the aliases that the program lists, and any alias where it does not", async () => {
  await pulumi.runtime.setMocks({ newResource, call });
  const entry = { customerId: "c" };
  const many: Record<string, typeof entry> = { any: entry, other: entry };
  const isProd = many["any"] === entry;
  type Keys<Alias extends string> = ApiKeySetArgs<Alias>["keys"];
  const of = <Alias extends string>(keys: Keys<Alias>) => new ApiKeySet("s", { ...inWorkspace, keys });
  const listed = new ApiKeySet("s", {
    ...inWorkspace,
    keys: { acme: entry, ...(isProd && { beta: entry }) },
  });
  expectTypeOf(listed.key).parameter(0).toEqualTypeOf<"acme" | "beta">();
  expectTypeOf(of(isProd ? { acme: entry } : { beta: entry })).toEqualTypeOf<typeof listed>();
  for (const keys of [many, pulumi.output(many), Promise.resolve(many)])
    expectTypeOf(of(keys)).toEqualTypeOf<ApiKeySet>();
  expectTypeOf(
    new ApiKeySet<string>("s", { ...inWorkspace, keys: { acme: entry, ...many } }),
  ).toEqualTypeOf<ApiKeySet>();
  expectTypeOf(listed).toExtend<ApiKeySet>();
  // @ts-expect-error: neither a misspelt field nor a missing entry passes.
  const misspelt = () => of({ acme: { customerID: "c" } });
  // @ts-expect-error
  const missing = () => of({ acme: isProd ? entry : undefined });
  expect([misspelt, missing]).toHaveLength(2);
});

// tsc checks it.
test("resources accept what functions return, and read-only lists; arguments may be undefined or promises", () => {
  expectTypeOf<pulumi.Output<FoundApiKey["scopes"]>>().toExtend<ApiKeyArgs["scopes"]>();
  expectTypeOf<FoundApiKey["scopes"]>().toExtend<ApiKeyArgs["scopes"]>();
  expectTypeOf<FoundWorkspace["defaultAllowedIPs"]>().toExtend<WorkspaceSettingsArgs["defaultAllowedIPs"]>();
  expectTypeOf<pulumi.Output<string | undefined>>().toExtend<ProviderArgs["baseUrl"]>();
  expectTypeOf<{ [Name in keyof Required<ProviderArgs>]: undefined }>().toExtend<ProviderArgs>();
  expectTypeOf<{ name: Promise<string> }>().toExtend<FunctionInputs<{ name: string }>>();
});

test("R14 functions know the arguments of a Provider from another copy of the package, but not of another program", async () => {
  await pulumi.runtime.setMocks({ newResource, call });
  vi.resetModules();
  const copy = await import("../../../sdk/provider.js");
  const args = { baseUrl: "https://emea.example.com" };
  const made = new copy.Provider("emea", args);
  expect(made).not.toBeInstanceOf(Provider);
  expect(argumentsOf(made, "getScopes")).toBe(args);
  const theirs: Provider = Object.create(Provider.prototype);
  await expect(getScopes(inWorkspace, { provider: theirs })).rejects.toThrow(
    "getScopes: the arguments of this Provider are not known here",
  );
});

describe.each(["dynamic", "plugin"])("in a preview with the host %s,", (host) => {
  beforeEach(async () => {
    pulumi.runtime.setAllConfig({ "apikeys:host": host });
    const unknownId = (args: pulumi.runtime.MockResourceArgs) => ({ ...newResource(args), id: undefined });
    await pulumi.runtime.setMocks({ newResource: unknownId, call }, "project", "stack", true);
  });
  afterEach(() => pulumi.runtime.setAllConfig({}));

  test("R14 a function uses the Provider that a resource of its parent would use, unless it has its own", async () => {
    const emea = new Provider("emea", { accessToken: pulumi.output("t") });
    const settings = { ...inWorkspace, defaultExpiration: 1 };
    const parent = new WorkspaceSettings("main", settings, { provider: emea });
    await expect(getScopes(inWorkspace, { parent })).rejects.toThrow(
      "getScopes: the Provider's accessToken is an Output",
    );
    const provider = new Provider("apac", { baseUrl: pulumi.output("https://apac.example.com") });
    await expect(getScopes(inWorkspace, { parent, provider })).rejects.toThrow("Provider's baseUrl is");
  });

  test("R14 a function waits for the resources that it depends on", async () => {
    const orders = new Scope("orders", { ...inWorkspace, name: "Orders", representation: "orders" });
    const scopes = getScopesOutput(inWorkspace, { dependsOn: [orders] });
    expect(await (scopes as unknown as { readonly isKnown: Promise<boolean> }).isKnown).toBe(false);
  });
});

describe("the secret of one key of a set", () => {
  test("K8 fails if state does not have it", () => {
    const of = (alias: string) => secretAmong({ b: "sk_b" }, "customers", alias);
    expect(of("b")).toBe("sk_b");
    for (const alias of ["a", "constructor"])
      expect(() => of(alias)).toThrow(
        `APIKEYS1006: ApiKeySet "customers", key "${alias}": state does not have its secret.\nThe service`,
      );
  });

  const { unknownValue } = pulumi.runtime;
  test.each([
    ["is known", { a: "sk_a", b: unknownValue }, "sk_a", true],
    ["is unknown if only another one is known", { a: unknownValue, b: "sk_b" }, undefined, false],
    ["is unknown if none is known", unknownValue, undefined, false],
    ["is undefined if mocks return none", undefined, undefined, true],
  ])("K8 %s", async (_, secrets, value, isKnown) => {
    const answer = ({ inputs }: pulumi.runtime.MockResourceArgs) => ({
      ...{ id: "id", state: { ...inputs, secrets, __service: "s" } },
    });
    await pulumi.runtime.setMocks({ newResource: answer, call }, "project", "stack", true);
    const set = new ApiKeySet("customers", { ...inWorkspace, keys: { a: { customerId: "c" } } });
    const key = set.key("a") as unknown as Hidden;
    expect([await key.promise(), await key.isKnown]).toEqual([value, isKnown]);
  });
  interface Hidden {
    readonly isKnown: Promise<boolean>;
    promise(): Promise<string>;
  }
});

test("R8 the keys of an ApiKeySet may be a promise, and are passed on if they are a list, so that check reports it", async () => {
  const registered: unknown[] = [];
  const noting = (args: pulumi.runtime.MockResourceArgs) => {
    registered.push(args.inputs["keys"]);
    return newResource(args);
  };
  await pulumi.runtime.setMocks({ newResource: noting, call });
  const [list, map] = [[{ customerId: "cus_1" }], { a: { customerId: "c" } }];
  for (const keys of [list, Promise.resolve(map)]) {
    const { id } = new ApiKeySet("customers", { ...inWorkspace, keys } as unknown as ApiKeySetArgs);
    await (id as unknown as { promise(): Promise<string> }).promise();
  }
  expect(registered).toEqual([list, map]);
});
