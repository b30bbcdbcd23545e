/**
 * The package's schema: names and what they do from the provider's definitions, types and descriptions from the SDK,
 * whose types the compiler holds equal to those of the definitions.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { description as summary } from "../../package.json";
import type { AnyDefinition } from "../../provider/core/definition";
import { listedKinds } from "../../provider/listing";
import { definitions } from "../../provider/resources";
import { type Member, readSdk, type Sdk } from "./sdk";
import { type ObjectSpec, type PropertySpec, type Types, typesOf } from "./types";

/** The contents of package.json: `homepage` only in a release. */
interface Manifest {
  readonly version: string;
  readonly homepage?: string;
}

const functions = ["getWorkspaces", "getWorkspace", "getApiKeys", "getApiKey", "getScopes"];
/** Only an explicit Provider names the variable that holds its token. */
const notInConfig = "accessTokenEnv";
const ofAnyWorkspace = {
  type: "string",
  description: "Only those of this workspace. Default: those of all.",
};

export function packageSchema({ version, homepage }: Manifest): object {
  const sdk = readSdk();
  const types = typesOf(sdk);
  const resources = Object.values(definitions).map((definition) => resource(definition, sdk, types));
  const invokes = functions.map((name) => invoke(name, sdk, types));
  const { properties } = types.object(sdk.typeOf("ProviderArgs"), "ProviderArgs", ["accessToken"]);
  const { [notInConfig]: _, ...inConfig } = properties;
  const variables = Object.entries(inConfig).map(([name, spec]) => [name, ofConfig(spec)]);
  return {
    name: "apikeys",
    version,
    displayName: "API Keys",
    description,
    keywords: ["pulumi", "apikeys", "api-keys", "category/infrastructure", "kind/native"],
    license: "Apache-2.0",
    ...(homepage && released(homepage, version)),
    // Has the SDKs say the version, and Go have a module.
    meta: { supportPack: true },
    language,
    config: { variables: Object.fromEntries(variables) },
    provider: { description: sdk.comment("Provider"), type: "object", inputProperties: properties },
    types: types.named,
    resources: tokens(resources),
    functions: tokens(invokes),
  };
}

/** Where an SDK, also one that a user generates, finds the plugin and its pages. */
function released(homepage: string, version: string): object {
  const { origin, pathname } = new URL(homepage);
  const [, publisher, name] = pathname.split("/");
  const repository = `${origin}${pathname}`;
  return {
    publisher,
    homepage,
    repository,
    logoUrl: `${repository}/raw/v${version}/docs/logo.svg`,
    pluginDownloadURL: `github://api.github.com/${publisher}/${name}`,
  };
}

/** A setting in stack config, which default providers of every language read, by what a Provider's argument says of it. */
function ofConfig<Spec extends { readonly description?: string | undefined }>(spec: Spec): Spec {
  const description = spec.description
    ?.replace(` Can't be combined with \`${notInConfig}\`.`, "")
    .replace(elsewhere, (_, variable: string, last?: string) =>
      [`The environment variable ${variable} takes precedence.`, last && `Default: ${last}.`]
        .filter(Boolean)
        .join(" "),
    );
  return { ...spec, description };
}

const elsewhere =
  /Default: the environment variable (\w+), then, in Node\.js programs, stack config `[^`]+`(?:, then ([^.]+))?\.$/;

/** The page of the SDK on PyPI: what docs/languages.md says of Python. */
function pythonReadme(): string {
  const page = readFileSync(join(__dirname, "../../docs/languages.md"), "utf8");
  const [, python] = /For Python, install the SDK:\n\n(.*?)\n\nFor Go, /s.exec(page) ?? [];
  if (python === undefined)
    throw new Error("docs/languages.md does not say how to install the SDK for Python");
  return `# API Keys for Pulumi

${description}

${python}

Set the service's base URL and an access token:

\`\`\`sh
pulumi config set apikeys:baseUrl https://api.example.com
pulumi config set --secret apikeys:accessToken
\`\`\`
`;
}

const description = `${summary}.`;

const language = {
  nodejs: {
    packageName: "pulumi-apikeys",
    dependencies: { "@pulumi/pulumi": "^3.216.0" },
    respectSchemaVersion: true,
  },
  python: {
    packageName: "pulumi_apikeys",
    requires: { pulumi: ">=3.216.0,<4.0.0" },
    pyproject: { enabled: true },
    readme: pythonReadme(),
    respectSchemaVersion: true,
  },
  csharp: { namespaces: { apikeys: "ApiKeys" }, respectSchemaVersion: true },
  go: {
    importBasePath: "pulumi-apikeys/sdk/go/apikeys",
    generateResourceContainerTypes: false,
    respectSchemaVersion: true,
  },
};

type Named = readonly [name: string, spec: object];

function tokens(specs: readonly Named[]): Readonly<Record<string, object>> {
  return Object.fromEntries(specs.map(([name, spec]) => [`apikeys:index:${name}`, spec]));
}

function resource({ kind, fields, shape, importing }: AnyDefinition, sdk: Sdk, types: Types): Named {
  const declared = membersOf(sdk, `${kind}Args`);
  const made = membersOf(sdk, kind);
  const declarable = fields.filter(({ name }) => name in shape.inputs);
  const inputs = declarable.map(({ name, secret, onChange }): readonly [string, PropertySpec] => {
    const spec = types.property(declared(name), `${kind}Args`, secret);
    return [name, onChange === "replace" ? { ...spec, willReplaceOnChanges: true } : spec];
  });
  const properties = new Map<string, PropertySpec>();
  for (const [name, { willReplaceOnChanges: _, ...spec }] of inputs) {
    // A declared property has one type, in the program and in state.
    properties.set(name, { ...spec, description: made(name).comment || spec.description });
  }
  for (const [name, { secret }] of Object.entries(shape.outputs)) {
    properties.set(name, types.property(made(name), kind, secret));
  }
  // The arguments of `get` beside the id.
  const stateInputs = importing?.form.split("/").slice(0, -1) ?? [];
  return [
    kind,
    {
      description: sdk.comment(kind),
      type: "object",
      properties: Object.fromEntries(properties),
      // Also the secret that state lacks if the key was imported or adopted, so that programs need not unwrap any other.
      required: [...properties.keys()].filter((name) => !made(name).optional),
      inputProperties: Object.fromEntries(inputs),
      requiredInputs: declarable.map(({ name }) => name).filter((name) => !declared(name).optional),
      ...(stateInputs.length > 0 && {
        stateInputs: { type: "object", properties: only(stateInputs, properties) },
      }),
      ...(listedKinds.includes(kind) && {
        listInputs: { type: "object", properties: { workspaceId: ofAnyWorkspace } },
      }),
      aliases: [{ type: `pulumi-nodejs:dynamic/apikeys:${kind}` }],
    },
  ];
}

function only(names: readonly string[], properties: ReadonlyMap<string, PropertySpec>) {
  return Object.fromEntries([...properties].filter(([name]) => names.includes(name)));
}

function membersOf(sdk: Sdk, type: string): (name: string) => Member {
  const members = new Map(sdk.members(sdk.typeOf(type)).map((member) => [member.name, member]));
  return (name) => {
    const member = members.get(name);
    if (member === undefined) throw new Error(`${type} in sdk/ has no ${name}, which the provider has`);
    return member;
  };
}

function invoke(name: string, sdk: Sdk, types: Types): Named {
  const { args, result } = sdk.signature(name);
  const outputs: ObjectSpec = types.object(result, name);
  return [
    name,
    {
      description: sdk.comment(name),
      ...(args && { inputs: types.object(args, name) }),
      outputs,
    },
  ];
}
