import { expect, test } from "vitest";
import * as manifest from "../../../package.json";
import committed from "../../../provider/hosts/plugin/schema.json";
import { addressOf } from "../../../tools/release";
import { packageSchema } from "../../../tools/schema/schema";

const address = "https://github.com/acme/pulumi-apikeys";
const released = { ...manifest, ...addressOf(address) };

/** All values under this name, at any depth. */
function all(name: string, value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name ? [inner] : []),
    ...all(name, inner),
  ]);
}

test("the committed schema is what `npm run schema` writes", () => {
  expect(committed).toEqual(packageSchema(manifest));
});

test("the schema says in a release where the plugin is, and who publishes it", () => {
  expect(packageSchema(released)).toEqual({
    ...committed,
    publisher: "acme",
    homepage: `${address}#readme`,
    repository: address,
    logoUrl: `${address}/raw/v${manifest.version}/docs/logo.svg`,
    pluginDownloadURL: "github://api.github.com/acme/pulumi-apikeys",
  });
});

test("the schema has no integer that may exceed 32 bits, which it has in C# and Java", () => {
  const integers = JSON.stringify(committed).match(/"\w+":\{"type":"integer"/g) ?? [];
  expect(new Set(integers.map((one) => one.split('"')[1]))).toEqual(new Set(["defaultRateLimitPerSecond"]));
});

test("the schema refers only to its own types, and gives each resource an alias of its dynamic type", () => {
  const own = Object.keys(committed.types).map((token) => `#/types/${token}`);
  expect(new Set(all("$ref", committed))).toEqual(new Set(["pulumi.json#/Any", ...own]));
  expect(all("aliases", committed).flat()).toEqual(
    Object.keys(committed.resources).map((token) => ({
      type: token.replace("apikeys:index:", "pulumi-nodejs:dynamic/apikeys:"),
    })),
  );
});

test("R16 the schema marks every secret and nothing else", () => {
  const { resources, types, provider } = committed;
  for (const property of [
    resources["apikeys:index:ApiKey"].properties.key,
    resources["apikeys:index:ApiKey"].inputProperties.existingKey,
    resources["apikeys:index:RotatingApiKey"].properties.previousKey,
    resources["apikeys:index:ApiKeySet"].properties.secrets,
    types["apikeys:index:ApiKeySetEntry"].properties.existingKey,
    provider.inputProperties.accessToken,
  ])
    expect(property).toMatchObject({ secret: true });
  // The others are the same values elsewhere, such as existingKey in state and the token in config.
  expect(all("secret", committed)).toHaveLength(11);
});

test("R14 the schema gives no setting a default from the environment, because SDKs would write it into state", () => {
  expect(all("defaultInfo", committed)).toEqual([]);
  for (const { description } of Object.values(committed.config.variables)) {
    expect(description).toMatch(/The environment variable APIKEYS_\w+ takes precedence\./);
    expect(description).not.toMatch(/Node\.js|stack config|accessTokenEnv/);
  }
});
