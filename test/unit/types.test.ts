import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import type { KeyScope as AnsweredScope } from "../../provider/client/responses";
import { definitions } from "../../provider/resources";
import type { ApiKeyInputs } from "../../provider/resources/apiKey/inputs";
import { outputs } from "../../provider/resources/apiKey/state";
import type { ApiKeySetInputs } from "../../provider/resources/apiKeySet/inputs";
import type { CustomerBillingInputs } from "../../provider/resources/customerBilling";
import type { ScopeInputs } from "../../provider/resources/scope";
import type { WorkspaceSettingsInputs } from "../../provider/resources/workspaceSettings";
import {
  ApiKey,
  type ApiKeyArgs,
  ApiKeySet,
  type ApiKeySetArgs,
  type ApiKeySetDefaults,
  type ApiKeySetEntry,
  CustomerBilling,
  type CustomerBillingArgs,
  type KeyScope,
  type KeyScopeArgs,
  Scope,
  type ScopeArgs,
  WorkspaceSettings,
  type WorkspaceSettingsArgs,
} from "../../sdk";

/** As both sides spell it: null stands for absent on the wire only, and readonly makes no difference. */
type Plain<T> = T extends readonly (infer Entry)[]
  ? Plain<Entry>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Plain<Exclude<T[Name], null>> }
    : T;
type OptionalNames<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never }[keyof T];
/** Types alone, whether optional or not. */
type Full<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> };

type Declared<Args> = Plain<pulumi.Unwrap<Args>>;

// tsc checks these; it runs with the linters.
describe("what the SDK takes and what the provider takes agree in names, optionality and types", () => {
  test("of an ApiKey, whose name has a default of the SDK", () => {
    type Received = Plain<ApiKeyInputs>;
    expectTypeOf<OptionalNames<Declared<ApiKeyArgs>>>().toEqualTypeOf<OptionalNames<Received> | "name">();
    expectTypeOf<Omit<Full<Declared<ApiKeyArgs>>, "metadata">>().toEqualTypeOf<
      Omit<Full<Received>, "metadata">
    >();
    // Unwrap makes `never` of the unknown values inside.
    expectTypeOf<ApiKeyArgs["metadata"]>().toEqualTypeOf<
      pulumi.Input<NonNullable<ApiKeyInputs["metadata"]> | undefined> | undefined
    >();
  });

  test("of a scope of an ApiKey, declared and answered", () => {
    type Received = NonNullable<Plain<ApiKeyInputs>["scopes"]>[number];
    expectTypeOf<Declared<KeyScopeArgs>>().toEqualTypeOf<Received>();
    expectTypeOf<Required<Plain<KeyScope>>>().toEqualTypeOf<Plain<Required<Omit<AnsweredScope, "id">>>>();
  });

  test("of an ApiKeySet, its entries and its defaults", () => {
    type Received = Plain<ApiKeySetInputs>;
    expectTypeOf<OptionalNames<ApiKeySetArgs>>().toEqualTypeOf<OptionalNames<Received>>();
    expectTypeOf<keyof ApiKeySetArgs>().toEqualTypeOf<keyof Received>();
    type Entry = Plain<pulumi.Unwrap<ApiKeySetEntry>>;
    type ReceivedEntry = Received["keys"][string];
    expectTypeOf<Omit<Full<Entry>, "metadata">>().toEqualTypeOf<Omit<Full<ReceivedEntry>, "metadata">>();
    expectTypeOf<OptionalNames<Entry>>().toEqualTypeOf<keyof ReceivedEntry>();
    type Defaults = Plain<pulumi.Unwrap<ApiKeySetDefaults>>;
    type ReceivedDefaults = NonNullable<Received["defaults"]>;
    expectTypeOf<Omit<Full<Defaults>, "metadata">>().toEqualTypeOf<
      Omit<Full<ReceivedDefaults>, "metadata">
    >();
    expectTypeOf<OptionalNames<Defaults>>().toEqualTypeOf<keyof ReceivedDefaults>();
  });

  test("of all other resources", () => {
    expectTypeOf<Declared<WorkspaceSettingsArgs>>().toEqualTypeOf<Plain<WorkspaceSettingsInputs>>();
    expectTypeOf<Declared<ScopeArgs>>().toEqualTypeOf<Plain<ScopeInputs>>();
    expectTypeOf<Declared<CustomerBillingArgs>>().toEqualTypeOf<Plain<CustomerBillingInputs>>();
  });
});

