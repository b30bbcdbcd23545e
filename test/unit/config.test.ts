import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  argumentNamespace,
  configNamespace,
  configuration,
  isLoopback,
  settings,
} from "../../provider/config";
import { lifecycle } from "../../provider/lifecycle";
import { apiKey } from "../../provider/resources/apiKey";
import { least, offline } from "./offline";

type Texts = Readonly<Record<string, string>>;

/** What the engine's config, a Provider's arguments and the environment come to. */
function resolved(given: { argument?: Texts; env?: Texts; stack?: Texts }) {
  const under = (namespace: string, values: Texts = {}) =>
    Object.entries(values).map(([name, value]) => [`${namespace}:${name}`, value]);
  const config: Record<string, unknown> = Object.fromEntries([
    ...under(argumentNamespace, given.argument),
    ...under(configNamespace, given.stack),
  ]);
  const found = configuration(
    settings((key) => config[key]),
    given.env ?? {},
  );
  return "ready" in found ? { ...found.ready.credentials, advice: found.ready.tokenAdvice } : found.problems;
}

const problemsOf = (given: Parameters<typeof resolved>[0]) => {
  const found = resolved(given);
  return Array.isArray(found) ? (found as readonly string[]) : [];
};
const withUrl = (baseUrl: string, more: Texts = {}) => ({ stack: { baseUrl, accessToken: "t", ...more } });

