import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import type { KeyScope as AnsweredScope } from "../../../provider/client/service";
import type * as functions from "../../../provider/functions";
import { definitions } from "../../../provider/resources";
import { type Shape as ApiKeyShape, outputs } from "../../../provider/resources/apiKey/model";
import type { Shape as ApiKeySetShape } from "../../../provider/resources/apiKeySet/entries";
import type { Shape as CustomerBillingShape } from "../../../provider/resources/customerBilling";
import {
  type Shape as RotatingApiKeyShape,
  shape as rotating,
} from "../../../provider/resources/rotatingApiKey/properties";
import type { Shape as ScopeShape } from "../../../provider/resources/scope";
import type { Shape as WorkspaceSettingsShape } from "../../../provider/resources/workspaceSettings";
import type * as sdk from "../../../sdk";
import {
  ApiKey,
  type ApiKeyArgs,
  ApiKeySet,
  type ApiKeySetArgs,
  type ApiKeySetDefaultsArgs,
  type ApiKeySetEntryArgs,
  type KeyScope,
  type KeyScopeArgs,
  type UnmanagedApiKey,
} from "../../../sdk";
import { secretOf as keySecretOf } from "../../../sdk/apiKey";
import { CustomerBilling, type CustomerBillingArgs } from "../../../sdk/customerBilling";
import { RotatingApiKey, type RotatingApiKeyArgs } from "../../../sdk/rotatingApiKey";
import { Scope, type ScopeArgs } from "../../../sdk/scope";
import { WorkspaceSettings, type WorkspaceSettingsArgs } from "../../../sdk/workspaceSettings";

/** The inputs that `check` accepts for a shape. */
type Taken<S extends { readonly inputs: Readonly<Record<string, { readonly schema: z.ZodMiniType }>> }> =
  z.input<z.ZodMiniObject<{ [Name in keyof S["inputs"]]: S["inputs"][Name]["schema"] }>>;
type ApiKeyInputs = Taken<ApiKeyShape>;
type ApiKeySetInputs = Taken<ApiKeySetShape>;
type CustomerBillingInputs = Taken<CustomerBillingShape>;
type RotatingApiKeyInputs = Taken<RotatingApiKeyShape>;
type ScopeInputs = Taken<ScopeShape>;
type WorkspaceSettingsInputs = Taken<WorkspaceSettingsShape>;

/** Without null, which only means absent in the engine's messages, and without readonly. */
type Plain<T> = T extends readonly (infer Entry)[]
  ? Plain<Entry>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Plain<Exclude<T[Name], null>> }
    : T;
type OptionalNames<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never }[keyof T];
/** The types, whether optional or not. */
type Full<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> };

type Declared<Args> = Plain<pulumi.Unwrap<Args>>;

/** Which inputs are optional, besides others, and the types of all. The types of metadata differ. */
interface Facts<T, Besides = never> {
  readonly optional: OptionalNames<T> | Besides;
  readonly types: Omit<Full<T>, "metadata">;
}
interface Owner {
  readonly team: string;
}

// tsc checks these, as a part of `npm run lint`.
test("the SDK and the provider agree on names, optionality and types of the inputs, except that name is optional", () => {
  type Key = Plain<ApiKeyInputs>;
  type Rotating = Plain<RotatingApiKeyInputs>;
  type Set = Plain<ApiKeySetInputs>;
  type Entry = Set["keys"][string];
  type Defaults = NonNullable<Set["defaults"]>;
  expectTypeOf<Facts<Declared<ApiKeyArgs>>>().toEqualTypeOf<Facts<Key, "name">>();
  expectTypeOf<Facts<Declared<RotatingApiKeyArgs>>>().toEqualTypeOf<Facts<Rotating, "name">>();
  expectTypeOf<Declared<KeyScopeArgs>>().toEqualTypeOf<NonNullable<Key["scopes"]>[number]>();
  expectTypeOf<OptionalNames<ApiKeySetArgs>>().toEqualTypeOf<OptionalNames<Set>>();
  expectTypeOf<keyof ApiKeySetArgs>().toEqualTypeOf<keyof Set>();
  expectTypeOf<Facts<Declared<ApiKeySetEntryArgs>>>().toEqualTypeOf<Facts<Entry, keyof Entry>>();
  expectTypeOf<Facts<Declared<ApiKeySetDefaultsArgs>>>().toEqualTypeOf<Facts<Defaults, keyof Defaults>>();
  expectTypeOf<Declared<WorkspaceSettingsArgs>>().toEqualTypeOf<Plain<WorkspaceSettingsInputs>>();
  expectTypeOf<Facts<Declared<ScopeArgs>>>().toEqualTypeOf<Facts<Plain<ScopeInputs>, "name">>();
  expectTypeOf<Declared<CustomerBillingArgs>>().toEqualTypeOf<Plain<CustomerBillingInputs>>();
});

