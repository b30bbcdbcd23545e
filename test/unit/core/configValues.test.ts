import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLoopback } from "../../../provider/client/wire";
import { problemsOf, resolved } from "./resolvedConfig";

const withUrl = (baseUrl: string) => ({ stack: { baseUrl, accessToken: "t" } });

describe("the base URL", () => {
  test("R8 may be https, with a port and a path", () => {
    for (const baseUrl of [
      "https://a.test",
      "HTTPS://a.test:8443/keys/",
      " https://a.test ",
      "https://[2001:db8::1]/x",
      "https://a.test/api",
      "https://a.test/api/v1/keys",
      "https://a.test/myapi/v1",
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
    ["https://a.test?x=1", "contains a user name, a password, a query or a fragment"],
    ["https://a.test/?", "contains a user name, a password, a query or a fragment"],
    ["https://a.test/#", "contains a user name, a password, a query or a fragment"],
    ["https://a.test/api/v1", "ends in /api/v1"],
    ["https://a.test/keys/api/v1", "ends in /api/v1"],
    ["https://a.test/API/V1/ ", "ends in /api/v1"],
    ["http://a.test", "is http"],
    ["http://127.0.0.1.a.test", "is http"],
    ["http://localhost.a.test", "is http"],
    ["http://128.0.0.1", "is http"],
    ["http://[::2]", "is http"],
    ["http://0.0.0.0", "is http"],
  ])("R8 can't be %s, which %s", (baseUrl, problem) => {
    const problems = problemsOf(withUrl(baseUrl));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^stack config apikeys:baseUrl ${problem}`));
    expect(problems[0]).not.toContain(baseUrl.replace(/^.*\/\//, "") || "nothing to hide");
  });

  test("R8 can't have a user name or password, which the error does not show", () => {
    for (const baseUrl of [
      "https://user:hunter2@a.test",
      "https://hunter2@a.test/",
      "http://:hunter2@localhost",
    ]) {
      const problems = problemsOf(withUrl(baseUrl));
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain("contains a user name, a password");
      expect(problems[0]).not.toContain("hunter2");
    }
  });

  test("R8 may be http for this machine itself", () => {
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

  test("R8 may be http elsewhere only if the argument, the environment or stack config allows it", () => {
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

  test("counts as this machine's for all of 127.0.0.0/8, but not for a domain that only begins like it", () => {
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

  test("is rejected with a message that names where it came from", () => {
    const env = { APIKEYS_BASE_URL: "nonsense", APIKEYS_ACCESS_TOKEN: "t" };
    expect(problemsOf({ env })[0]).toMatch(/^the environment variable APIKEYS_BASE_URL is not a URL/);
    expect(problemsOf({ env, argument: { baseUrl: "nonsense" } })[0]).toMatch(
      /^the Provider's argument baseUrl is not/,
    );
  });
});

describe("the access token", () => {
  test("R8 can't contain white space, control characters or what no header carries, and the error hides it", () => {
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
        expect(problems[0]).toMatch(/^the access token from stack config apikeys:accessToken contains/);
        expect(problems[0]).not.toContain("SECRET");
      }),
    );
  });

  test("may be any printable ASCII string, and is used unchanged", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]+$/), (accessToken) => {
        expect(resolved({ stack: { baseUrl: "https://a.test", accessToken } })).toMatchObject({
          accessToken,
        });
      }),
    );
  });
});
