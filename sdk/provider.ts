import * as pulumi from "@pulumi/pulumi";
import { asProvider, fail } from "./resource";

/**
 * The arguments of an explicit {@link Provider}. An argument that is left out comes from the environment, then, in
 * Node.js programs, from stack config.
 */
export interface ProviderArgs {
  /**
   * The service's base URL, to which `/api/v1/…` is appended: https, or http for this machine itself. It can have a
   * path, but no user name, query or fragment. Changing it replaces nothing. Default: the environment variable
   * APIKEYS_BASE_URL, then, in Node.js programs, stack config `apikeys:baseUrl`.
   */
  readonly baseUrl?: pulumi.Input<string | undefined>;
  /**
   * The access token, sent as `Authorization: Bearer …`. Always a secret, kept encrypted in state. Refresh and destroy
   * use the token in state, unless you add `--run-program`. Can't be combined with `accessTokenEnv`. Default: the
   * environment variable APIKEYS_ACCESS_TOKEN, then, in Node.js programs, stack config `apikeys:accessToken`.
   */
  readonly accessToken?: pulumi.Input<string | undefined>;
  /**
   * The name of an environment variable with the access token, instead of `accessToken`. The variable is read in each
   * run and its value is never stored, so a rotated token takes effect at once, in refresh and destroy too. Default:
   * none.
   */
  readonly accessTokenEnv?: pulumi.Input<string | undefined>;
  /**
   * Whether to allow http to another machine, for a service in your own network. Default: the environment variable
   * APIKEYS_ALLOW_HTTP, then, in Node.js programs, stack config `apikeys:allowHttp`, then false.
   */
  readonly allowHttp?: pulumi.Input<boolean | undefined>;
  /**
   * How often a request is sent at most if it fails, from 1 to 10. Waits that the service asks for don't count. Default:
   * the environment variable APIKEYS_MAX_ATTEMPTS, then, in Node.js programs, stack config `apikeys:maxAttempts`, then 4.
   */
  readonly maxAttempts?: pulumi.Input<number | undefined>;
  /**
   * How many requests run at once, from 1 to 256. Half as many keys of a set are processed at a time. Default: the
   * environment variable APIKEYS_CONCURRENCY, then, in Node.js programs, stack config `apikeys:concurrency`, then 32.
   */
  readonly concurrency?: pulumi.Input<number | undefined>;
}

/**
 * Credentials and settings for some resources or functions of a program, such as those of another service or account.
 * Without a Provider, they come from the environment or stack config. Changing the Provider of a resource replaces
 * nothing.
 *
 * @example
 * ```ts
 * import { ApiKey, Provider } from "pulumi-apikeys";
 *
 * const provider = new Provider("emea", {
 *   baseUrl: "https://emea.example.com",
 *   accessTokenEnv: "EMEA_ACCESS_TOKEN",
 * });
 * new ApiKey("ci", { workspaceId: "ws_emea", customerId: "cus_1" }, { provider });
 * ```
 *
 * @see docs/configuration.md
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * Declares credentials and settings; pass the Provider to a resource with the option `provider`.
   *
   * @param name The resource's name, unique within the stack.
   * @param args The credentials and settings. Default: from the environment, then from stack config.
   * @param opts Pulumi's resource options.
   */
  constructor(name: string, args: ProviderArgs = {}, opts: pulumi.ResourceOptions = {}) {
    const [pkg, movable] = asProvider(opts);
    super(pkg, name, inputsOf(args), movable);
    given.set(this, args);
  }
}

/** All arguments, and whether stack config may give them instead. */
const mayBeInStack: Readonly<Record<keyof ProviderArgs, boolean>> = {
  baseUrl: true,
  accessToken: true,
  accessTokenEnv: false,
  allowHttp: true,
  maxAttempts: true,
  concurrency: true,
};

/** Whether an argument counts as not set. For an Output, only the provider's process can tell. */
const isAbsent = (value: unknown) => value === undefined || value === null || value === "";

/**
 * Kept outside the resource, so that printing a Provider never prints its token. A program may load several copies of this
 * package, which share it.
 */
const shared = Symbol.for("pulumi-apikeys:arguments");
const program = globalThis as { [shared]?: WeakMap<Provider, ProviderArgs> };
program[shared] ??= new WeakMap();
const given = program[shared];

/** @internal The arguments of a Provider, for functions. */
export function argumentsOf(provider: Provider, caller: string): ProviderArgs {
  const args = given.get(provider);
  if (args !== undefined) return args;
  const problem = `${caller}: the arguments of this Provider are not known here. Another program constructed it, or another version of pulumi-apikeys. Pass a Provider that this program constructs with this version.`;
  fail("APIKEYS1001", problem);
}

/**
 * The host of an explicit Provider sees only the Provider's inputs, so stack config is passed along for what they leave
 * out. Arguments have a namespace that stack config can't have, so that the provider can tell them apart.
 */
function inputsOf(args: ProviderArgs): pulumi.Inputs {
  const config = new pulumi.Config("apikeys");
  const hasToken = !isAbsent(args.accessToken) || !isAbsent(args.accessTokenEnv);
  const inputs: pulumi.Inputs = {};
  for (const [name, isInStack] of Object.entries(mayBeInStack)) {
    const value = args[name as keyof ProviderArgs];
    const isToken = name === "accessToken";
    if (!isAbsent(value)) {
      const text = pulumi.output(value).apply((one) => (isAbsent(one) ? undefined : String(one)));
      inputs[`apikeys.provider:${name}`] = isToken ? pulumi.secret(text) : text;
    } else if (isInStack && !(isToken && hasToken)) {
      inputs[`apikeys:${name}`] = isToken ? config.getSecret(name) : config.get(name);
    }
  }
  return inputs;
}