describe("the configuration", () => {
  test("R14 an argument goes before the environment, and the environment before stack config, field by field", () => {
    const places = ["argument", "env", "stack"] as const;
    const names = { baseUrl: "APIKEYS_BASE_URL", accessToken: "APIKEYS_ACCESS_TOKEN" } as const;
    const values = (name: keyof typeof names, place: string) =>
      name === "baseUrl" ? `https://${place}.test` : `token-of-${place}`;
    const presence = fc.subarray([...places], { minLength: 1 });
    fc.assert(
      fc.property(presence, presence, (urls, tokens) => {
        const given: Record<(typeof places)[number], Record<string, string>> = {
          argument: {},
          env: {},
          stack: {},
        };
        for (const place of urls)
          given[place][place === "env" ? names.baseUrl : "baseUrl"] = values("baseUrl", place);
        for (const place of tokens) {
          given[place][place === "env" ? names.accessToken : "accessToken"] = values("accessToken", place);
        }
        expect(resolved(given)).toMatchObject({
          baseUrl: values("baseUrl", urls[0] ?? ""),
          accessToken: values("accessToken", tokens[0] ?? ""),
        });
      }),
    );
  });

  test("R14 an empty value is none, wherever it stands", () => {
    const env = { APIKEYS_BASE_URL: "", APIKEYS_ACCESS_TOKEN: "" };
    const argument = { baseUrl: "", accessToken: "", accessTokenEnv: "" };
    const stack = { baseUrl: "https://stack.test", accessToken: "token" };
    expect(resolved({ argument, env, stack })).toMatchObject(stack);
  });

  test("R14 accessTokenEnv names a variable that is read in place of all others", () => {
    const argument = { baseUrl: "https://a.test", accessTokenEnv: "CI_TOKEN" };
    const env = { CI_TOKEN: "from-ci", APIKEYS_ACCESS_TOKEN: "other" };
    expect(resolved({ argument, env })).toMatchObject({ accessToken: "from-ci" });
    const { CI_TOKEN: _, ...without } = env;
    const problems = problemsOf({ argument, env: without, stack: { accessToken: "other" } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("CI_TOKEN");
  });

  test("R14 the advice for a token that is not accepted says where it came from", () => {
    const baseUrl = "https://a.test";
    const advice = (given: Parameters<typeof resolved>[0]) => (resolved(given) as { advice: string }).advice;
    const fromStack = advice({ stack: { baseUrl, accessToken: "t" } });
    expect(fromStack).toMatch(/apikeys:accessToken.*--run-program.*APIKEYS_ACCESS_TOKEN/);
    const fromArgument = advice({ argument: { baseUrl, accessToken: "t" } });
    expect(fromArgument).toMatch(/argument accessToken.*--run-program.*accessTokenEnv/);
    expect(advice({ stack: { baseUrl }, env: { APIKEYS_ACCESS_TOKEN: "t" } })).toContain(
      "APIKEYS_ACCESS_TOKEN",
    );
    expect(advice({ argument: { baseUrl, accessTokenEnv: "CI" }, env: { CI: "t" } })).toContain("CI");
  });

  test("R14 the environment is read at each call", () => {
    const env: Record<string, string> = {};
    const subject = lifecycle(apiKey, {
      settings: settings(() => undefined),
      env,
      transport: () => {
        throw new Error("no request is made here");
      },
      warn: () => {},
    });
    expect(subject.check(least, undefined).failures).toHaveLength(2);
    env["APIKEYS_BASE_URL"] = "https://a.test";
    env["APIKEYS_ACCESS_TOKEN"] = "t";
    expect(subject.check(least, undefined).failures).toEqual([]);
  });

  test("R8 what is missing is a check failure for each value, beside all others, and names the ways to give it", () => {
    const { failures } = offline({}).check({ ...least, enabled: 1 }, undefined);
    expect(failures).toHaveLength(3);
    expect(failures[0]).toMatch(/base URL.*apikeys:baseUrl.*APIKEYS_BASE_URL.*Provider baseUrl/);
    expect(failures[1]).toMatch(/access token.*apikeys:accessToken.*APIKEYS_ACCESS_TOKEN.*accessTokenEnv/);
    expect(failures[2]).toMatch(/^enabled: /);
  });

  test("R8 what is missing is one line of an operation's error too", async () => {
    const { key: _, ...state } = { ...least, key: "sk" };
    for (const operation of [
      () => offline({}).create(least),
      () => offline({}).read("id", state),
      () => offline({}).update("id", state, least),
      () => offline({}).delete("id", state),
    ]) {
      await expect(operation()).rejects.toThrow(
        /^The service's base URL is not configured: .*\. The access token is/,
      );
    }
  });
});

describe("the base URL", () => {
  test("R8 https is taken, with a port and a path", () => {
    for (const baseUrl of [
      "https://a.test",
      "HTTPS://a.test:8443/keys/",
      " https://a.test ",
      "https://[2001:db8::1]/x",
    ]) {
      expect(resolved(withUrl(baseUrl))).toMatchObject({ baseUrl: baseUrl.trim() });
    }
  });

  test.each([
    ["a.test", "is not a URL"],
    ["//a.test", "is not a URL"],
    ["https:/a.test", "is not a URL"],
    ["https://", "is not a URL"],
    ["https://a b.test", "is not a URL"],
    ["ftp://a.test", "is not a URL"],
    ["file:///etc/passwd", "is not a URL"],
    ["javascript:alert(1)", "is not a URL"],
    ["https://a.test?x=1", "holds a query or a fragment"],
    ["https://a.test/?", "holds a query or a fragment"],
    ["https://a.test/#", "holds a query or a fragment"],
    ["http://a.test", "is http"],
    ["http://127.0.0.1.a.test", "is http"],
    ["http://localhost.a.test", "is http"],
    ["http://128.0.0.1", "is http"],
    ["http://[::2]", "is http"],
    ["http://0.0.0.0", "is http"],
  ])("R8 %s is refused: it %s", (baseUrl, problem) => {
    const problems = problemsOf(withUrl(baseUrl));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^stack config apikeys:baseUrl ${problem}`));
    expect(problems[0]).not.toContain(baseUrl.replace(/^.*\/\//, "") || "nothing to hide");
  });

  test("R8 user info is refused with a message that does not show it", () => {
    for (const baseUrl of [
      "https://user:hunter2@a.test",
      "https://hunter2@a.test/",
      "http://:hunter2@localhost",
    ]) {
      const problems = problemsOf(withUrl(baseUrl));
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain("holds a user name or password");
      expect(problems[0]).not.toContain("hunter2");
    }
  });

  test("R8 http is taken for this machine itself", () => {
    const hosts = [
      "localhost",
      "LOCALHOST:80",
      "127.0.0.1:3000",
      "127.8.9.255",
      "127.1",
      "0x7f.1",
      "[::1]:3000",
      "[0:0:0:0:0:0:0:1]",
    ];
    for (const host of hosts)
      expect(resolved(withUrl(`http://${host}/x`)), host).toMatchObject({ accessToken: "t" });
  });

  test("R8 http elsewhere is taken where it is allowed, by argument, environment or stack config", () => {
    const stack = { baseUrl: "http://keys.internal", accessToken: "t" };
    expect(problemsOf({ stack })[0]).toMatch(/apikeys:allowHttp.*APIKEYS_ALLOW_HTTP/);
    expect(resolved({ stack: { ...stack, allowHttp: "true" } })).toMatchObject({ baseUrl: stack.baseUrl });
    expect(resolved({ stack, env: { APIKEYS_ALLOW_HTTP: "true" } })).toMatchObject({
      baseUrl: stack.baseUrl,
    });
    expect(resolved({ stack, argument: { allowHttp: "true" } })).toMatchObject({ baseUrl: stack.baseUrl });
    expect(
      problemsOf({ stack, argument: { allowHttp: "false" }, env: { APIKEYS_ALLOW_HTTP: "true" } }),
    ).toHaveLength(1);
    expect(problemsOf({ stack: { ...stack, allowHttp: "yes" } })).toHaveLength(1);
  });

  test("isLoopback holds for 127.0.0.0/8 as a URL spells it, and for nothing that only begins like it", () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(byte, byte, byte, (b, c, d) => isLoopback(new URL(`http://127.${b}.${c}.${d}`).hostname)),
    );
    fc.assert(
      fc.property(
        fc.domain(),
        (domain) => !isLoopback(`127.0.0.1.${domain}`) && !isLoopback(`localhost.${domain}`),
      ),
    );
  });

  test("a problem names its source", () => {
    const env = { APIKEYS_BASE_URL: "nonsense", APIKEYS_ACCESS_TOKEN: "t" };
    expect(problemsOf({ env })[0]).toMatch(/^the environment variable APIKEYS_BASE_URL is not a URL/);
    expect(problemsOf({ env, argument: { baseUrl: "nonsense" } })[0]).toMatch(
      /^the Provider's argument baseUrl is not/,
    );
  });
});

describe("the access token", () => {
  test("R8 white space, control characters and what no header carries are refused without showing the token", () => {
    const odd = fc.constantFrom(
      " ",
      "\n",
      "\r\n",
      "\t",
      "\u0000",
      "\u001f",
      "\u007f",
      "\u00a0",
      "\u2028",
      "ł",
      "😀",
    );
    const part = fc.stringMatching(/^[a-z]{5,9}$/).map((text) => `SECRET${text}`);
    const token = fc.tuple(part, odd, fc.oneof(part, fc.constant(""))).map((parts) => parts.join(""));
    fc.assert(
      fc.property(token, (accessToken) => {
        const problems = problemsOf({ stack: { baseUrl: "https://a.test", accessToken } });
        expect(problems).toHaveLength(1);
        expect(problems[0]).toMatch(/^the access token from stack config apikeys:accessToken holds/);
        expect(problems[0]).not.toContain("SECRET");
      }),
    );
  });

  test("every printable ASCII token is taken as it is", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]+$/), (accessToken) => {
        expect(resolved({ stack: { baseUrl: "https://a.test", accessToken } })).toMatchObject({
          accessToken,
        });
      }),
    );
  });
});
