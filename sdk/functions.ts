import * as pulumi from "@pulumi/pulumi";
import { argumentsOf, type Provider, type ProviderArgs } from "./provider";

/** The credentials that a function uses. */
export interface FunctionOptions {
  /** Default: the environment, then stack config, as for resources. */
  readonly provider?: Provider | undefined;
}

/** A workspace (interface, section 2). What the service leaves out is `undefined`. */
export interface Workspace {
  /** The workspace's id. */
  readonly id: string;
  /** The workspace's name. */
  readonly name: string | undefined;
  /** The id of the team that the workspace belongs to. */
  readonly teamId: string | undefined;
  /** The prefix of new keys that have none of their own. */
  readonly defaultKeyPrefix: string | undefined;
  /** IP addresses and CIDR blocks that keys may be used from. */
  readonly defaultAllowedIPs: readonly string[] | undefined;
  /** Requests per second for a key. */
  readonly defaultRateLimitPerSecond: number | undefined;
  /** The expiration of new keys, in the service's own unit. */
  readonly defaultExpiration: number | undefined;
  /** When the workspace was created, in the service's own format. */
  readonly createdAt: string | undefined;
  /** When the workspace was last changed, in the service's own format. */
  readonly updatedAt: string | undefined;
}

/** A key as a function returns it (interface, section 2), never with its secret. */
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
  /** What the key may do. */
  readonly scopes: readonly FoundKeyScope[] | undefined;
  /** Whether the key works. */
  readonly enabled: boolean | undefined;
  /** The id of the customer that the key is for. */
  readonly customerId: string | undefined;
  /** Whether the key was deleted, and the service still lists it. */
  readonly deleted: boolean;
  /** When the key was created, in the service's own format. */
  readonly createdAt: string | undefined;
  /** When the key was last changed, in the service's own format. */
  readonly updatedAt: string | undefined;
  /** When the key was last used, in the service's own format. */
  readonly lastUsedAt: string | undefined;
  /** The id of the billing record that the service links to the key. */
  readonly billingId: string | undefined;
}

/** A scope of a key as a function returns it (interface, section 2). */
export interface FoundKeyScope {
  /** The representation of the scope. */
  readonly representation: string;
  /** Whether the key may create. */
  readonly create: boolean;
  /** Whether the key may read. */
  readonly read: boolean;
  /** Whether the key may update. */
  readonly update: boolean;
  /** Whether the key may delete. */
  readonly del: boolean;
}

/** A scope that a workspace defines (interface, section 2). */
export interface FoundScope {
  /** The scope's id. */
  readonly id: string;
  /** The scope's name. */
  readonly name: string | undefined;
  /** The string by which keys refer to the scope. */
  readonly representation: string;
  /** What the scope is for. */
  readonly description: string | undefined;
  /** When the scope was created, in the service's own format. */
  readonly createdAt: string | undefined;
  /** When the scope was last changed, in the service's own format. */
  readonly updatedAt: string | undefined;
}

/** Either the id or the name of the object to read. */
export interface ByIdOrName {
  /** The id of the object to read. */
  readonly id?: string | undefined;
  /** Must match exactly. If no object or several objects have this name, the function fails and lists what exists. */
  readonly name?: string | undefined;
}

/** Which keys {@link getApiKeys} returns. Each filter that is set narrows the list. */
export interface GetApiKeysArgs {
  /** The id of the workspace that the keys belong to. */
  readonly workspaceId: string;
  /** Only keys of exactly this name. */
  readonly name?: string | undefined;
  /** Only keys of this customer. */
  readonly customerId?: string | undefined;
  /** Only keys that are enabled (true), or that are not (false). */
  readonly enabled?: boolean | undefined;
  /** Whether to return deleted keys too, if the service lists them. Default: false. */
  readonly includeDeleted?: boolean | undefined;
}

/** Which key {@link getApiKey} returns. */
export interface GetApiKeyArgs extends ByIdOrName {
  /** The id of the workspace that the key belongs to. */
  readonly workspaceId: string;
}

/** The workspace whose scopes {@link getScopes} returns. */
export interface GetScopesArgs {
  /** The id of the workspace. */
  readonly workspaceId: string;
}

/** What {@link getWorkspaces} returns. */
export interface GetWorkspacesResult {
  /** All workspaces that the access token can see. */
  readonly workspaces: Workspace[];
}

/** What {@link getApiKeys} returns. */
export interface GetApiKeysResult {
  /** The keys that match, without their secrets. */
  readonly apiKeys: FoundApiKey[];
}

/** What {@link getScopes} returns. */
export interface GetScopesResult {
  /** All scopes of the workspace. */
  readonly scopes: FoundScope[];
}

/** The same arguments, any of which may be an Output. */
export type FunctionInputs<Args> = { readonly [Name in keyof Args]: pulumi.Input<Args[Name]> };

/** The workspaces that the access token can see (interface, section 4.6). Runs at each preview and update. */
export function getWorkspaces(opts: FunctionOptions = {}): Promise<GetWorkspacesResult> {
  return plainly("getWorkspaces", opts, (credentials) => workspaces(credentials, {}));
}

/**
 * {@link getWorkspaces} for a Provider whose arguments are Outputs. Unknown in a preview while an argument is unknown.
 */
export function getWorkspacesOutput(opts: FunctionOptions = {}): pulumi.Output<GetWorkspacesResult> {
  return eventually({}, opts, workspaces);
}

/** One workspace (interface, sections 4.6 and 4.7). Runs at each preview and update. Fails if it does not exist. */
export function getWorkspace(args: ByIdOrName, opts: FunctionOptions = {}): Promise<Workspace> {
  return plainly("getWorkspace", opts, (credentials) => workspace(credentials, args));
}

