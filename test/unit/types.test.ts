import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import type { KeyScope as AnsweredScope } from "../../provider/client/responses";
import { definitions } from "../../provider/resources";
import { type ApiKeyInputs, apiKey } from "../../provider/resources/apiKey";
import { outputs } from "../../provider/resources/keyState";
import { ApiKey, type ApiKeyArgs, type KeyScope, type KeyScopeArgs } from "../../sdk";

/** As both sides spell it: null stands for absent on the wire only, and readonly makes no difference. */
type Plain<T> = T extends readonly (infer Entry)[]
  ? Plain<Entry>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Plain<Exclude<T[Name], null>> }
    : T;
type Full<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> };
type Names<T> = keyof T;
type OptionalNames<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never }[keyof T];

type Declared = Plain<pulumi.Unwrap<ApiKeyArgs>>;
type Received = Plain<ApiKeyInputs>;
type ReceivedScope = NonNullable<Received["scopes"]>[number];

describe("what the SDK takes and what the provider takes", () => {
  // tsc checks these; it runs with the linters.
  test("agree in names, in what is optional, and in types; only the name has a default of the SDK", () => {
    expectTypeOf<Names<Declared>>().toEqualTypeOf<Names<Received>>();
    expectTypeOf<OptionalNames<Declared>>().toEqualTypeOf<OptionalNames<Received> | "name">();
    expectTypeOf<Omit<Full<Declared>, "metadata">>().toEqualTypeOf<Omit<Full<Received>, "metadata">>();
    // Unwrap makes `never` of the unknown values inside.
    expectTypeOf<ApiKeyArgs["metadata"]>().toEqualTypeOf<
      pulumi.Input<NonNullable<ApiKeyInputs["metadata"]> | undefined> | undefined
    >();
  });

  test("agree in a scope", () => {
    expectTypeOf<Plain<pulumi.Unwrap<KeyScopeArgs>>>().toEqualTypeOf<ReceivedScope>();
    expectTypeOf<Required<Plain<KeyScope>>>().toEqualTypeOf<Plain<Required<Omit<AnsweredScope, "id">>>>();
  });
});

describe("an ApiKey in a program", () => {
  const registered: pulumi.runtime.MockResourceArgs[] = [];
  let key: ApiKey;

  beforeAll(async () => {
    await pulumi.runtime.setMocks({
      newResource: (args) => {
        registered.push(args);
        return { id: "key_1", state: args.inputs };
      },
      call: () => ({}),
    });
    key = new ApiKey("ci", { workspaceId: "ws_1", customerId: "cus_1", existingKey: "sk_old" });
    await settled(key.urn);
  });

  test("has an output for every input of the provider's schema and for every output of its state, and no other", () => {
    const names = Object.keys(key).filter((name) => pulumi.Output.isInstance(key[name as keyof ApiKey]));
    const computed = Object.keys(outputs({} as Parameters<typeof outputs>[0]));
    const known = [...Object.keys(apiKey.schema.shape), ...computed, "key", "id", "urn", "__provider"];
    expect(names.sort()).toEqual(known.sort());
  });

  test("registers the permanent type and the permanent provider string", () => {
    expect(registered[0]?.type).toBe("pulumi-nodejs:dynamic/apikeys:ApiKey");
    expect(registered[0]?.inputs["__provider"]).toBe(
      'exports.handler=()=>require("pulumi-apikeys/dynamic").provider("ApiKey");',
    );
    expect(Object.keys(definitions)).toContain("ApiKey");
  });

  test("is named after the resource, and existingKey is a secret", async () => {
    expect(registered[0]?.inputs).toMatchObject({ name: "ci", workspaceId: "ws_1" });
    expect(registered[0]?.inputs["existingKey"]).toMatchObject({
      [pulumi.runtime.specialSigKey]: pulumi.runtime.specialSecretSig,
      value: "sk_old",
    });
    expect(await pulumi.isSecret(key.existingKey)).toBe(true);
  });

  test("K8 refuses the option import, and names the way on", () => {
    expect(() => new ApiKey("taken", { workspaceId: "ws_1", customerId: "c" }, { import: "key_1" })).toThrow(
      /"taken".*pulumi import --file/,
    );
  });
});

function settled<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}
