import * as pulumi from "@pulumi/pulumi";
import type { FoundApiKey } from "./keyProperties";
import { argumentsOf, type Provider, type ProviderArgs } from "./provider";
import { fail, hosts, isPending } from "./resource";
import { loadWhereCaptured, prefixes } from "./types";

/** The options of a function. See docs/functions.md. */
export interface FunctionOptions {
  /**
   * The {@link Provider} whose credentials the function uses. Default: that of `parent`; without one, credentials from
   * the environment, then from stack config, as for resources.
   */
  readonly provider?: Provider | undefined;
  /** The resource whose Provider the function uses, such as the component that calls it. Default: none. */
  readonly parent?: pulumi.Resource | undefined;
}

/** The options of the Output form of a function. */
export interface FunctionOutputOptions extends FunctionOptions {
  /** Resources to wait for. If one is not created yet, in a preview, the result is unknown. Default: none. */
  readonly dependsOn?:
    | pulumi.Input<pulumi.CustomResource | readonly pulumi.Input<pulumi.CustomResource>[]>
    | undefined;
}

/** A workspace, as a function returns it. A field that the service leaves out is absent. */
export interface FoundWorkspace {
  /** The workspace's id. */
  readonly id: string;
  /** The workspace's name. */
  readonly name: string | undefined;
  /** The id of the team that the workspace belongs to. */
  readonly teamId: string | undefined;
  /** The prefix of new keys that set none. */
  readonly defaultKeyPrefix: string | undefined;
  /** The IP addresses and CIDR blocks that keys may be used from. */
  readonly defaultAllowedIPs: readonly string[] | undefined;
  /** How many requests per second a key may send. */
  readonly defaultRateLimitPerSecond: number | undefined;
  /** The expiration of new keys, in the service's own unit. */
  readonly defaultExpiration: number | undefined;
  /** When the workspace was created, in the service's own format. */
  readonly createdAt: string | undefined;
  /** When the workspace was last changed, in the service's own format. */
  readonly updatedAt: string | undefined;
}

/** A scope that a workspace defines, as a function returns it. A field that the service leaves out is absent. */
export interface FoundScope {
  /** The scope's id. */
  readonly id: string;
  /** The scope's name. */
  readonly name: string | undefined;
  /** The string by which keys refer to the scope. */
  readonly representation: string;
  /** The scope's description. */
  readonly description: string | undefined;
  /** When the scope was created, in the service's own format. */
  readonly createdAt: string | undefined;
  /** When the scope was last changed, in the service's own format. */
  readonly updatedAt: string | undefined;
}

/** The workspace that {@link getWorkspace} returns: set either `id` or `name`. */
export interface GetWorkspaceArgs {
  /** The workspace's id. */
  readonly id?: string | undefined;
  /** The workspace's exact name. If several workspaces have it, the function fails and lists their ids. */
  readonly name?: string | undefined;
}

/** The keys that {@link getApiKeys} returns. Each filter that you set narrows the list. */
export interface GetApiKeysArgs {
  /** The id of the workspace that the keys belong to. */
  readonly workspaceId: string;
  /** Only keys of exactly this name. Default: keys of any name. */
  readonly name?: string | undefined;
  /** Only keys of this customer. Default: keys of all customers. */
  readonly customerId?: string | undefined;
  /** Only enabled keys (true), or only disabled keys (false). Default: both. */
  readonly enabled?: boolean | undefined;
  /** Whether to return deleted keys too, if the service lists them. Default: false. */
  readonly includeDeleted?: boolean | undefined;
}

/** The key that {@link getApiKey} returns: set either `id` or `name`. */
export interface GetApiKeyArgs {
  /** The id of the workspace that the key belongs to. */
  readonly workspaceId: string;
  /** The key's id. */
  readonly id?: string | undefined;
  /** The key's exact name. If several keys of the workspace have it, the function fails and lists their ids. */
  readonly name?: string | undefined;
}

/** The workspace whose scopes {@link getScopes} returns. */
export interface GetScopesArgs {
  /** The id of the workspace. */
  readonly workspaceId: string;
}

/** The result of {@link getWorkspaces}. */
export interface GetWorkspacesResult {
  /** All workspaces that the access token can see. */
  readonly workspaces: FoundWorkspace[];
}

/** The result of {@link getApiKeys}. */
export interface GetApiKeysResult {
  /** The keys that match, without their secrets. */
  readonly apiKeys: FoundApiKey[];
}

/** The result of {@link getScopes}. */
export interface GetScopesResult {
  /** All scopes of the workspace. */
  readonly scopes: FoundScope[];
}

/** The arguments of the Output form of a function: any of them may be an Output. */
export type FunctionInputs<Args> = { readonly [Name in keyof Args]: pulumi.Input<Args[Name]> };

const workspaces = forms<object, GetWorkspacesResult>("getWorkspaces");
const workspace = forms<GetWorkspaceArgs, FoundWorkspace>("getWorkspace");
const apiKeys = forms<GetApiKeysArgs, GetApiKeysResult>("getApiKeys");
const apiKey = forms<GetApiKeyArgs, FoundApiKey>("getApiKey");
const scopes = forms<GetScopesArgs, GetScopesResult>("getScopes");