const inWorkspace = { workspaceId: "ws_1" };
const existingKey = "sk_old";
const entry = pulumi.output({ customerId: "cus_2" });

/** Each kind with what it has beside its inputs. */
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
    // What an Output holds may be secret, which is not known at once.
    computed: ["ids", "maskedKeys", "secrets", "__secrets"],
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

describe("a resource in a program", () => {
  const registered = new Map<string, pulumi.runtime.MockResourceArgs>();
  const made = new Map<string, pulumi.CustomResource>();

  beforeAll(async () => {
    await pulumi.runtime.setMocks({
      newResource: (args) => {
        registered.set(args.type, args);
        return { id: "id_1", state: args.inputs };
      },
      call: () => ({}),
    });
    for (const { kind, make } of resources) {
      const resource = make();
      made.set(kind, resource);
      await new Promise((resolve) => resource.urn.apply(resolve));
    }
  });

  test("there is one for every kind that the provider knows", () => {
    expect(resources.map(({ kind }) => kind).sort()).toEqual(Object.keys(definitions).sort());
  });

  test.each(resources)(
    "$kind has an output for every input of its schema and for what is computed, and no other",
    ({ kind, computed }) => {
      const resource = made.get(kind) ?? {};
      const names = Object.entries(resource).flatMap(([name, value]) =>
        pulumi.Output.isInstance(value) ? [name] : [],
      );
      const inputs = Object.keys(definitions[kind]?.schema.shape ?? {});
      expect(names.sort()).toEqual(
        [...inputs, ...computed, "id", "urn", "__provider", "__resourceName"].sort(),
      );
    },
  );

  test.each(resources)("$kind registers its permanent type and its permanent provider string", ({ kind }) => {
    const inputs = registered.get(`pulumi-nodejs:dynamic/apikeys:${kind}`)?.inputs;
    expect(inputs?.["__provider"]).toBe(
      `exports.handler=()=>require("pulumi-apikeys/dynamic").provider("${kind}");`,
    );
  });

  test("an ApiKey is named after the resource, and its existingKey is a secret", async () => {
    const inputs = registered.get("pulumi-nodejs:dynamic/apikeys:ApiKey")?.inputs;
    expect(inputs).toMatchObject({ name: "ci", workspaceId: "ws_1" });
    expect(inputs?.["existingKey"]).toMatchObject({
      [pulumi.runtime.specialSigKey]: pulumi.runtime.specialSecretSig,
      value: existingKey,
    });
    expect(await pulumi.isSecret((made.get("ApiKey") as ApiKey).existingKey)).toBe(true);
  });

  test("an existingKey of an ApiKeySet is a secret", () => {
    const keys = registered.get("pulumi-nodejs:dynamic/apikeys:ApiKeySet")?.inputs["keys"];
    // The mocks mark the whole of what holds a secret.
    expect(keys).toEqual({
      [pulumi.runtime.specialSigKey]: pulumi.runtime.specialSecretSig,
      value: { a: { customerId: "cus_1", existingKey }, b: { customerId: "cus_2" } },
    });
  });

  test("an ApiKeySet gives one secret, as a secret", async () => {
    const set = new ApiKeySet("held", { ...inWorkspace, keys: { a: { customerId: "cus_1" } } });
    const held = { a: "sk_a" };
    Object.defineProperty(set, "secrets", { value: pulumi.output(held), configurable: true });
    const key = set.key("a");
    expect(await new Promise((resolve) => key.apply(resolve))).toBe("sk_a");
    expect(await pulumi.isSecret(key)).toBe(true);
  });

  test("an ApiKeySet of mocks that give no outputs has no secrets, as an ApiKey has no key", async () => {
    const set = new ApiKeySet("mocked", { ...inWorkspace, keys: { a: { customerId: "cus_1" } } });
    expect(await new Promise((resolve) => set.key("a").apply(resolve))).toBeUndefined();
  });

  test("K8 the option import is refused, with the way on", () => {
    const args = { ...inWorkspace, customerId: "c" };
    expect(() => new ApiKey("taken", args, { import: "key_1" })).toThrow(/"taken".*pulumi import --file/);
  });
});
