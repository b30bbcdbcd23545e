import { describe, expect, it } from "vitest";
import { classify, type Exchange } from "../../../provider/client/outcome";
import { retryAfterMs } from "../../../provider/client/retryAfter";

const asked = {
  method: "POST",
  url: "https://api.example/pre/api/v1/api-key",
  secrets: ["tok_secret"],
  fieldNames: ["name"],
  wallNow: Date.parse("2026-01-01T00:00:00Z"),
};
const answered = (status: number, body: unknown = "", headers = {}): Exchange => ({
  kind: "answered",
  status,
  headers,
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});
const kindOf = (status: number, method = "POST") => classify(answered(status), { ...asked, method }).kind;

describe("the outcome of a write", () => {
  it.each<[string, readonly number[]]>([
    ["done", [200, 201, 202, 204, 206, 299]],
    ["ambiguous", [408, 499, 500, 501, 502, 503, 504, 507, 520, 599]],
    ["refused", [400, 401, 403, 404, 405, 410, 413, 421, 422, 425, 451]],
    // Redirects are not followed.
    ["refused", [300, 301, 304, 307, 308]],
  ])("is %s after each of %j", (kind, statuses) => {
    expect(statuses.map((status) => kindOf(status))).toEqual(statuses.map(() => kind));
  });

  it.each([
    [409, "a proxy may have repeated the POST", ["ambiguous", "refused", "refused", "refused"]],
    [302, "many services redirect after a successful POST", ["ambiguous", "refused", "refused", "refused"]],
    [303, "it points to a result", ["ambiguous", "ambiguous", "ambiguous", "refused"]],
  ])("depends on the method after a %i, because %s", (status, _why, kinds) => {
    expect(["POST", "PATCH", "DELETE", "GET"].map((method) => kindOf(status, method))).toEqual(kinds);
  });

  it("is throttled after a 429, with the wait that it asks for", () => {
    const outcome = classify(answered(429, { message: "slow down" }, { "retry-after": "7" }), asked);
    expect(outcome).toEqual({
      kind: "throttled",
      phrase: 'the service answered 429 "slow down"',
      askedMs: 7_000,
    });
  });

  it("is done after a 2xx even if the body was cut off", () => {
    const body = { problem: "was cut off", lasting: false };
    expect(classify({ kind: "answered", status: 200, headers: {}, body }, asked).kind).toBe("done");
  });

  it("is refused after a 4xx whose body was cut off, without the service's words", () => {
    const body = { problem: "was cut off", lasting: false };
    const outcome = classify({ kind: "answered", status: 403, headers: {}, body }, asked);
    expect(outcome).toEqual({ kind: "refused", status: 403, phrase: "the service answered 403" });
  });

  it.each([
    [true, "ambiguous"],
    [false, "notSent"],
  ])("after a failed exchange (started: %s) is %s", (started, kind) => {
    const failed: Exchange = { kind: "failed", started, phrase: "it failed", lasting: false };
    expect(classify(failed, asked)).toMatchObject({ kind, phrase: "it failed" });
  });

  it("has the wait that a 503 asks for, but not that of other statuses", () => {
    const headers = { "retry-after": "3" };
    expect(classify(answered(503, "", headers), asked)).toMatchObject({ askedMs: 3_000 });
    expect(classify(answered(502, "", headers), asked)).toMatchObject({ askedMs: undefined });
  });

  it.each([
    ["https://login.example/in?next=tok_secret&x=1#y", "https://login.example/in"],
    ["/elsewhere?q=1", "https://api.example/elsewhere"],
    ["sub", "https://api.example/pre/api/v1/sub"],
    ["", "https://api.example/pre/api/v1/api-key"],
    ["https://user:pass@other.example/a", "https://other.example/a"],
    ["https://other.example/tok_secret/%74", "https://other.example/[secret]/%74"],
  ])('names the target of a redirect to "%s" without query and user: %s', (location, target) => {
    const outcome = classify(answered(302, "", { location }), { ...asked, method: "GET" });
    const phrase = `the service answered 302 and redirected to ${target}; redirects are not followed`;
    expect(outcome).toMatchObject({ kind: "refused", phrase });
  });

  it.each([
    [undefined],
    ["https://"],
    ["javascript:alert(1)"],
    ["data:text/plain,tok_secret"],
    [["/a", "/b"]],
  ])("names no invalid target of a redirect: %s", (location) => {
    const headers = location === undefined ? {} : { location };
    const outcome = classify(answered(302, "", headers), { ...asked, method: "GET" });
    expect(outcome).toMatchObject({ phrase: "the service answered 302" });
  });

  it("has the words of an error, and not where its Location points", () => {
    const outcome = classify(answered(409, "taken", { location: "/a" }), asked);
    expect(outcome).toMatchObject({ phrase: 'the service answered 409 "taken"' });
  });

  it("cuts the target of a redirect at 300 characters", () => {
    const outcome = classify(answered(302, "", { location: `https://x.example/${"a".repeat(900)}` }), {
      ...asked,
      method: "GET",
    });
    const target = /redirected to (\S+);/.exec("phrase" in outcome ? outcome.phrase : "")?.[1] ?? "";
    expect(target).toHaveLength(300);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  it.each([
    ["0", 0],
    ["7", 7_000],
    [" 7 ", 7_000],
    ["1.5", 1_500],
    ["31536000", 31_536_000_000],
    ["Thu, 01 Jan 2026 00:00:10 GMT", 10_000],
    ["Thursday, 01-Jan-26 00:00:10 GMT", 10_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ])("of %s asks for %i ms", (header, ms) => {
    expect(retryAfterMs(header, undefined, now)).toBe(ms);
  });

  const words = ["", "soon", "-5", "+5", "0x10", "1e3", "5 s", "Infinity", "NaN", "Thu", "never, 99"];
  const tooLong = ["31536001", "1767225600", "99999999999999999999", "Fri, 01 Jan 9999 00:00:00 GMT"];
  it.each([undefined, ...words, ...tooLong])("of %s is invalid and asks for nothing", (header) => {
    expect(retryAfterMs(header, undefined, now)).toBeUndefined();
  });

  it("counts a date from the answer's Date header, so that a wrong local clock does no harm", () => {
    const header = "Thu, 01 Jan 2026 00:00:10 GMT";
    const anHourLate = now + 3_600_000;
    expect(retryAfterMs(header, "Thu, 01 Jan 2026 00:00:00 GMT", anHourLate)).toBe(10_000);
    expect(retryAfterMs(header, "nonsense", now)).toBe(10_000);
  });
});
