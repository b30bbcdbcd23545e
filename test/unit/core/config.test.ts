import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { disagreement } from "../../../provider/lifecycle/config";
import { least, offline } from "../offline";
import { type Given, problemsOf, resolved } from "./resolvedConfig";

describe("the configuration", () => {
  test("R14 takes each value from the argument first, then the environment, then stack config", () => {
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

  test("R14 treats an empty value as unset, in each of the three places", () => {
    const env = { APIKEYS_BASE_URL: "", APIKEYS_ACCESS_TOKEN: "" };
    const argument = { baseUrl: "", accessToken: "", accessTokenEnv: "" };
    const stack = { baseUrl: "https://stack.test", accessToken: "token" };
    expect(resolved({ argument, env, stack })).toMatchObject(stack);
  });

  test("R14 takes the token only from the variable that accessTokenEnv names", () => {
    const argument = { baseUrl: "https://a.test", accessTokenEnv: "CI_TOKEN" };
    const env = { CI_TOKEN: "from-ci", APIKEYS_ACCESS_TOKEN: "other" };
    expect(resolved({ argument, env })).toMatchObject({ accessToken: "from-ci" });
    const { CI_TOKEN: _, ...without } = env;
    const problems = problemsOf({ argument, env: without, stack: { accessToken: "other" } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("CI_TOKEN");
    const both = problemsOf({ argument: { ...argument, accessToken: "t" }, env });
    expect(both).toEqual(["the Provider has both accessToken and accessTokenEnv: set one of them."]);
  });

  test("R14 says where the token came from in the advice for a rejected token", () => {
    const baseUrl = "https://a.test";
    const advice = (given: Given) => (resolved(given) as { advice: string }).advice;
    const fromStack = advice({ stack: { baseUrl, accessToken: "t" } });
    expect(fromStack).toMatch(
      /apikeys:accessToken\. .*`pulumi config set --secret apikeys:accessToken`.*APIKEYS_ACCESS_TOKEN.*--run-program/,
    );
    const fromArgument = advice({ argument: { baseUrl, accessToken: "t" } });
    expect(fromArgument).toMatch(/argument accessToken\. .*accessTokenEnv.*--run-program/);
    expect(advice({ stack: { baseUrl }, env: { APIKEYS_ACCESS_TOKEN: "t" } })).toContain(
      "APIKEYS_ACCESS_TOKEN",
    );
    expect(advice({ argument: { baseUrl, accessTokenEnv: "CI" }, env: { CI: "t" } })).toContain("CI");
  });

  test("R14 says where the base URL came from, but does not show an argument, which may be secret", () => {
    const source = (given: Given) => (resolved(given) as { source: string }).source;
    const stack = { baseUrl: "https://stack.test", accessToken: "t" };
    expect(source({ stack })).toBe("https://stack.test, from stack config apikeys:baseUrl");
    expect(source({ stack, env: { APIKEYS_BASE_URL: "https://env.test" } })).toBe(
      "https://env.test, from the environment variable APIKEYS_BASE_URL",
    );
    expect(source({ stack, argument: { baseUrl: "https://argument.test" } })).toBe(
      "from the Provider's argument baseUrl",
    );
  });

  test("R14 says which base URL is used if the environment and stack config have different ones", () => {
    const warningOf = (env: string | undefined, stack: string | undefined, argument?: string) =>
      disagreement(
        {
          argument: argument === undefined ? {} : { baseUrl: argument },
          stack: stack === undefined ? {} : { baseUrl: stack },
        },
        { APIKEYS_BASE_URL: env },
      );
    const line = (used: string, unused: string) =>
      `APIKEYS_BASE_URL${used} overrides stack config apikeys:baseUrl${unused}, which differs. Remove one of them.`;
    expect(warningOf(" https://a.test ", "https://b.test/")).toBe(
      line(" (https://a.test)", " (https://b.test/)"),
    );
    expect(warningOf("https://a.test/x", "https://a.test")).toBe(
      line(" (https://a.test/x)", " (https://a.test)"),
    );
    for (const same of ["https://a.test", " https://a.test// ", "HTTPS://A.test:443/"]) {
      expect(warningOf("https://a.test", same)).toBeUndefined();
    }
    expect(warningOf(undefined, "https://b.test")).toBeUndefined();
    expect(warningOf("", "https://b.test")).toBeUndefined();
    expect(warningOf("https://a.test", undefined)).toBeUndefined();
    // A Provider's argument overrides both on purpose.
    expect(warningOf("https://a.test", "https://b.test", "https://c.test")).toBeUndefined();
    // A URL that may contain a password is not quoted.
    expect(warningOf("https://a.test", "https://me:secret@b.test")).toBe(line(" (https://a.test)", ""));
    expect(warningOf("https://a.test", "b.test")).toBe(line(" (https://a.test)", ""));
  });

  test("R14 is read from the environment", () => {
    const failures = (env: Readonly<Record<string, string>>) =>
      offline({}, env).check(least, undefined).failures;
    const whole = { APIKEYS_BASE_URL: "https://a.test", APIKEYS_ACCESS_TOKEN: "t" };
    expect(failures({})).toHaveLength(2);
    expect(failures(whole)).toEqual([]);
    for (const wrong of [
      { APIKEYS_ACCESS_TOKEN: "with space" },
      { APIKEYS_BASE_URL: "http://a.test" },
      { APIKEYS_MOVED_FROM: "api.old.example.com" },
      { APIKEYS_NO_KEY_LIST: "yes" },
      { APIKEYS_ALLOW_HTTP: "no" },
    ]) {
      expect(failures({ ...whole, ...wrong })).toHaveLength(1);
    }
    expect(failures({ ...whole, APIKEYS_BASE_URL: "http://a.test", APIKEYS_ALLOW_HTTP: "true" })).toEqual([]);
  });

  test("R8 fails the check for each missing value, with the ways to set it, beside all other failures", () => {
    const { failures } = offline({}).check({ ...least, enabled: 1 }, undefined);
    expect(failures).toHaveLength(3);
    expect(failures[0]).toMatch(/base URL.*apikeys:baseUrl.*APIKEYS_BASE_URL.*baseUrl to a Provider/);
    expect(failures[1]).toMatch(/access token.*apikeys:accessToken.*APIKEYS_ACCESS_TOKEN.*accessTokenEnv/);
    expect(failures[2]).toMatch(/^enabled: /);
  });

  test("R8 fails every other operation in one line if values are missing", async () => {
    const { key: _, ...state } = { ...least, key: "sk" };
    for (const operation of [
      () => offline({}).create(least),
      () => offline({}).read("id", state),
      () => offline({}).update("id", state, { ...least, name: "new" }),
      () => offline({}).delete("id", state),
    ]) {
      await expect(operation()).rejects.toThrow(
        /^The service's base URL is not configured: .*\. The access token is/,
      );
    }
  });
});
