import { createHash } from "node:crypto";
import { isLoopback } from "../client/agents";
import type { Credentials } from "../client/call";
import { isOn } from "../client/switches";
import { sentences } from "./errors";
import { type ExpiryWarnings, mostWarningDays, msPerUnit, usualWarningDays } from "./expiry";

/** Names in a stack's config; an explicit Provider passes its arguments under `argumentNamespace`. */
export const configNamespace = "apikeys";
export const argumentNamespace = "apikeys.provider";

const names = [
  "baseUrl",
  "accessToken",
  "accessTokenEnv",
  "allowHttp",
  "parallel",
  "expiresAtUnit",
  "expiryWarningDays",
] as const;
/** The environment variables that the provider reads. */
const variableNames = [...names, "movedFrom", "noKeyList"] as const;
type Values = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** What the engine handed over once, when it configured this provider. */
export interface Settings {
  /** An explicit Provider's arguments. */
  readonly argument: Values;
  /** The stack's config, as of the last update unless the program runs. */
  readonly stack: Values;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a call needs: that of now, so that a token rotated in the environment works at once. */
interface Configuration {
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
      names.flatMap((name) => {
        const value = get(`${namespace}:${name}`);
        return value === undefined || value === null || value === "" ? [] : [[name, String(value)]];
      }),
    );
  return { argument: under(argumentNamespace), stack: under(configNamespace) };
}

export type Configured = { readonly ready: Configuration } | { readonly problems: readonly string[] };

/** The current configuration, or all errors in it (R8, R14). */
export function configuration(given: Settings, env: Environment): Configured {
  return resolve(given, variables(given, env));
}

/** The warning if stack config names another service than the environment, which takes precedence silently. */
export function disagreement({ argument, stack }: Settings, env: Environment): string | undefined {
  const [used, unused] = [env["APIKEYS_BASE_URL"], stack.baseUrl];
  if (argument.baseUrl !== undefined || !used || unused === undefined) return undefined;
  const [place, other] = [used, unused].map((url) => former(url)[0] ?? url.trim());
  if (place === other) return undefined;
  // An invalid URL may contain a password.
  const quoted = (url: string) => (badUrl(url, true) === undefined ? ` (${url.trim()})` : "");
  return `APIKEYS_BASE_URL${quoted(used)} is used, but stack config apikeys:baseUrl${quoted(unused)} differs. Unset one of them.`;
}

/** Tells the same, and works it out again only where one of the values has changed. */
export function openConfiguration(): typeof configuration {
  let last: { readonly given: Settings; readonly set: Variables; readonly found: Configured } | undefined;
  return (given, env) => {
    const set = variables(given, env);
    if (last?.given !== given || !variableNames.every((name) => last?.set[name] === set[name])) {
      last = { given, set, found: resolve(given, set) };
    }
    return last.found;
  };
}

type Variables = Readonly<Record<(typeof variableNames)[number], string | undefined>>;

/** All that is read from the environment. */
function variables({ argument }: Settings, env: Environment): Variables {
  const { accessTokenEnv } = argument;
  return {
    baseUrl: env["APIKEYS_BASE_URL"],
    accessToken: env["APIKEYS_ACCESS_TOKEN"],
    accessTokenEnv: accessTokenEnv === undefined ? undefined : env[accessTokenEnv],
    allowHttp: env["APIKEYS_ALLOW_HTTP"],
    parallel: env["APIKEYS_PARALLEL"],
    expiresAtUnit: env["APIKEYS_EXPIRES_AT_UNIT"],
    expiryWarningDays: env["APIKEYS_EXPIRY_WARNING_DAYS"],
    movedFrom: env["APIKEYS_MOVED_FROM"],
    noKeyList: env["APIKEYS_NO_KEY_LIST"],
  };
}

function resolve(given: Settings, set: Variables): Configured {
  const url = baseUrl(given, set);
  const token = accessToken(given, set);
  const atOnce = parallel(given, set);
  const expiry = expiryWarnings(given, set);
  if ("value" in url && "value" in token && typeof atOnce === "number" && "warnings" in expiry) {
    return {
      ready: {
        credentials: { baseUrl: url.value, accessToken: token.value },
        tokenAdvice: token.advice,
        baseUrlSource: url.source,
        parallel: atOnce,
        services: [serviceAt(url.value), ...former(set.movedFrom)],
        withoutKeyList: isOn(set.noKeyList),
        expiry: expiry.warnings,
      },
    };
  }
  const single = [url, token, atOnce].flatMap((found) =>
    typeof found === "object" && "problem" in found ? [found.problem] : [],
  );
  return { problems: [...single, ...("problems" in expiry ? expiry.problems : [])] };
}

function serviceAt(url: string): string {
  const { origin, pathname } = new URL(url);
  const place = `${origin}${pathname.replace(/\/+$/, "")}`;
  return createHash("sha256").update(place).digest("base64url").slice(0, 8);
}

/** What is no URL is the place of nothing. */
function former(url = ""): readonly string[] {
  return URL.canParse(url.trim()) ? [serviceAt(url.trim())] : [];
}

const mostParallel = 64;
const usualParallel = "16";

function parallel({ argument, stack }: Settings, set: Variables): number | { problem: string } {
  const [value, source] = first(
    [argument.parallel, "the Provider's argument parallel"],
    [set.parallel, "the environment variable APIKEYS_PARALLEL"],
    [stack.parallel, "stack config apikeys:parallel"],
    [usualParallel, ""],
  );
  const count = /^\d{1,4}$/.test(value?.trim() ?? "") ? Number(value) : 0;
  if (count >= 1 && count <= mostParallel) return count;
  return {
    problem: `${source} must be a whole number from 1 to ${mostParallel}: how many keys of a set to process at once.`,
  };
}

