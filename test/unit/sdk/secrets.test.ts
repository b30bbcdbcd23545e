import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "vitest";
import { ApiKey, ApiKeySet, Provider } from "../../../sdk";
import { secretPaths } from "../../../sdk/resource";

const { secret, output } = pulumi;

/** The paths in these inputs, as text. */
async function pathsIn(inputs: object, named: readonly string[] = []) {
  const paths = await secretPaths(inputs, named, "");
  return paths?.map((path) => path.join("."));
}

test("R16 inputs without a secret Output have no secret paths", async () => {
  const plain = { name: "ci", scopes: [{ representation: "a", read: true }], n: null };
  expect(await pathsIn(plain)).toBeUndefined();
  const inputs = { name: output("ci"), scopes: [output({ read: true })], enabled: Promise.resolve(true) };
  expect(await pathsIn(inputs)).toBeUndefined();
});

const b = { name: secret("b"), customerId: "c" };
const a = { customerId: secret("c"), name: secret("a"), metadata: { token: secret("t") } };
const ofSet = ["keys.b.name", "keys.a.customerId", "keys.a.name", "keys.a.metadata.token"];
test.each<[string, object, string[]]>([
  [
    "lead through maps to each secret, and end at lists and at Outputs",
    {
      name: secret("ci"),
      prefix: output("a").apply((text) => secret(text)),
      customerId: Promise.resolve(secret("c")),
      expiresAt: secret(Promise.resolve(1)),
      scopes: [{ representation: "a" }, { representation: secret("b") }],
      metadata: { team: "red", deep: { token: secret("t"), other: output("o") } },
      keepers: output({ date: secret("d") }),
      enabled: true,
    },
    ["name", "prefix", "customerId", "expiresAt", "scopes", "metadata.deep.token", "keepers"],
  ],
  ["lead to the fields of a set's keys", { keys: { b, a } }, ofSet],
  ["end at a secret entry of a set", { keys: { a: secret(a) } }, ["keys.a"]],
  ["end at secret keys of a set", { keys: secret({ a, b }) }, ["keys"]],
])("R16 the paths of secret inputs %s", async (_how, inputs, expected) => {
  expect(await pathsIn(inputs)).toEqual(expected);
});

test("R16 the paths of secret inputs leave out inputs that fail, which Pulumi reports", async () => {
  // A fake, because a real Output would report its failure as unhandled.
  const failed = Promise.reject(new Error("no such value"));
  const failing = { __pulumiOutput: true, isSecret: failed, promise: () => failed };
  expect(await pathsIn({ name: failing, prefix: secret("a") })).toEqual(["prefix"]);
});

test("R16 the paths of secret inputs include additionalSecretOutputs, but not what is secret in resources", async () => {
  expect(await pathsIn({ name: "ci" }, ["name"])).toEqual(["name"]);
  const resource = Object.create(pulumi.Resource.prototype, {
    __pulumiResource: { value: true },
    key: { value: secret("sk"), enumerable: true },
  });
  expect(await pathsIn({ metadata: { resource } })).toBeUndefined();
});

describe("a resource's class", () => {
  const registered: Record<string, unknown>[] = [];
  beforeEach(async () => {
    registered.length = 0;
    await pulumi.runtime.setMocks({
      newResource: ({ inputs, name }) => {
        registered.push(inputs);
        return { id: `${name}_id`, state: inputs };
      },
      call: () => ({}),
    });
  });
  const registration = async ({ id }: pulumi.CustomResource) => {
    await (id as unknown as { promise(): Promise<string> }).promise();
    return registered.at(-1) ?? {};
  };
  const base = { workspaceId: "ws_1", customerId: "c" };

  test("R16 a resource's class tells the provider which inputs are secret", async () => {
    const key = new ApiKey("ci", { ...base, name: secret("ci") });
    expect(await registration(key)).toMatchObject({ __secrets: [["name"]] });
    const optional = new ApiKey("ci", base, { additionalSecretOutputs: ["name"] });
    expect(await registration(optional)).toMatchObject({ __secrets: [["name"]] });
    const set = new ApiKeySet("all", { workspaceId: "ws_1", keys: { a: { customerId: secret("c") } } });
    expect(await registration(set)).toMatchObject({ __secrets: [["keys", "a", "customerId"]] });
    const read = ApiKey.get("theirs", "id", { workspaceId: secret("ws_1") });
    await (read.urn as unknown as { promise(): Promise<string> }).promise();
  });

  test("R14 a Provider's class passes its arguments on as strings, without those that are empty, or turn out undefined or null", async () => {
    const accessTokenEnv = output<string | undefined>(undefined);
    const args = { baseUrl: output(null as never), allowHttp: output(true), accessToken: "", accessTokenEnv };
    expect(await registration(new Provider("other", args))).toEqual({ "apikeys.provider:allowHttp": "true" });
  });

  test("R16 a resource's class adds no __secrets without secret inputs", async () => {
    const key = new ApiKey("ci", { ...base, name: output("ci") });
    expect(Object.keys(await registration(key))).not.toContain("__secrets");
  });
});
