import { createHash } from "node:crypto";
import { type Credentials, usualLimits } from "../client/send";
import { isLoopback } from "../client/wire";
import { Failure, type Setup } from "../core/errors";
import { capitalised } from "../core/text";

/** The namespaces of stack config, and of the arguments of an explicit Provider. */
export const configNamespace = "apikeys";
export const argumentNamespace = "apikeys.provider";

/** The environment variable of each setting. */
const variables = {
  baseUrl: "APIKEYS_BASE_URL",
  accessToken: "APIKEYS_ACCESS_TOKEN",
  allowHttp: "APIKEYS_ALLOW_HTTP",
  maxAttempts: "APIKEYS_MAX_ATTEMPTS",
  concurrency: "APIKEYS_CONCURRENCY",
} as const;
type Name = keyof typeof variables;
type Values<N extends string = Name> = Readonly<Partial<Record<N, string | undefined>>>;

export interface EngineConfig {
  /** The arguments of an explicit Provider, which can also name the variable that has its token. */
  readonly argument: Values<Name | "accessTokenEnv">;
  /** Stack config: that of the last update, unless the program runs. */
  readonly stack: Values;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings in effect, resolved from arguments, environment and stack config. */
export interface Configuration extends Setup {
  /** Everything that is wrong with them (R8): if anything is, the rest is not used. */
  readonly problems: readonly string[];
  readonly credentials: Credentials;
  /** Short hashes of base URLs: the configured one, then the former one if the service has moved. */
  readonly services: readonly string[];
  /** Whether previews check the access token (not with APIKEYS_NO_TOKEN_CHECK). */
  readonly checksToken: boolean;
}

/** Picks the settings from config that is read by key. */
export function engineConfig(get: (key: string) => unknown): EngineConfig {
  const under = (namespace: string, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, String(get(`${namespace}:${name}`) ?? "") || undefined]));
  const names = Object.keys(variables);
  return {
    argument: under(argumentNamespace, [...names, "accessTokenEnv"]),
    stack: under(configNamespace, names),
  };
}

/** The warning if the environment hides a different base URL in stack config. */
export function disagreement({ argument, stack }: EngineConfig, env: Environment): string | undefined {
  const [used, unused] = [env["APIKEYS_BASE_URL"], stack.baseUrl];
  if (argument.baseUrl !== undefined || !used || unused === undefined) return undefined;
  if (serviceAt(used) === serviceAt(unused)) return undefined;
  return "APIKEYS_BASE_URL overrides stack config apikeys:baseUrl, which differs. Remove one of them.";
}