// tsc checks it.
test("metadata may be a value whose type is an interface", () => {
  type Metadata = pulumi.Input<NonNullable<ApiKeyInputs["metadata"]> | undefined> | undefined;
  expectTypeOf<ApiKeyArgs["metadata"]>().toExtend<Metadata>();
  expectTypeOf<Metadata | Owner>().toExtend<ApiKeyArgs["metadata"]>();
  expectTypeOf<Owner>().toExtend<RotatingApiKeyArgs["metadata"]>();
  expectTypeOf<Owner>().toExtend<ApiKeySetEntryArgs["metadata"] & ApiKeySetDefaultsArgs["metadata"]>();
  expectTypeOf<string>().not.toExtend<ApiKeyArgs["metadata"]>();
});

// tsc checks it.
test("the functions of the SDK and of the provider agree on arguments and results", () => {
  type Of<F> = F extends (source: never, args: infer Args) => infer Result ? (args: Args) => Result : never;
  expectTypeOf<Of<typeof functions.getWorkspaces>>().toExtend<typeof sdk.getWorkspaces>();
  expectTypeOf<Of<typeof functions.getWorkspace>>().toExtend<typeof sdk.getWorkspace>();
  expectTypeOf<Of<typeof functions.getApiKeys>>().toExtend<typeof sdk.getApiKeys>();
  expectTypeOf<Of<typeof functions.getApiKey>>().toExtend<typeof sdk.getApiKey>();
  expectTypeOf<Of<typeof functions.getScopes>>().toExtend<typeof sdk.getScopes>();
  expectTypeOf<keyof sdk.FoundApiKey>().toEqualTypeOf<keyof functions.FoundApiKey>();
  expectTypeOf<Required<Plain<KeyScope>>>().toEqualTypeOf<Plain<Required<Omit<AnsweredScope, "id">>>>();
});

/** Members of an Output that its declaration hides. */
interface Promised {
  readonly isKnown: Promise<boolean>;
  readonly isSecret: Promise<boolean>;
  promise(): Promise<unknown>;
  allResources(): Promise<unknown>;
}

const inWorkspace = { workspaceId: "ws_1" };
const existingKey = "sk_old";
const entry = pulumi.output({ customerId: "cus_2" });

/** Each kind with the outputs that are not inputs. */
const resources = [
  {
    kind: "ApiKey",
    make: () => new ApiKey("ci", { ...inWorkspace, customerId: "cus_1", existingKey }),
    computed: ["key", ...Object.keys(outputs({} as Parameters<typeof outputs>[0]))],
  },
  {
    kind: "ApiKeySet",
    make: () =>
      new ApiKeySet("ci", { ...inWorkspace, keys: { a: { customerId: "cus_1", existingKey }, b: entry } }),
    computed: ["ids", "maskedKeys", "secrets"],
  },
  {
    kind: "RotatingApiKey",
    make: () =>
      new RotatingApiKey("ci", { ...inWorkspace, customerId: "cus_1", existingKey, rotateEvery: "90d" }),
    computed: Object.keys(rotating.outputs),
  },
  {
    kind: "WorkspaceSettings",
    make: () => new WorkspaceSettings("ci", { ...inWorkspace, defaultExpiration: 1 }),
    computed: ["name", "teamId"],
  },
  {
    kind: "Scope",
    make: () => new Scope("ci", { ...inWorkspace, name: "ci", representation: "ci" }),
    computed: ["createdAt", "updatedAt"],
  },
  {
    kind: "CustomerBilling",
    make: () => new CustomerBilling("ci", { ...inWorkspace, totalCredits: 1 }),
    computed: ["createdAt"],
  },
] as const;

