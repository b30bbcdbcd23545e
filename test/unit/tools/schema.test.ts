import { describe, expect, it } from "vitest";
import * as manifest from "../../../package.json";
import committed from "../../../provider/hosts/plugin/schema.json";
import { addressOf } from "../../../tools/release";
import { packageSchema } from "../../../tools/schema/schema";

/** All values under this name, at any depth. */
function all(name: string, value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name ? [inner] : []),
    ...all(name, inner),
  ]);
}

describe("the schema", () => {
  it("is what `npm run schema` writes", () => {
    expect(committed).toEqual(packageSchema(manifest));
  });

  it("says in a release where the plugin is, and who publishes it", () => {
    expect(packageSchema({ ...manifest, ...addressOf("https://github.com/acme/pulumi-apikeys") })).toEqual({
      ...committed,
      publisher: "acme",
      homepage: "https://github.com/acme/pulumi-apikeys#readme",
      repository: "https://github.com/acme/pulumi-apikeys",
      pluginDownloadURL: "github://api.github.com/acme/pulumi-apikeys",
    });
  });

  it("has no integer that may exceed 32 bits, which it has in C# and Java", () => {
    const integers = JSON.stringify(committed).match(/"\w+":\{"type":"integer"/g) ?? [];
    expect(new Set(integers.map((one) => one.split('"')[1]))).toEqual(new Set(["defaultRateLimitPerSecond"]));
  });

  it("refers only to its own types", () => {
    const own = Object.keys(committed.types).map((token) => `#/types/${token}`);
    expect(new Set(all("$ref", committed))).toEqual(new Set(["pulumi.json#/Any", ...own]));
  });

  it("marks every secret and nothing else", () => {
    const { resources, types, provider } = committed;
    expect(resources["apikeys:index:ApiKey"].properties.key).toMatchObject({ secret: true });
    expect(resources["apikeys:index:ApiKey"].inputProperties.existingKey).toMatchObject({ secret: true });
    expect(resources["apikeys:index:RotatingApiKey"].properties.previousKey).toMatchObject({ secret: true });
    expect(resources["apikeys:index:ApiKeySet"].properties.secrets).toMatchObject({ secret: true });
    expect(types["apikeys:index:ApiKeySetEntry"].properties.existingKey).toMatchObject({ secret: true });
    expect(provider.inputProperties.accessToken).toMatchObject({ secret: true });
    // The others are the same values elsewhere, such as existingKey in state and the token in config.
    expect(all("secret", committed)).toHaveLength(11);
  });

  it("gives each resource an alias of its dynamic type, so that existing stacks find it", () => {
    expect(all("aliases", committed).flat()).toEqual(
      Object.keys(committed.resources).map((token) => ({
        type: token.replace("apikeys:index:", "pulumi-nodejs:dynamic/apikeys:"),
      })),
    );
  });

  it("says which environment variable takes precedence over a setting, in words that fit every language", () => {
    const variables = Object.values(committed.config.variables);
    expect(variables).toHaveLength(3);
    for (const { description } of variables) {
      expect(description).toMatch(/The environment variable APIKEYS_\w+ takes precedence\./);
      expect(description).not.toMatch(/Node\.js|stack config|accessTokenEnv/);
    }
    expect(committed.config.variables.allowHttp.description).toMatch(/ takes precedence\. Default: false\.$/);
  });

  it("gives no setting a default from the environment, because generated SDKs would write it into state", () => {
    expect(all("defaultInfo", committed)).toEqual([]);
  });
});