export function configuration(config: EngineConfig, env: Environment): Configuration {
  const { argument, stack } = config;
  const problems: string[] = [];
  const refuse = (problem: string) => void problems.push(capitalised(problem));
  const variable = (name: string): Choice => [env[name], `the environment variable ${name}`];
  /** The value of a setting and where it comes from: the first that is set; "" is not. */
  const chosen = (name: Name): Choice => {
    const choices: readonly Choice[] = [
      [argument[name], `the Provider's argument ${name}`],
      variable(variables[name]),
      [stack[name], `stack config apikeys:${name}`],
    ];
    return choices.find(([value]) => value) ?? [undefined, ""];
  };
  /** A wrong value counts as true, so that an http URL is not refused as well. */
  const isOn = ([value, source]: Choice): boolean => {
    const text = value?.trim() || "false";
    if (!["true", "1", "false", "0"].includes(text)) refuse(`${source} must be true, false, 1 or 0.`);
    return text !== "false" && text !== "0";
  };
  const upTo = (most: number, name: keyof typeof usualLimits): number => {
    const [value = String(usualLimits[name]), source] = chosen(name);
    const isFine = /^\s*\d+\s*$/.test(value) && Number(value) >= 1 && Number(value) <= most;
    if (!isFine) refuse(`${source} must be a whole number from 1 to ${most}.`);
    return isFine ? Number(value) : 1;
  };

  const [givenUrl, urlSource] = chosen("baseUrl");
  const baseUrl = givenUrl?.trim() ?? "";
  const urlProblem = badUrl(baseUrl, isOn(chosen("allowHttp")));
  if (givenUrl === undefined) refuse(noBaseUrl);
  else if (urlProblem !== undefined) refuse(`${urlSource} ${urlProblem}`);

  const { accessTokenEnv: named } = argument;
  const [accessToken = "", tokenSource] = named ? variable(named) : chosen("accessToken");
  if (named !== undefined && argument.accessToken !== undefined) {
    refuse("the Provider has both accessToken and accessTokenEnv: set one of them.");
  } else if (accessToken === "") {
    refuse(named === undefined ? noToken : `${tokenSource}, which accessTokenEnv names, is not set.`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a header must not contain these.
  } else if (/^["']|[\s\u0000-\u001f\u007f]/.test(accessToken) || /[^\u0000-\u00ff]/.test(accessToken)) {
    refuse(
      `the access token from ${tokenSource} ${/^["']/.test(accessToken) ? "is in quotes" : "contains white space or a character that a header can't carry"}. Copy it again, without quotes round it, Bearer before it or a line break after it.`,
    );
  }

  const [given = "", formerSource] = variable("APIKEYS_MOVED_FROM");
  const former = given.trim();
  const formerProblem = badUrl(former, true);
  if (former !== "" && formerProblem !== undefined) refuse(`${formerSource} ${formerProblem}`);
  const withoutKeyList = isOn(variable("APIKEYS_NO_KEY_LIST"));

  const maxAttempts = upTo(10, "maxAttempts");
  const concurrency = upTo(256, "concurrency");
  const checksToken = !isOn(variable("APIKEYS_NO_TOKEN_CHECK")) && problems.length === 0;

  // A program may have made its argument secret.
  const shown = argument.baseUrl ? "" : `${baseUrl}, `;
  return {
    problems,
    credentials: { baseUrl, accessToken, maxAttempts, concurrency },
    // More are hardly faster, and other resources of the run need some requests too.
    keysAtOnce: Math.ceil(concurrency / 2),
    tokenAdvice: `The access token came from ${tokenSource}. Set a valid one there.${tokenSource.includes(" environment ") ? "" : " Refresh and destroy use the one of the last update, unless you add `--run-program`."}`,
    baseUrlSource: `${shown}from ${urlSource}`,
    services: problems.length > 0 ? [] : [baseUrl, former].flatMap((url) => serviceAt(url) ?? []),
    withoutKeyList,
    checksToken,
  };
}

/** The configuration. Throws if anything is wrong with it. */
export function usable(found: Configuration): Configuration {
  if (found.problems.length > 0) throw new Failure("configuration", found.problems.join(" "));
  return found;
}

type Choice = readonly [value: string | undefined, source: string];

const noBaseUrl =
  "the service's base URL is not configured. Run `pulumi config set apikeys:baseUrl https://…` (an explicit Provider reads it in Node.js programs only), set the environment variable APIKEYS_BASE_URL, or pass baseUrl to a Provider.";
const noToken =
  "the access token is not configured. Run `pulumi config set --secret apikeys:accessToken` (an explicit Provider reads it in Node.js programs only), set the environment variable APIKEYS_ACCESS_TOKEN, or pass accessToken or accessTokenEnv to a Provider.";

/** A short hash of a base URL: enough to tell services apart in state. */
function serviceAt(baseUrl = ""): string | undefined {
  const url = URL.parse(baseUrl.trim());
  if (url === null) return undefined;
  const normalised = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  return createHash("sha256").update(normalised).digest("base64url").slice(0, 8);
}

function badUrl(value: string, allowHttp: boolean): string | undefined {
  const url = URL.parse(value);
  if (url === null || !/^https?:\/\//i.test(value)) {
    return "is not a URL that begins with https://: write it as https://host, with a path if the service has one.";
  }
  if (url.username !== "" || url.password !== "" || /[?#]/.test(value)) {
    return "contains a user name, a password, a query or a fragment: leave these out.";
  }
  if (/\/api\/v1\/*$/i.test(url.pathname)) {
    return "ends in /api/v1: leave that out, because the provider adds it to each request.";
  }
  if (url.protocol === "http:" && !allowHttp && !isLoopback(url.hostname)) {
    return "is http, which would expose the access token to the network. Use https, or set apikeys:allowHttp (or APIKEYS_ALLOW_HTTP) to true if you trust the network.";
  }
  return undefined;
}

/** Says so if this Node.js is older than `engines` in package.json: npm only warns of it, and later errors explain nothing. */
export function nodeProblem(): string | undefined {
  const { version } = process;
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return undefined;
  return `pulumi-apikeys needs Node.js 22.19 or newer on PATH; this is ${version}.`;
}
