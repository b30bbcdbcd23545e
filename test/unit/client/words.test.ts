import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorInPlace, errorText, maskSecrets } from "../../../provider/client/words";

const said = (body: unknown, secrets: string[] = []) =>
  errorText(typeof body === "string" ? body : JSON.stringify(body), secrets);

describe("the service's own words in an error", () => {
  it.each<[string, unknown]>([
    ["message", { message: "not allowed" }],
    ["error", { error: "not allowed" }],
    ["error.message", { error: { code: 7, message: "not allowed" } }],
    ["errors[].message", { errors: [{ message: "not allowed" }] }],
    ["errors[] as strings", { errors: ["not allowed"] }],
    ["detail, rather than title", { type: "about:blank", title: "Forbidden", detail: "not allowed" }],
    ["detail, if nothing before has words", { message: " ", errors: [{ code: 7 }], detail: "not allowed" }],
    ["errors[], some of which have no words", { errors: [{ code: 7 }, "not allowed", {}] }],
    ["title", { title: "not allowed", status: 403 }],
    ["detail[].msg", { detail: [{ loc: ["body"], msg: "not allowed" }] }],
    ["a JSON string", '"not allowed"'],
    ["plain text", "not allowed\n"],
    ["a list of errors", [{ message: "not allowed" }]],
    [
      "HTML",
      "<html><head><style>p{x:y}</style></head><body><p>not <b>allowed</b></p><script>var a='<p>'</script>",
    ],
  ])("are found in: %s", (_place, body) => {
    expect(said(body)).toBe("not allowed");
  });

  it("are joined from up to five errors, with the field names of a map", () => {
    expect(said({ errors: [{ message: "a" }, { message: "b" }] })).toBe("a; b");
    expect(said({ errors: Array.from({ length: 9 }, () => "x") })).toBe("x; x; x; x; x");
    expect(said({ errors: { name: ["is too short"], id: {}, prefix: "is odd" } })).toBe(
      "name: is too short; prefix: is odd",
    );
  });

  it.each<[unknown]>([
    [""],
    ["   "],
    [{}],
    [[]],
    ["null"],
    ["17"],
    [{ message: 17 }],
    [{ message: "" }],
    [{ code: "E1" }],
  ])("are absent from %j", (body) => {
    expect(said(body)).toBeUndefined();
  });

  it("have no control, format or bidirectional characters, and no escape sequences", () => {
    const body =
      "a\u001b[31mred\u001b[0m\u001b]0;title\u0007 b\r\nc\td\u0000e\u202e\u2066f\u200bg\u009b1mh\ud800i\u2028j";
    expect(said({ message: body })).toBe("ared b c d efghi j");
  });

  it("have no HTML, even if stripping it makes new tags, but keep < and > in comparisons", () => {
    expect(said("a <<b>script>b</<b>script> c")).not.toMatch(/<\/?[a-z]/i);
    expect(said({ message: "expiresAt must be > 0 and < 10" })).toBe("expiresAt must be > 0 and < 10");
  });

  it("have no double quotes, because messages put them in double quotes", () => {
    expect(said({ message: 'no "such" key' })).toBe("no 'such' key");
  });

  it("have at most 300 characters, and no character is cut in half", () => {
    const text = said("😀".repeat(400)) ?? "";
    expect([...text]).toHaveLength(300);
    expect(text.endsWith("😀…")).toBe(true);
    expect(said("x".repeat(300))).toBe("x".repeat(300));
  });

  it("never contain a secret, in any spelling, at any position", () => {
    const unit = fc.oneof(
      fc.constantFrom(..."\"\\/&<>+= %'\u00fc\u20acaZ0_"),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    const secret = fc
      .array(unit, { minLength: 6, maxLength: 60 })
      .map((units) => units.join(""))
      .filter((text) => text.trim().length > 5);
    const spelled = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => JSON.stringify(text).slice(1, -1),
      (text) => encodeURIComponent(text.toWellFormed()),
    );
    const wrap = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => JSON.stringify({ message: text }),
      (text) => JSON.stringify({ error: { message: `Bearer ${text}` } }),
      (text) => `<html>${text}</html>`,
    );
    fc.assert(
      fc.property(secret, spelled, wrap, fc.nat(15_000), (hidden, spell, put, before) => {
        const body = put(`${"x".repeat(before)} ${spell(hidden)} after`);
        expect(errorText(body, [hidden]) ?? "").not.toContain(hidden);
        expect(maskSecrets(spell(hidden), [hidden])).not.toContain(spell(hidden));
      }),
    );
  });

  it("have a secret masked even if they are cut in the middle of it", () => {
    const token = "tok_0123456789abcdefghijklmnopqrstuvwxyz";
    for (let before = 255; before < 300; before += 1) {
      expect(said("x".repeat(before) + token, [token])).not.toContain("tok_");
    }
  });

  it("are not looked for in a body that is larger than an error", () => {
    expect(said("x".repeat(16_384))).toBeDefined();
    expect(said("x".repeat(16_385))).toBeUndefined();
  });

  it("have a secret masked that only shows once other characters are stripped", () => {
    expect(said("tok\u200b_sec\u001b[1mret", ["tok_secret"])).toBe("[secret]");
  });

  it("have each key masked that is in the body", () => {
    const key = "sk_live_1";
    expect(said({ message: `made ${key}`, apiKey: { id: "k", key } })).toBe("made [secret]");
    const raw = `raw: ${JSON.stringify({ apiKey: { key } })}`;
    expect(said({ message: raw })).toBe("raw: {'apiKey':{'key':'[secret]'}}");
    const error = { error: raw };
    expect(errorInPlace(JSON.stringify(error), error, [])).toBe("raw: {'apiKey':{'key':'[secret]'}}");
    expect(said(`oops: {"apiKey":{"id":"k","key":"${key}","name`)).not.toContain(key);
    expect(said(`{'key': '${key}'}`)).not.toContain(key);
    expect(said('{"key":"ab\\"cd_secret')).not.toContain("cd_secret");
  });

  it("keep a field's name that is the value of a `key` in the body", () => {
    const body = { errors: [{ key: "name", message: "name is required" }] };
    expect(said(body)).toBe("name is required");
  });

  it("have short secrets masked, without garbling the mask", () => {
    expect(maskSecrets("see e", ["e", "se"])).toBe("[secret][secret] [secret]");
  });
});
