import * as pulumi from "@pulumi/pulumi";
import { argumentsOf, type Provider, type ProviderArgs } from "./provider";

/** Whose credentials a look-up uses. */
export interface LookupOptions {
  /** Default: the environment, then stack config, as for resources. */
  readonly provider?: Provider | undefined;
}

/** A workspace (interface, section 2). What the service leaves out is `undefined`. */
export interface Workspace {
  readonly id: string;
  readonly name: string | undefined;
  readonly teamId: string | undefined;
  readonly defaultKeyPrefix: string | undefined;
  readonly defaultAllowedIPs: readonly string[] | undefined;
  readonly defaultRateLimitPerSecond: number | undefined;
  readonly defaultExpiration: number | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** A key as a look-up returns it (interface, section 2): never with its secret. */
export interface FoundApiKey {
  readonly id: string;
  readonly name: string | undefined;
  readonly maskedKey: string | undefined;
  readonly prefix: string | undefined;
  /** In the service's own unit. */
  readonly expiresAt: number | undefined;
  readonly scopes: readonly FoundKeyScope[] | undefined;
  readonly enabled: boolean | undefined;
  readonly customerId: string | undefined;
  readonly deleted: boolean;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly lastUsedAt: string | undefined;
  readonly billingId: string | undefined;
}

/** A scope of a key as a look-up returns it (interface, section 2). */
export interface FoundKeyScope {
  readonly representation: string;
  readonly create: boolean;
  readonly read: boolean;
  readonly update: boolean;
  readonly del: boolean;
}

/** A scope that a workspace defines (interface, section 2). */
export interface FoundScope {
  readonly id: string;
  readonly name: string | undefined;
  readonly representation: string;
  readonly description: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** Either the id or the name of what is looked up. */
export interface ByIdOrName {
  readonly id?: string | undefined;
  /** Exactly as the service has it. A name that nothing or several things have is an error that lists what there is. */
  readonly name?: string | undefined;
}

/** Which keys {@link getApiKeys} returns; each field that is given narrows it. */
export interface GetApiKeysArgs {
  readonly workspaceId: string;
  readonly name?: string | undefined;
  readonly customerId?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** Whether keys that were deleted are returned too, where the service lists them. Default: false. */
  readonly includeDeleted?: boolean | undefined;
}

/** Which key {@link getApiKey} returns. */
export interface GetApiKeyArgs extends ByIdOrName {
  readonly workspaceId: string;
}

/** Whose scopes {@link getScopes} returns. */
export interface GetScopesArgs {
  readonly workspaceId: string;
}

/** The same arguments, any of which may be an Output. */
export type LookupInputs<Args> = { readonly [Name in keyof Args]: pulumi.Input<Args[Name]> };

/** The workspaces that the access token may see (interface, section 4.6). Read at each preview and up. */
export function getWorkspaces(opts: LookupOptions = {}): Promise<{ workspaces: Workspace[] }> {
  return plainly("getWorkspaces", opts, workspaces);
}

/** {@link getWorkspaces} for a Provider whose arguments are Outputs; unknown in preview while they are. */
export function getWorkspacesOutput(opts: LookupOptions = {}): pulumi.Output<{ workspaces: Workspace[] }> {
  return eventually({}, opts, (credentials) => workspaces(credentials));
}

/** One workspace (interface, sections 4.6 and 4.7). Read at each preview and up; one that is not there is an error. */
export function getWorkspace(args: ByIdOrName, opts: LookupOptions = {}): Promise<Workspace> {
  return plainly("getWorkspace", opts, (credentials) => workspace(credentials, args));
}

/** {@link getWorkspace} for arguments that are Outputs; unknown in preview while they are. */
export function getWorkspaceOutput(
  args: LookupInputs<ByIdOrName>,
  opts: LookupOptions = {},
): pulumi.Output<Workspace> {
  return eventually(args, opts, workspace);
}

/**
 * Keys of a workspace, without their secrets (interface, section 4.3). Read at each preview and up. What the service's
 * list leaves out, such as scopes, is `undefined`; narrowed by `enabled`, such keys are read one by one (section 4.2).
 */
export function getApiKeys(
  args: GetApiKeysArgs,
  opts: LookupOptions = {},
): Promise<{ apiKeys: FoundApiKey[] }> {
  return plainly("getApiKeys", opts, (credentials) => apiKeys(credentials, args));
}

/** {@link getApiKeys} for arguments that are Outputs; unknown in preview while they are. */
export function getApiKeysOutput(
  args: LookupInputs<GetApiKeysArgs>,
  opts: LookupOptions = {},
): pulumi.Output<{ apiKeys: FoundApiKey[] }> {
  return eventually(args, opts, apiKeys);
}

/** One key, without its secret (interface, sections 4.2 and 4.3). Read at each preview and up; one that is not there is an error. */
export function getApiKey(args: GetApiKeyArgs, opts: LookupOptions = {}): Promise<FoundApiKey> {
  return plainly("getApiKey", opts, (credentials) => apiKey(credentials, args));
}

/** {@link getApiKey} for arguments that are Outputs; unknown in preview while they are. */
export function getApiKeyOutput(
  args: LookupInputs<GetApiKeyArgs>,
  opts: LookupOptions = {},
): pulumi.Output<FoundApiKey> {
  return eventually(args, opts, apiKey);
}

/** The scopes that a workspace defines (interface, section 4.10). Read at each preview and up. */
export function getScopes(args: GetScopesArgs, opts: LookupOptions = {}): Promise<{ scopes: FoundScope[] }> {
  return plainly("getScopes", opts, (credentials) => scopes(credentials, args));
}

/** {@link getScopes} for arguments that are Outputs; unknown in preview while they are. */
export function getScopesOutput(
  args: LookupInputs<GetScopesArgs>,
  opts: LookupOptions = {},
): pulumi.Output<{ scopes: FoundScope[] }> {
  return eventually(args, opts, scopes);
}

type Credentials = Readonly<Record<string, unknown>>;

/** Only a program that looks something up loads the client. */
const client = () => import("../provider/functions.js");

async function workspaces(credentials: Credentials) {
  const { workspaces: find } = await client();
  return { workspaces: await find(credentials) };
}

async function workspace(credentials: Credentials, by: ByIdOrName) {
  const { workspace: find } = await client();
  return find(credentials, by);
}

async function apiKeys(credentials: Credentials, { workspaceId, ...filter }: GetApiKeysArgs) {
  const { apiKeys: find } = await client();
  return { apiKeys: await find(credentials, workspaceId, filter) };
}

async function apiKey(credentials: Credentials, { workspaceId, ...by }: GetApiKeyArgs) {
  const { apiKey: find } = await client();
  return find(credentials, workspaceId, by);
}

async function scopes(credentials: Credentials, { workspaceId }: GetScopesArgs) {
  const { scopes: find } = await client();
  return { scopes: await find(credentials, workspaceId) };
}

async function plainly<T>(
  name: string,
  { provider }: LookupOptions,
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
  args: LookupInputs<Args>,
  { provider }: LookupOptions,
  find: (credentials: Credentials, args: Args) => Promise<T>,
): pulumi.Output<T> {
  const given = provider === undefined ? {} : argumentsOf(provider);
  // What is found is no secret because the token with which it was asked for is one.
  const credentials = pulumi.unsecret(pulumi.output(given));
  return pulumi
    .all([credentials, pulumi.output(args as pulumi.Input<Args>)])
    .apply(([known, plain]) =>
      readable(find(credentialsOf(known as ProviderArgs), plain as Args)),
    ) as pulumi.Output<T>;
}

/** As the provider's host is given them: arguments under a namespace of their own, and the stack's config. */
function credentialsOf(given: ProviderArgs): Credentials {
  const config = new pulumi.Config("apikeys");
  const under = (namespace: string, values: object) =>
    Object.entries(values).map(([name, value]) => [`${namespace}:${name}`, value] as const);
  const names = ["baseUrl", "accessToken", "allowHttp"];
  return Object.fromEntries([
    ...under("apikeys.provider", given),
    ...under("apikeys", Object.fromEntries(names.map((name) => [name, config.get(name)]))),
  ]);
}

/** A failed look-up is a line for the user, not a trace of the program. */
async function readable<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    throw new pulumi.RunError(error instanceof Error ? error.message : "The look-up failed.");
  }
}