describe("a resource class", () => {
  const registered = new Map<string, Readonly<Record<string, unknown>>>();
  const made = new Map<string, pulumi.CustomResource>();

  beforeAll(async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ type, inputs }) => {
        registered.set(type, inputs);
        return { id: "id_1", state: inputs };
      },
      call: () => ({}),
    });
    for (const { kind, make } of resources) {
      const resource = make();
      made.set(kind, resource);
      await new Promise((resolve) => resource.urn.apply(resolve));
    }
  });
  const inputsOf = (kind: string) => registered.get(`pulumi-nodejs:dynamic/apikeys:${kind}`) ?? {};

  test.each(Object.keys(definitions))(
    "%s has a class with the provider string that must never change",
    (kind) => {
      expect(inputsOf(kind)["__provider"]).toBe(
        `exports.handler=()=>require("pulumi-apikeys/dynamic").provider("${kind}");`,
      );
    },
  );

  test.each(resources)(
    "$kind has exactly its inputs and its computed properties as outputs",
    ({ kind, computed }) => {
      const outputs = Object.entries(made.get(kind) ?? {}).filter(([, value]) =>
        pulumi.Output.isInstance(value),
      );
      const inputs = Object.keys(definitions[kind]?.schema.shape ?? {});
      const hidden = ["__preview", "__provider", "__resourceName", "__secrets", "__service"];
      expect(outputs.map(([name]) => name).sort()).toEqual(
        [...inputs, ...computed, "id", "urn", ...hidden].sort(),
      );
    },
  );

  const classes = { ApiKey, ApiKeySet, RotatingApiKey, WorkspaceSettings, Scope, CustomerBilling };
  test.each(Object.entries(classes))(
    "isInstance of %s recognizes exactly its own resources, even by their type alone",
    (kind, Class) => {
      expect([...made].filter(([, resource]) => Class.isInstance(resource)).map(([of]) => of)).toEqual([
        kind,
      ]);
      for (const type of [`pulumi-nodejs:dynamic/apikeys:${kind}`, `apikeys:index:${kind}`])
        expect(Class.isInstance({ __pulumiType: type })).toBe(true);
      for (const other of [undefined, null, kind, {}]) expect(Class.isInstance(other)).toBe(false);
    },
  );

  test("R16 ApiKey and ApiKeySet make each existingKey a secret", async () => {
    const marked = (value: unknown) => ({
      [pulumi.runtime.specialSigKey]: pulumi.runtime.specialSecretSig,
      value,
    });
    const key = { __resourceName: "ci", workspaceId: "ws_1", existingKey: marked(existingKey) };
    expect(inputsOf("ApiKey")).toMatchObject(key);
    expect(await pulumi.isSecret((made.get("ApiKey") as ApiKey).existingKey)).toBe(true);
    // The mocks mark the whole value that contains a secret.
    const keys = { a: { customerId: "cus_1", existingKey }, b: { customerId: "cus_2" } };
    expect(inputsOf("ApiKeySet")["keys"]).toEqual(marked(keys));
  });

  test("R16 ApiKeySet.key returns one key's secret, as a secret", async () => {
    const set = new ApiKeySet("held", { ...inWorkspace, keys: { a: { customerId: "cus_1" } } });
    Object.defineProperty(set, "secrets", { value: pulumi.output({ a: "sk_a" }), configurable: true });
    const key = set.key("a");
    expect(await new Promise((resolve) => key.apply(resolve))).toBe("sk_a");
    expect(await pulumi.isSecret(key)).toBe(true);
  });

  test("K8 the key of an ApiKey is undefined if mocks return no secret", async () => {
    const { key } = new ApiKey("mocked", { ...inWorkspace, customerId: "cus_1" });
    expect(await new Promise((resolve) => key.apply(resolve))).toBeUndefined();
  });

  const text = (value: unknown) => pulumi.output(value) as pulumi.Output<string>;
  const secretOf = (held: unknown, id: unknown) =>
    keySecretOf('ApiKey "ci"', text(held), text(id)) as unknown as Promised;

  test.each([
    ["is the one in state", pulumi.secret("sk_1"), "key_1", { isKnown: true, isSecret: true, value: "sk_1" }],
    ["is unknown in the preview of an update", pulumi.unknown, "key_1", { isKnown: false }],
    ["is unknown before the key is created", undefined, pulumi.unknown, { isKnown: false }],
  ])("K8 the secret of an ApiKey %s", async (_, held, id, expected) => {
    const { isKnown, isSecret, promise } = secretOf(held, id);
    const found = { isKnown: await isKnown, isSecret: await isSecret, value: await promise() };
    expect(found).toMatchObject(expected);
  });

  test("K8: the secret of an ApiKey fails for a program that uses it if state does not have it", async () => {
    const { isKnown, isSecret, promise, allResources } = secretOf(undefined, "key_1");
    const [failed] = await Promise.allSettled([promise(), isKnown, isSecret, allResources()]);
    const message = expect.stringMatching(/^APIKEYS1006: ApiKey "ci": state does not/);
    expect(failed).toMatchObject({ reason: { message } });
  });

  test("K8 R19 ApiKey.get returns what an ApiKey has except the secret, and the option import says what to do", () => {
    const read = ApiKey.get("read", "key_1", inWorkspace);
    // tsc checks these.
    expectTypeOf<keyof ApiKey>().toEqualTypeOf<keyof UnmanagedApiKey | "key">();
    expectTypeOf<UnmanagedApiKey>().toExtend<pulumi.CustomResource>();
    expectTypeOf<ApiKey["key"]>().toEqualTypeOf<pulumi.Output<string>>();
    // @ts-expect-error There is no such property.
    expect(read.key).toBeInstanceOf(pulumi.Output);
    const args = { ...inWorkspace, customerId: "c" };
    expect(() => new ApiKey("taken", args, { import: "key_1" })).toThrow(/"taken".*\n.*pulumi import --file/);
  });
});

