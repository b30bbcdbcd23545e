import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  argumentNamespace,
  configNamespace,
  configuration,
  disagreement,
  engineConfig,
} from "../../../provider/lifecycle/config";
import { least, offline } from "../offline";

type Texts = Readonly<Record<string, string>>;

/** Settings by their source. */
interface Given {
  readonly argument?: Texts;
  readonly env?: Texts;
  readonly stack?: Texts;
}

/** The configuration that results, or what is wrong with it. */
function resolved({ argument = {}, env = {}, stack = {} }: Given) {
  const config = new Map<string, string>([
    ...Object.entries(argument).map(([name, value]) => [`${argumentNamespace}:${name}`, value] as const),
    ...Object.entries(stack).map(([name, value]) => [`${configNamespace}:${name}`, value] as const),
  ]);
  const found = configuration(
    engineConfig((key) => config.get(key)),
    env,
  );
  const { credentials, problems, tokenAdvice: advice, baseUrlSource: source, keysAtOnce } = found;
  return { problems, ...credentials, advice, source, keysAtOnce };
}

const withUrl = (baseUrl: string) => ({ stack: { baseUrl, accessToken: "t" } });

describe("the configuration", () => {
  test("R14: each setting comes from the argument first, then the environment, then stack config", () => {
    const places = ["argument", "env", "stack"] as const;
    const presence = fc.subarray([...places], { minLength: 1 });
    fc.assert(
      fc.property(presence, presence, (urls, tokens) => {
        const valuesAt = (place: (typeof places)[number]) => ({
          ...(urls.includes(place) && {
            [place === "env" ? "APIKEYS_BASE_URL" : "baseUrl"]: `https://${place}.test`,
          }),
          ...(tokens.includes(place) && {
            [place === "env" ? "APIKEYS_ACCESS_TOKEN" : "accessToken"]: `token-of-${place}`,
          }),
        });
        const given = Object.fromEntries(places.map((place) => [place, valuesAt(place)]));
        const expected = { baseUrl: `https://${urls[0]}.test`, accessToken: `token-of-${tokens[0]}` };
        expect(resolved(given)).toMatchObject(expected);
      }),
    );
  });

  test("R14 limits come from the same places, and are whole numbers within bounds", () => {
    const { stack } = withUrl("https://a.test");
    const env = { APIKEYS_MAX_ATTEMPTS: " 2 ", APIKEYS_CONCURRENCY: "8" };
    const usual = { maxAttempts: 4, concurrency: 32, keysAtOnce: 16 };
    expect(resolved({ stack })).toMatchObject(usual);
    expect(resolved({ stack: { ...stack, maxAttempts: "3" } })).toMatchObject({ ...usual, maxAttempts: 3 });
    const argument = { maxAttempts: "10", concurrency: "1" };
    const few = { maxAttempts: 2, concurrency: 8, keysAtOnce: 4 };
    expect(resolved({ stack: { ...stack, maxAttempts: "3" }, env })).toMatchObject(few);
    const one = { maxAttempts: 10, concurrency: 1, keysAtOnce: 1 };
    expect(resolved({ stack, env, argument })).toMatchObject(one);
    for (const wrong of ["0", "11", "-1", "1.5", "1e1", "0x1", "many"])
      expect(resolved({ stack, env: { APIKEYS_MAX_ATTEMPTS: wrong } }).problems).toEqual([
        "The environment variable APIKEYS_MAX_ATTEMPTS must be a whole number from 1 to 10.",
      ]);
    expect(resolved({ stack: { ...stack, concurrency: "257" } }).problems).toEqual([
      "Stack config apikeys:concurrency must be a whole number from 1 to 256.",
    ]);
  });

  test("R14 an empty value is unset, in each of the three places", () => {
    const env = { APIKEYS_BASE_URL: "", APIKEYS_ACCESS_TOKEN: "" };
    const argument = { baseUrl: "", accessToken: "", accessTokenEnv: "" };
    const stack = { baseUrl: "https://stack.test", accessToken: "token" };
    expect(resolved({ argument, env, stack })).toMatchObject(stack);
  });

  test("R14 the token comes only from the variable that accessTokenEnv names", () => {
    const argument = { baseUrl: "https://a.test", accessTokenEnv: "CI_TOKEN" };
    const others = { env: { APIKEYS_ACCESS_TOKEN: "other" }, stack: { accessToken: "other" } };
    const env = { ...others.env, CI_TOKEN: "from-ci" };
    expect(resolved({ argument, env })).toMatchObject({ accessToken: "from-ci" });
    expect(resolved({ argument, ...others }).problems).toEqual([expect.stringContaining("CI_TOKEN")]);
    expect(resolved({ argument: { ...argument, accessToken: "t" }, env }).problems).toEqual([
      "The Provider has both accessToken and accessTokenEnv: set one of them.",
    ]);
  });

  const baseUrl = "https://a.test";
  test.each<[string, Given, RegExp]>([
    [
      "stack config",
      { stack: { baseUrl, accessToken: "t" } },
      /stack config apikeys:accessToken\. Set a valid one .*--run-program/,
    ],
    [
      "an argument",
      { argument: { baseUrl, accessToken: "t" } },
      /argument accessToken\. Set a valid one .*--run-program/,
    ],
    [
      "the environment",
      { stack: { baseUrl }, env: { APIKEYS_ACCESS_TOKEN: "t" } },
      /variable APIKEYS_ACCESS_TOKEN\. Set a valid one there\.$/,
    ],
    [
      "a named variable",
      { argument: { baseUrl, accessTokenEnv: "CI" }, env: { CI: "t" } },
      /variable CI\. Set a valid one there\.$/,
    ],
  ])("R14 the advice for a rejected token from %s says where it came from", (_place, given, advice) => {
    expect(resolved(given)).toMatchObject({ advice: expect.stringMatching(advice) });
  });

  test("R14 messages say where the base URL came from, but don't show an argument, which may be secret", () => {
    const { stack } = withUrl("https://stack.test");
    const env = { APIKEYS_BASE_URL: "https://env.test" };
    const argument = { baseUrl: "https://argument.test" };
    expect([{ stack }, { stack, env }, { stack, argument }].map((given) => resolved(given))).toMatchObject([
      { source: "https://stack.test, from stack config apikeys:baseUrl" },
      { source: "https://env.test, from the environment variable APIKEYS_BASE_URL" },
      { source: "from the Provider's argument baseUrl" },
    ]);
  });

  test.each([
    [" https://a.test ", "https://b.test/", true],
    ["https://a.test/x", "https://a.test", true],
    ["https://a.test", "b.test", true],
    ["https://a.test", " https://a.test// ", false],
    ["https://a.test", "HTTPS://A.test:443/", false],
    [undefined, "https://b.test", false],
    ["https://a.test", undefined, false],
  ])(
    "R14 whether a warning says that the environment has %j and stack config %j: %j",
    (env, stack, isWarned) => {
      const warningWith = (argument: Texts) =>
        disagreement(
          { argument, stack: stack === undefined ? {} : { baseUrl: stack } },
          { APIKEYS_BASE_URL: env },
        );
      expect(warningWith({}) !== undefined).toBe(isWarned);
      // A Provider's argument overrides both on purpose.
      expect(warningWith({ baseUrl: "https://c.test" })).toBeUndefined();
    },
  );

  test.each([
    [{}, 0],
    [{ APIKEYS_BASE_URL: "", APIKEYS_ACCESS_TOKEN: "" }, 2],
    [{ APIKEYS_ACCESS_TOKEN: "with space" }, 1],
    [{ APIKEYS_BASE_URL: "http://a.test" }, 1],
    [{ APIKEYS_BASE_URL: "http://a.test", APIKEYS_ALLOW_HTTP: "true" }, 0],
    [{ APIKEYS_MOVED_FROM: "api.old.example.com" }, 1],
    [{ APIKEYS_NO_KEY_LIST: "yes" }, 1],
    [{ APIKEYS_ALLOW_HTTP: "no" }, 1],
  ])("R14 check reads the environment: with %j it has %i failures", (env, count) => {
    const whole = { APIKEYS_BASE_URL: "https://a.test", APIKEYS_ACCESS_TOKEN: "t", ...env };
    expect(offline({}, whole).check(least, undefined).failures).toHaveLength(count);
  });

  test("R8 check fails for each missing value, with the ways to set it, beside all other failures", () => {
    expect(offline({}).check({ ...least, enabled: 1 }, undefined).failures).toEqual([
      expect.stringMatching(/base URL.*apikeys:baseUrl.*APIKEYS_BASE_URL.*baseUrl to a Provider/),
      expect.stringMatching(/access token.*apikeys:accessToken.*APIKEYS_ACCESS_TOKEN.*accessTokenEnv/),
      expect.stringMatching(/^enabled: /),
    ]);
  });

  test("R8 every other operation fails in one line if values are missing", async () => {
    const key = offline({});
    for (const operation of [
      () => key.create(least),
      () => key.read("id", least),
      () => key.update("id", least, { ...least, name: "new" }),
      () => key.delete("id", least),
    ])
      await expect(operation()).rejects.toThrow(
        /^The service's base URL is not configured\. .*\. The access token is/,
      );
  });
});

