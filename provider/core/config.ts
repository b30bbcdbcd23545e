import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isLoopback } from "../client/agents";
import type { Credentials } from "../client/call";
import { isOn } from "../client/switches";
import { sentences } from "./errors";
import { type ExpiryWarnings, mostWarningDays, msPerUnit, usualWarningDays } from "./expiry";

/** Names in a stack's config; an explicit Provider passes its arguments under `argumentNamespace`. */
export const configNamespace = "apikeys";
export const argumentNamespace = "apikeys.provider";

/** The settings, each with the environment variable that gives it too. */
export const variables = {
  baseUrl: "APIKEYS_BASE_URL",
  accessToken: "APIKEYS_ACCESS_TOKEN",
  accessTokenEnv: undefined,
  allowHttp: "APIKEYS_ALLOW_HTTP",
  parallel: "APIKEYS_PARALLEL",
  expiresAtUnit: "APIKEYS_EXPIRES_AT_UNIT",
  expiryWarningDays: "APIKEYS_EXPIRY_WARNING_DAYS",
} as const;
type Name = keyof typeof variables;
type Values = Readonly<Partial<Record<Name, string>>>;

/** What the engine handed over once, when it configured this provider. */
export interface Settings {
  /** An explicit Provider's arguments. */
  readonly argument: Values;
  /** The stack's config, as of the last update unless the program runs. */
  readonly stack: Values;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a call needs: that of now, so that a token rotated in the environment works at once. */
export interface Configuration {
  readonly credentials: Credentials;
  /** What to do when the service does not accept the token: says where it came from. */
  readonly tokenAdvice: string;
  /** The base URL and where it came from, for messages. */
  readonly baseUrlSource: string;
  /** How many keys of a set are worked on at once. */
  readonly parallel: number;
  /** Tells this base URL from others, in few characters; after it, the one from which the service has moved, if it has. */
  readonly services: readonly string[];
  /** Whether a key may be gone although no list of keys can be read. */
  readonly withoutKeyList: boolean;
  /** Of which keys to warn; `undefined` where nothing says what `expiresAt` counts. */
  readonly expiry: ExpiryWarnings | undefined;
}

export function settings(get: (key: string) => unknown): Settings {
  const under = (namespace: string): Values =>
    Object.fromEntries(
      Object.keys(variables).flatMap((name) => {
        const value = get(`${namespace}:${name}`);
        return value === undefined || value === null || value === "" ? [] : [[name, String(value)]];
      }),
    );
  return { argument: under(argumentNamespace), stack: under(configNamespace) };
}

export type Configured = { readonly ready: Configuration } | { readonly problems: readonly string[] };

const last = new WeakMap<Settings, { readonly read: readonly unknown[]; readonly found: Configured }>();

/** The current configuration, or all errors in it (R8, R14). Worked out again only if a variable has changed. */
export function configuration(given: Settings, env: Environment): Configured {
  const names = [...Object.values(variables), "APIKEYS_MOVED_FROM", "APIKEYS_NO_KEY_LIST"];
  const read = [...names, given.argument.accessTokenEnv].map((name) => name && env[name]);
  const before = last.get(given);
  if (before !== undefined && isDeepStrictEqual(before.read, read)) return before.found;
  const found = resolve(given, env);
  last.set(given, { read, found });
  return found;
}

/** The warning if stack config names another service than the environment, which takes precedence silently. */
export function disagreement({ argument, stack }: Settings, env: Environment): string | undefined {
  const [used, unused] = [env["APIKEYS_BASE_URL"], stack.baseUrl];
  if (argument.baseUrl !== undefined || !used || unused === undefined) return undefined;
  const [place, other] = [used, unused].map((url) => serviceAt(url) ?? url.trim());
  if (place === other) return undefined;
  // An invalid URL may contain a password.
  const quoted = (url: string) => (badUrl(url, true) === undefined ? ` (${url.trim()})` : "");
  return `APIKEYS_BASE_URL${quoted(used)} is used, but stack config apikeys:baseUrl${quoted(unused)} differs. Unset one of them.`;
}

/** Notes what is wrong with the configuration. */
type Refuse = (problem: string) => undefined;

function resolve(given: Settings, env: Environment): Configured {
  const problems: string[] = [];
  const refuse: Refuse = (problem) => void problems.push(problem);
  const url = baseUrl(given, env, refuse);
  const token = accessToken(given, env, refuse);
  const parallel = keysAtOnce(given, env, refuse);
  const expiry = expiryWarnings(given, env, refuse);
  if (url === undefined || token === undefined || parallel === undefined || problems.length > 0) {
    return { problems };
  }
  const services = [url.value, env["APIKEYS_MOVED_FROM"]].map(serviceAt);
  return {
    ready: {
      credentials: { baseUrl: url.value, accessToken: token.value },
      tokenAdvice: token.advice,
      baseUrlSource: url.source,
      parallel,
      services: services.filter((one) => one !== undefined),
      withoutKeyList: isOn(env["APIKEYS_NO_KEY_LIST"]),
      expiry,
    },
  };
}

type Place = keyof typeof waysOut;
type Choice = readonly [value: string | undefined, source: string, place: Place];

/** The value of a setting and where it comes from; "" counts as none. */
function chosen(name: Name, { argument, stack }: Settings, env: Environment): Choice {
  const variable = variables[name];
  const choices: readonly Choice[] = [
    [argument[name], `the Provider's argument ${name}`, "argument"],
    [variable && env[variable], `the environment variable ${variable}`, "environment"],
    [stack[name], `stack config apikeys:${name}`, "stack"],
  ];
  return choices.find(([value]) => value) ?? [undefined, "", "stack"];
}

/** A short hash of a base URL; `undefined` for what is no URL. */
function serviceAt(text = ""): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null) return undefined;
  const place = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  return createHash("sha256").update(place).digest("base64url").slice(0, 8);
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = /^\d{1,4}$/.test(text.trim()) ? Number(text) : -1;
  return number >= least && number <= most ? number : undefined;
}