/** The outputs that are known in a preview if the engine answers with the inputs and `more`. */
async function knownWith(more: object): Promise<Readonly<Record<string, readonly string[]>>> {
  const newResource = ({ inputs }: pulumi.runtime.MockResourceArgs) => ({
    ...{ id: "id_1", state: { ...inputs, ...more } },
  });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "project", "stack", true);
  const all = resources.map(async ({ kind, make }) => {
    const outputs = Object.entries(make()).filter(([name]) => !name.startsWith("__"));
    const known = outputs.map(async ([name, { isKnown }]: [string, Promised]) =>
      (await isKnown) ? [name] : [],
    );
    return [kind, (await Promise.all(known)).flat()] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

test("R12 outputs that a preview lacks are known to be absent if its answer is a state, even with unknown values", async () => {
  const known = await knownWith({ __service: "s", name: pulumi.runtime.unknownValue });
  for (const { kind, make } of resources) {
    const names = Object.keys(make()).filter((name) => !name.startsWith("__") && name !== "name");
    expect({ [kind]: known[kind] }).toEqual({ [kind]: names });
  }
});

test("R12 outputs that a preview lacks stay unknown if its answer is only what the program declares", async () => {
  const known = await knownWith({});
  expect(known["Scope"]).toEqual(["urn", "id", "workspaceId", "name", "representation"]);
  expect(known["CustomerBilling"]).toEqual(["urn", "id", "workspaceId", "totalCredits"]);
});

// The public behavior that settleAbsent gets by changing fields that Pulumi's types hide.
test("R12 an absent output is passed to what the program applies to it", { timeout: 2_000 }, async () => {
  await knownWith({ __service: "s" });
  const { metadata } = new ApiKey("ci", { ...inWorkspace, customerId: "cus_1" });
  expect(await new Promise((resolve) => metadata.apply((value) => resolve([value])))).toEqual([undefined]);
});