/** Returns the workspaces that the access token can see, at each preview and update. */
export const getWorkspaces = (opts?: FunctionOptions) => workspaces.plain({}, opts);

/** The Output form of {@link getWorkspaces}. */
export const getWorkspacesOutput = (opts?: FunctionOutputOptions) => workspaces.output({}, opts);

/**
 * Returns one workspace, by its id or its name, at each preview and update. Fails if it does not exist.
 *
 * @example
 * ```ts
 * import { ApiKey, getWorkspaceOutput } from "pulumi-apikeys";
 *
 * const workspace = getWorkspaceOutput({ name: "Main" });
 * new ApiKey("ci", { workspaceId: workspace.id, customerId: "cus_1" });
 * ```
 */
export const getWorkspace = workspace.plain;

/** The Output form of {@link getWorkspace}. While an argument is unknown in a preview, the result is unknown too. */
export const getWorkspaceOutput = workspace.output;

/**
 * Returns the keys of a workspace, without their secrets, at each preview and update. A field that the service's list
 * leaves out, such as `scopes`, or that can't be read, is absent. A filter takes one more request for each key that lacks
 * its field.
 *
 * @example
 * ```ts
 * import { getApiKeys } from "pulumi-apikeys";
 *
 * const disabled = getApiKeys({ workspaceId: "ws_main", enabled: false });
 * export const disabledIds = disabled.then(({ apiKeys }) => apiKeys.map(({ id }) => id));
 * ```
 */
export const getApiKeys = apiKeys.plain;

/** The Output form of {@link getApiKeys}. While an argument is unknown in a preview, the result is unknown too. */
export const getApiKeysOutput = apiKeys.output;

/** Returns one key, by id or name, without its secret, at each preview and update. Fails if it is absent or was deleted. */
export const getApiKey = apiKey.plain;

/** The Output form of {@link getApiKey}. While an argument is unknown in a preview, the result is unknown too. */
export const getApiKeyOutput = apiKey.output;

/** Returns the scopes that a workspace defines, at each preview and update. */
export const getScopes = scopes.plain;

/** The Output form of {@link getScopes}. While an argument is unknown in a preview, the result is unknown too. */
export const getScopesOutput = scopes.output;

loadWhereCaptured("pulumi-apikeys", {
  ...{ getWorkspaces, getWorkspace, getApiKeys, getApiKey, getScopes },
  ...{ getWorkspacesOutput, getWorkspaceOutput, getApiKeysOutput, getApiKeyOutput, getScopesOutput },
});

type Client = typeof import("../provider/functions.js");

/** A function of the provider in both forms. */
function forms<Args extends object, Result>(name: Exclude<keyof Client, "sourceOf">) {
  async function plain(args: Args, opts: FunctionOptions = {}): Promise<Result> {
    const given = providerArguments(opts);
    const [pending] = Object.entries(given).find(([, value]) => isPending(value)) ?? [];
    if (pending === undefined) return call(given, args);
    const what = `${name}: the Provider's ${pending} is an Output, whose value may not be known yet. Use ${name}Output, which waits for it.`;
    fail("APIKEYS1001", what);
  }
  function output(
    args: FunctionInputs<Args>,
    { dependsOn = [], ...opts }: FunctionOutputOptions = {},
  ): pulumi.Output<Result> {
    // The result is not a secret, although the token that it was read with is.
    const credentials = pulumi.unsecret(pulumi.output(providerArguments(opts)));
    const exist = pulumi.output(dependsOn).apply((all) => pulumi.all([all].flat().map(({ id }) => id)));
    const known = pulumi.all([credentials, pulumi.output(args), exist]);
    return known.apply(([given, plain]) => call(given, plain)) as pulumi.Output<Result>;
  }
  /** The arguments of the Provider that Pulumi would give a resource with these options. */
  function providerArguments({ provider, parent }: FunctionOptions): ProviderArgs {
    const chosen = provider ?? parent?.getProvider(prefixes[hosts()[0]] + name);
    return chosen === undefined ? {} : argumentsOf(chosen, name);
  }
  /** Loads the provider's code, which only a program that calls functions needs. A failure shows one line, not a stack trace. */
  async function call(given: ProviderArgs, args: object): Promise<Result> {
    const config = new pulumi.Config("apikeys");
    const get = (key: string): unknown => {
      const [namespace, setting] = key.split(":") as [string, keyof ProviderArgs];
      return namespace === "apikeys" ? config.get(setting) : given[setting];
    };
    try {
      // By require, because CommonJS can't import in Jest.
      const client: Client = require("../provider/functions.js");
      return (await client[name](client.sourceOf(get), args as never)) as Result;
    } catch (error) {
      throw new pulumi.RunError(error instanceof Error ? error.message : "The function failed.");
    }
  }
  return { plain, output };
}