/** {@link getWorkspace} for arguments that are Outputs. Unknown in a preview while an argument is unknown. */
export function getWorkspaceOutput(
  args: FunctionInputs<ByIdOrName>,
  opts: FunctionOptions = {},
): pulumi.Output<Workspace> {
  return eventually(args, opts, workspace);
}

/**
 * Keys of a workspace, without their secrets (interface, section 4.3). Runs at each preview and update. A field that
 * the service's list leaves out, such as scopes, is `undefined`. With the filter `enabled`, keys whose record leaves
 * out `enabled` are read one by one (section 4.2).
 */
export function getApiKeys(args: GetApiKeysArgs, opts: FunctionOptions = {}): Promise<GetApiKeysResult> {
  return plainly("getApiKeys", opts, (credentials) => apiKeys(credentials, args));
}

/** {@link getApiKeys} for arguments that are Outputs. Unknown in a preview while an argument is unknown. */
export function getApiKeysOutput(
  args: FunctionInputs<GetApiKeysArgs>,
  opts: FunctionOptions = {},
): pulumi.Output<GetApiKeysResult> {
  return eventually(args, opts, apiKeys);
}

/**
 * One key, without its secret (interface, sections 4.2 and 4.3). Runs at each preview and update. Fails if it does not
 * exist.
 */
export function getApiKey(args: GetApiKeyArgs, opts: FunctionOptions = {}): Promise<FoundApiKey> {
  return plainly("getApiKey", opts, (credentials) => apiKey(credentials, args));
}

/** {@link getApiKey} for arguments that are Outputs. Unknown in a preview while an argument is unknown. */
export function getApiKeyOutput(
  args: FunctionInputs<GetApiKeyArgs>,
  opts: FunctionOptions = {},
): pulumi.Output<FoundApiKey> {
  return eventually(args, opts, apiKey);
}

/** The scopes that a workspace defines (interface, section 4.10). Runs at each preview and update. */
export function getScopes(args: GetScopesArgs, opts: FunctionOptions = {}): Promise<GetScopesResult> {
  return plainly("getScopes", opts, (credentials) => scopes(credentials, args));
}

/** {@link getScopes} for arguments that are Outputs. Unknown in a preview while an argument is unknown. */
export function getScopesOutput(
  args: FunctionInputs<GetScopesArgs>,
  opts: FunctionOptions = {},
): pulumi.Output<GetScopesResult> {
  return eventually(args, opts, scopes);
}

type Credentials = Readonly<Record<string, unknown>>;

type Client = typeof import("../provider/functions.js");
type Source = ReturnType<Client["sourceOf"]>;

/** Only a program that calls a function loads the client. */
function loading<Args, T>(pick: (client: Client) => (source: Source, args: Args) => Promise<T>) {
  return async (credentials: Credentials, args: Args): Promise<T> => {
    const client = await import("../provider/functions.js");
    return pick(client)(client.sourceOf(credentials), args);
  };
}

const workspaces = loading<unknown, GetWorkspacesResult>((client) => client.getWorkspaces);
const workspace = loading<ByIdOrName, Workspace>((client) => client.getWorkspace);
const apiKeys = loading<GetApiKeysArgs, GetApiKeysResult>((client) => client.getApiKeys);
const apiKey = loading<GetApiKeyArgs, FoundApiKey>((client) => client.getApiKey);
const scopes = loading<GetScopesArgs, GetScopesResult>((client) => client.getScopes);

async function plainly<T>(
  name: string,
  { provider }: FunctionOptions,
  find: (credentials: Credentials) => Promise<T>,
): Promise<T> {
  const given = provider === undefined ? {} : argumentsOf(provider);
  const output = Object.entries(given).find(
    ([, value]) => pulumi.Output.isInstance(value) || value instanceof Promise,
  );
  if (output !== undefined) {
    throw new pulumi.RunError(
      `${name}: the Provider's ${output[0]} is an Output, whose value may not be known yet: use ${name}Output, which waits for it.`,
    );
  }
  return readable(find(credentialsOf(given as ProviderArgs)));
}

function eventually<Args, T>(
  args: FunctionInputs<Args>,
  { provider }: FunctionOptions,
  find: (credentials: Credentials, args: Args) => Promise<T>,
): pulumi.Output<T> {
  const given = provider === undefined ? {} : argumentsOf(provider);
  // The result is not a secret, although the token that it was read with is.
  const credentials = pulumi.unsecret(pulumi.output(given));
  return pulumi
    .all([credentials, pulumi.output(args as pulumi.Input<Args>)])
    .apply(([known, plain]) =>
      readable(find(credentialsOf(known as ProviderArgs), plain as Args)),
    ) as pulumi.Output<T>;
}

/** In the form in which the engine configures the provider: the arguments in their own namespace, and stack config. */
function credentialsOf(given: ProviderArgs): Credentials {
  const config = new pulumi.Config("apikeys");
  const under = (namespace: string, values: object) =>
    Object.entries(values).map(([name, value]) => [`${namespace}:${name}`, value] as const);
  // What a Provider's expiryWarningDays needs is here too.
  const names = ["baseUrl", "accessToken", "allowHttp", "expiresAtUnit"];
  return Object.fromEntries([
    ...under("apikeys.provider", given),
    ...under("apikeys", Object.fromEntries(names.map((name) => [name, config.get(name)]))),
  ]);
}

/** A failed function shows the user one line, not a stack trace. */
async function readable<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    throw new pulumi.RunError(error instanceof Error ? error.message : "The function failed.");
  }
}