describe("the base URL", () => {
  test.each([
    "https://a.test",
    "HTTPS://a.test:8443/keys/",
    " https://a.test ",
    "https://a.test/api/v1/keys",
    "http://localhost:80/x",
    "http://127.8.9.255/x",
    "http://0x7f.1",
    "http://[::1]:3000/x",
  ])("R8 the base URL may be %j: https, or http for this machine", (url) => {
    expect(resolved(withUrl(url))).toMatchObject({ baseUrl: url.trim() });
  });

  test.each([
    ["a.test", "is not a URL"],
    ["https://a b.test", "is not a URL"],
    ["ftp://a.test", "is not a URL that begins with https://"],
    ["localhost:8080", "is not a URL that begins with https://"],
    ["https://a.test?x=1", "contains a user name, a password, a query or a fragment"],
    ["https://user:hunter2@a.test", "contains a user name, a password, a query or a fragment"],
    ["https://a.test/keys/api/v1", "ends in /api/v1"],
    ["https://a.test/API/V1/ ", "ends in /api/v1"],
    ["http://a.test", "is http"],
    ["http://128.0.0.1", "is http"],
    ["http://[::2]", "is http"],
    ["http://0.0.0.0", "is http"],
  ])("R8 the base URL can't be %s, which %s, and the error doesn't quote it", (url, problem) => {
    const [found = "", ...others] = resolved(withUrl(url)).problems;
    expect(others).toEqual([]);
    expect(found).toMatch(new RegExp(`^Stack config apikeys:baseUrl ${problem}`));
    expect(found).not.toContain(url.replace(/^.*\/\//, ""));
    expect(found).not.toContain("hunter2");
    const env = { APIKEYS_BASE_URL: url };
    expect(resolved({ env, stack: { accessToken: "t" } }).problems).toEqual([
      expect.stringContaining(`The environment variable APIKEYS_BASE_URL ${problem}`),
    ]);
  });

  const stack = { baseUrl: "http://keys.internal", accessToken: "t" };
  test.each<[Given, number]>([
    [{ stack }, 1],
    [{ stack: { ...stack, allowHttp: "true" } }, 0],
    [{ stack, env: { APIKEYS_ALLOW_HTTP: "true" } }, 0],
    [{ stack, argument: { allowHttp: "true" } }, 0],
    [{ stack, argument: { allowHttp: "false" }, env: { APIKEYS_ALLOW_HTTP: "true" } }, 1],
    [{ stack: { ...stack, allowHttp: "yes" } }, 1],
  ])(
    "R8 the base URL may be http elsewhere only if a setting allows it: %j has %i problems",
    (given, count) => {
      expect(resolved(given).problems).toHaveLength(count);
    },
  );
});

test.each(['"tok"', "'tok'", '"tok'])("R8 an access token can't be in quotes: %s", (accessToken) => {
  const { problems } = resolved({ stack: { baseUrl: "https://a.test", accessToken } });
  expect(problems).toEqual([
    expect.stringMatching(
      /^The access token from stack config apikeys:accessToken is in quotes\. Copy it again, without quotes/,
    ),
  ]);
  expect(problems.join()).not.toContain('tok"');
});

test("R8 an access token can't contain white space or what no header carries, and the error hides it", () => {
  const odd = fc.constantFrom(..." \n\r\t\u0000\u001f\u007f\u00a0\u2028ł", "😀");
  const part = fc.stringMatching(/^[a-z]{5,9}$/).map((text) => `SECRET${text}`);
  const token = fc.tuple(part, odd, fc.oneof(part, fc.constant(""))).map((parts) => parts.join(""));
  fc.assert(
    fc.property(token, (accessToken) => {
      const [problem, ...others] = resolved({ stack: { baseUrl: "https://a.test", accessToken } }).problems;
      expect(others).toEqual([]);
      expect(problem).toMatch(/^The access token from stack config apikeys:accessToken contains/);
      expect(problem).not.toContain("SECRET");
    }),
  );
});