/** Without the unit of expiresAt nothing is known of when a key expires (R21). */
function expiryWarnings(
  { argument, stack }: Settings,
  set: Variables,
): { readonly warnings: ExpiryWarnings | undefined } | { readonly problems: readonly string[] } {
  const [unit, unitSource] = first(
    [argument.expiresAtUnit, "the Provider's argument expiresAtUnit"],
    [set.expiresAtUnit, "the environment variable APIKEYS_EXPIRES_AT_UNIT"],
    [stack.expiresAtUnit, "stack config apikeys:expiresAtUnit"],
  );
  const [days, daysSource] = first(
    [argument.expiryWarningDays, "the Provider's argument expiryWarningDays"],
    [set.expiryWarningDays, "the environment variable APIKEYS_EXPIRY_WARNING_DAYS"],
    [stack.expiryWarningDays, "stack config apikeys:expiryWarningDays"],
  );
  const ms = unit === undefined ? undefined : msPerUnit.get(unit.trim());
  const count = days === undefined ? usualWarningDays : /^\d{1,4}$/.test(days.trim()) ? Number(days) : -1;
  const problems: string[] = [];
  if (unit !== undefined && ms === undefined) {
    problems.push(
      `${unitSource} must be seconds or milliseconds: the unit in which the service counts expiresAt.`,
    );
  }
  if (count < 0 || count > mostWarningDays) {
    problems.push(
      `${daysSource} must be a whole number from 0 to ${mostWarningDays}: how many days before a key expires the warnings begin.`,
    );
  }
  if (days !== undefined && unit === undefined) {
    problems.push(
      `${daysSource} has no effect without the unit of expiresAt: set apikeys:expiresAtUnit (or APIKEYS_EXPIRES_AT_UNIT) to seconds or milliseconds, or remove this setting.`,
    );
  }
  if (problems.length > 0) return { problems };
  return { warnings: ms === undefined ? undefined : { msPerUnit: ms, days: count } };
}

type BaseUrl = { readonly value: string; readonly source: string } | { readonly problem: string };

function baseUrl({ argument, stack }: Settings, set: Variables): BaseUrl {
  const [value, source] = first(
    [argument.baseUrl, "the Provider's argument baseUrl"],
    [set.baseUrl, "the environment variable APIKEYS_BASE_URL"],
    [stack.baseUrl, "stack config apikeys:baseUrl"],
  );
  if (value === undefined) {
    return {
      problem:
        "the service's base URL is not configured: run `pulumi config set apikeys:baseUrl https://…`, set the environment variable APIKEYS_BASE_URL, or pass baseUrl to a Provider.",
    };
  }
  const problem = badUrl(value, allowsHttp({ argument, stack }, set));
  if (problem !== undefined) return { problem: `${source} ${problem}` };
  // A program may have made its argument secret.
  const shown = argument.baseUrl ? "" : `${value.trim()}, `;
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

function allowsHttp({ argument, stack }: Settings, set: Variables): boolean {
  return isOn(first([argument.allowHttp, ""], [set.allowHttp, ""], [stack.allowHttp, ""])[0]);
}

type Token = { readonly value: string; readonly advice: string } | { readonly problem: string };

function accessToken({ argument, stack }: Settings, set: Variables): Token {
  if (argument.accessTokenEnv !== undefined) {
    const source = `the environment variable ${argument.accessTokenEnv}, which the Provider's accessTokenEnv names`;
    const value = set.accessTokenEnv;
    return value
      ? usable(value, source, "Set it to a valid token")
      : { problem: `${source}, is not set: set it to an access token.` };
  }
  if (argument.accessToken !== undefined) {
    return usable(
      argument.accessToken,
      "the Provider's argument accessToken",
      "Pass a valid token there, or use accessTokenEnv, which is read at each call. Refresh and destroy use the arguments of the last update, unless you add `--run-program`",
    );
  }
  if (set.accessToken) {
    const source = "the environment variable APIKEYS_ACCESS_TOKEN";
    return usable(set.accessToken, source, "Set it to a valid token");
  }
  if (stack.accessToken !== undefined) {
    return usable(
      stack.accessToken,
      "stack config apikeys:accessToken",
      "Set a valid token there with `pulumi config set --secret apikeys:accessToken`, or in the environment variable APIKEYS_ACCESS_TOKEN, which takes precedence. Refresh and destroy use the stack config of the last update, unless you add `--run-program`",
    );
  }
  return {
    problem:
      "the access token is not configured: run `pulumi config set --secret apikeys:accessToken`, set the environment variable APIKEYS_ACCESS_TOKEN, or pass accessToken or accessTokenEnv to a Provider.",
  };
}

function usable(value: string, source: string, wayOut: string): Token {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header must not hold.
  if (/[\s\u0000-\u001f\u007f]/.test(value) || /[^\u0000-\u00ff]/.test(value)) {
    return {
      problem: `the access token from ${source} contains white space or a character that a header can't carry: copy it again, without a line break at its end.`,
    };
  }
  return { value, advice: sentences(`The access token came from ${source}`, wayOut) };
}

type Choice = readonly [string | undefined, string];

function first(...choices: readonly Choice[]): Choice {
  return choices.find(([value]) => value !== undefined && value !== "") ?? [undefined, ""];
}
