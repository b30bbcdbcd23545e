import * as pulumi from "@pulumi/pulumi";
import type { FoundKeyScope } from "./keyProperties";
import { argumentsOf, type Provider, type ProviderArgs } from "./provider";
import { chosenHost } from "./resource";
import { prefixes } from "./types";

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

/** A key, as a function returns it: never with its secret. A field that the service leaves out is absent. */
export interface FoundApiKey {
  /** The key's id. */
  readonly id: string;
  /** The key's name. */
  readonly name: string | undefined;
  /** The masked form of the secret. */
  readonly maskedKey: string | undefined;
  /** The start of the secret. */
  readonly prefix: string | undefined;
  /** When the key expires, in the service's own unit. */
  readonly expiresAt: number | undefined;
  /** The key's permissions. */
  readonly scopes: readonly FoundKeyScope[] | undefined;
  /** Whether the key works. */
  readonly enabled: boolean | undefined;
  /** The id of the customer that the key is for. */
  readonly customerId: string | undefined;
  /** Whether the key was deleted, but the service still lists it. */
  readonly deleted: boolean;
  /** When the key was created, in the service's own format. */
  readonly createdAt: string | undefined;
  /** When the key was last changed, in the service's own format. */
  readonly updatedAt: string | undefined;
  /** When the key was last used, in the service's own format; an object or a list as JSON. */
  readonly lastUsedAt: string | undefined;
  /** The id of the billing record that the service links to the key. */
  readonly billingId: string | undefined;
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

/** Returns the workspaces that the access token can see, at each preview and update. */
export function getWorkspaces(opts: FunctionOptions = {}): Promise<GetWorkspacesResult> {
  return invoke("getWorkspaces", {}, opts);
}

/** The Output form of {@link getWorkspaces}. While an argument is unknown in a preview, the result is unknown too. */
export function getWorkspacesOutput(opts: FunctionOutputOptions = {}): pulumi.Output<GetWorkspacesResult> {
  return invokeOutput("getWorkspaces", {}, opts);
}

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
export function getWorkspace(args: GetWorkspaceArgs, opts: FunctionOptions = {}): Promise<FoundWorkspace> {
  return invoke("getWorkspace", args, opts);
}

/** The Output form of {@link getWorkspace}. While an argument is unknown in a preview, the result is unknown too. */
export function getWorkspaceOutput(
  args: FunctionInputs<GetWorkspaceArgs>,
  opts: FunctionOutputOptions = {},
): pulumi.Output<FoundWorkspace> {
  return invokeOutput("getWorkspace", args, opts);
}

/**
 * Returns the keys of a workspace, without their secrets, at each preview and update. A field that the service's list
 * leaves out, such as `scopes`, or that can't be read, is absent. A filter takes one more request for each key that lacks
 * its field: `enabled` always, `name` and `customerId` only if no key in the list has the field. Otherwise such a key does
 * not match.
 *
 * @example
 * ```ts
 * import { getApiKeys } from "pulumi-apikeys";
 *
 * const disabled = getApiKeys({ workspaceId: "ws_main", enabled: false });
 * export const disabledIds = disabled.then(({ apiKeys }) => apiKeys.map(({ id }) => id));
 * ```
 */
export function getApiKeys(args: GetApiKeysArgs, opts: FunctionOptions = {}): Promise<GetApiKeysResult> {
  return invoke("getApiKeys", args, opts);
}

/** The Output form of {@link getApiKeys}. While an argument is unknown in a preview, the result is unknown too. */
export function getApiKeysOutput(
  args: FunctionInputs<GetApiKeysArgs>,
  opts: FunctionOutputOptions = {},
): pulumi.Output<GetApiKeysResult> {
  return invokeOutput("getApiKeys", args, opts);
}

/**
 * Returns one key, by its id or its name, without its secret, at each preview and update. Fails if the key does not
 * exist or was deleted.
 */
export function getApiKey(args: GetApiKeyArgs, opts: FunctionOptions = {}): Promise<FoundApiKey> {
  return invoke("getApiKey", args, opts);
}

/** The Output form of {@link getApiKey}. While an argument is unknown in a preview, the result is unknown too. */
export function getApiKeyOutput(
  args: FunctionInputs<GetApiKeyArgs>,
  opts: FunctionOutputOptions = {},
): pulumi.Output<FoundApiKey> {
  return invokeOutput("getApiKey", args, opts);
}

/** Returns the scopes that a workspace defines, at each preview and update. */
export function getScopes(args: GetScopesArgs, opts: FunctionOptions = {}): Promise<GetScopesResult> {
  return invoke("getScopes", args, opts);
}

/** The Output form of {@link getScopes}. While an argument is unknown in a preview, the result is unknown too. */
export function getScopesOutput(
  args: FunctionInputs<GetScopesArgs>,
  opts: FunctionOutputOptions = {},
): pulumi.Output<GetScopesResult> {
  return invokeOutput("getScopes", args, opts);
}

type Client = typeof import("../provider/functions.js");
type Name = "getWorkspaces" | "getWorkspace" | "getApiKeys" | "getApiKey" | "getScopes";
type Source = ReturnType<Client["sourceOf"]>;
type ArgsOf<N extends Name> = Client[N] extends (source: Source, args: infer Args) => unknown ? Args : never;
type ResultOf<N extends Name> = Awaited<ReturnType<Client[N]>>;

async function invoke<N extends Name>(name: N, args: ArgsOf<N>, opts: FunctionOptions): Promise<ResultOf<N>> {
  const given = providerArguments(name, opts);
  const output = Object.entries(given).find(
    ([, value]) => pulumi.Output.isInstance(value) || value instanceof Promise,
  );
  if (output !== undefined) {
    throw new pulumi.RunError(
      `${name}: the Provider's ${output[0]} is an Output, whose value may not be known yet: use ${name}Output, which waits for it.`,
    );
  }
  return callProvider(name, given, args);
}

function invokeOutput<N extends Name>(
  name: N,
  args: FunctionInputs<ArgsOf<N>>,
  { dependsOn = [], ...opts }: FunctionOutputOptions,
): pulumi.Output<ResultOf<N>> {
  // The result is not a secret, although the token that it was read with is.
  const credentials = pulumi.unsecret(pulumi.output(providerArguments(name, opts)));
  const exist = pulumi.output(dependsOn).apply((all) => pulumi.all([all].flat().map(({ id }) => id)));
  return pulumi
    .all([credentials, pulumi.output(args), exist])
    .apply(([given, plain]) => callProvider(name, given, plain as ArgsOf<N>)) as pulumi.Output<ResultOf<N>>;
}

/** The arguments of the Provider that Pulumi would give a resource with these options. */
function providerArguments(name: Name, { provider, parent }: FunctionOptions): ProviderArgs {
  const chosen = provider ?? parent?.getProvider(prefixes[chosenHost()] + name);
  return chosen === undefined ? {} : argumentsOf(chosen, name);
}

/** Loads the provider's code, which only a program that calls functions needs. A failure shows one line, not a stack trace. */
async function callProvider<N extends Name>(name: N, given: object, args: ArgsOf<N>): Promise<ResultOf<N>> {
  try {
    // By require, because CommonJS can't import in Jest.
    const client: Client = require("../provider/functions.js");
    const call: (source: Source, args: never) => Promise<object> = client[name];
    return (await call(client.sourceOf(credentialsOf(given)), args as never)) as ResultOf<N>;
  } catch (error) {
    throw new pulumi.RunError(error instanceof Error ? error.message : "The function failed.");
  }
}

/** In the form in which the engine configures the provider: the arguments in their own namespace, and stack config. */
function credentialsOf(given: object): Readonly<Record<string, unknown>> {
  const config = new pulumi.Config("apikeys");
  const under = (namespace: string, values: object) =>
    Object.entries(values).map(([name, value]) => [`${namespace}:${name}`, value] as const);
  const names = ["baseUrl", "accessToken", "allowHttp"];
  return Object.fromEntries([
    ...under("apikeys.provider", given),
    ...under("apikeys", Object.fromEntries(names.map((name) => [name, config.get(name)]))),
  ]);
}