const mostParallel = 64;
const usualParallel = 16;

function keysAtOnce(given: Settings, env: Environment, refuse: Refuse): number | undefined {
  const [value, source] = chosen("parallel", given, env);
  if (value === undefined) return usualParallel;
  return (
    wholeNumber(value, 1, mostParallel) ??
    refuse(
      `${source} must be a whole number from 1 to ${mostParallel}: how many keys of a set to process at once.`,
    )
  );
}

/** Without the unit of expiresAt nothing is known of when a key expires (R21). */
function expiryWarnings(given: Settings, env: Environment, refuse: Refuse): ExpiryWarnings | undefined {
  const [unit, unitSource] = chosen("expiresAtUnit", given, env);
  const [days, daysSource] = chosen("expiryWarningDays", given, env);
  const ms = msPerUnit.get(unit?.trim() ?? "");
  const count = days === undefined ? usualWarningDays : wholeNumber(days, 0, mostWarningDays);
  if (unit !== undefined && ms === undefined) {
    refuse(`${unitSource} must be seconds or milliseconds: the unit in which the service counts expiresAt.`);
  }
  if (count === undefined) {
    refuse(
      `${daysSource} must be a whole number from 0 to ${mostWarningDays}: how many days before a key expires the warnings begin.`,
    );
  }
  if (days !== undefined && unit === undefined) {
    refuse(
      `${daysSource} has no effect without the unit of expiresAt: set apikeys:expiresAtUnit (or APIKEYS_EXPIRES_AT_UNIT) to seconds or milliseconds, or remove this setting.`,
    );
  }
  return ms === undefined || count === undefined ? undefined : { msPerUnit: ms, days: count };
}

function baseUrl(given: Settings, env: Environment, refuse: Refuse) {
  const [value, source, place] = chosen("baseUrl", given, env);
  if (value === undefined) {
    return refuse(
      "the service's base URL is not configured: run `pulumi config set apikeys:baseUrl https://…` (an explicit Provider reads it in Node.js programs only), set the environment variable APIKEYS_BASE_URL, or pass baseUrl to a Provider.",
    );
  }
  const problem = badUrl(value, isOn(chosen("allowHttp", given, env)[0]));
  if (problem !== undefined) return refuse(`${source} ${problem}`);
  // A program may have made its argument secret.
  const shown = place === "argument" ? "" : `${value.trim()}, `;
  return { value: value.trim(), source: `${shown}from ${source}` };
}

function badUrl(value: string, allowHttp: boolean): string | undefined {
  const url = URL.parse(value.trim());
  if (url === null || !/^https?:\/\//i.test(value.trim())) {
    return "is not a URL: write it as https://host, with a path if the service has one.";
  }
  if (url.username !== "" || url.password !== "") {
    return "contains a user name or password: leave them out; the access token is the only credential.";
  }
  if (/[?#]/.test(value)) return "contains a query or a fragment: leave out everything from ? or # on.";
  if (/\/api\/v1\/*$/i.test(url.pathname)) {
    return "ends in /api/v1: leave that out, because the provider adds it to each request.";
  }
  if (url.protocol === "http:" && !allowHttp && !isLoopback(url.hostname)) {
    return "is http, which would expose the access token to the network: use https, or set apikeys:allowHttp (or APIKEYS_ALLOW_HTTP) to true if you trust the network.";
  }
  return undefined;
}

interface Token {
  readonly value: string;
  readonly advice: string;
}

function accessToken(given: Settings, env: Environment, refuse: Refuse): Token | undefined {
  const { accessTokenEnv } = given.argument;
  if (accessTokenEnv !== undefined) {
    const source = `the environment variable ${accessTokenEnv}, which the Provider's accessTokenEnv names`;
    const value = env[accessTokenEnv];
    if (!value) return refuse(`${source}, is not set: set it to an access token.`);
    return usable(value, source, "environment", refuse);
  }
  const [value, source, place] = chosen("accessToken", given, env);
  if (value !== undefined) return usable(value, source, place, refuse);
  return refuse(
    "the access token is not configured: run `pulumi config set --secret apikeys:accessToken` (an explicit Provider reads it in Node.js programs only), set the environment variable APIKEYS_ACCESS_TOKEN, or pass accessToken or accessTokenEnv to a Provider.",
  );
}

/** What to do if the service does not accept a token, by where it came from. */
const waysOut = {
  argument:
    "Pass a valid token there, or use accessTokenEnv, which is read at each call. Refresh and destroy use the arguments of the last update, unless you add `--run-program`",
  environment: "Set it to a valid token",
  stack:
    "Set a valid token there with `pulumi config set --secret apikeys:accessToken`, or in the environment variable APIKEYS_ACCESS_TOKEN, which takes precedence. Refresh and destroy use the stack config of the last update, unless you add `--run-program`",
};

function usable(value: string, source: string, place: Place, refuse: Refuse): Token | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header must not hold.
  if (/[\s\u0000-\u001f\u007f]/.test(value) || /[^\u0000-\u00ff]/.test(value)) {
    return refuse(
      `the access token from ${source} contains white space or a character that a header can't carry: copy it again, without a line break at its end.`,
    );
  }
  return { value, advice: sentences(`The access token came from ${source}`, waysOut[place]) };
}
