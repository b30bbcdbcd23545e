import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorInPlace, errorText } from "../../../provider/client/errorText";
import { maskSecrets } from "../../../provider/client/secrets";

const said = (body: unknown, secrets: string[] = [], fields: string[] = []) =>
  errorText(typeof body === "string" ? body : JSON.stringify(body), secrets, fields);

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
    const awkward = fc.constantFrom(..."\"\\/&<>+= %'\u00fc\u20acaZ0_");
    const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
    const secret = fc
      .array(fc.oneof(awkward, anyUnit), { minLength: 6, maxLength: 60 })
      .map((units) => units.join(""))
      .filter((text) => text.trim().length > 5);
    const spelled = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => JSON.stringify(text).slice(1, -1),
      (text) => new URLSearchParams([["q", text]]).toString(),
      (text) => encodeURIComponent(Buffer.from(text).toString()),
      (text) => encodeURIComponent(Buffer.from(text).toString()).toLowerCase(),
      (text) => JSON.stringify(text).replaceAll("/", "\\/").slice(1, -1),
    );
    const wrap = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => JSON.stringify({ message: text }),
      (text) => JSON.stringify({ error: { message: `Bearer ${text}` } }),
      (text) => `<html>${text}</html>`,
    );
    fc.assert(
      fc.property(secret, spelled, wrap, fc.nat(20_000), (hidden, spell, put, before) => {
        const body = put(`${"x".repeat(before)} ${spell(hidden)} after`);
        expect(errorText(body, [hidden]) ?? "").not.toContain(hidden);
        const spelling = spell(hidden);
        if (spelling.length > 5) expect(maskSecrets(spelling, [hidden])).not.toContain(spelling);
      }),
    );
  });

  it.each([
    ["as HTML", "Ab&lt;c&gt;&amp;&quot;d/\u00e9 \u00fc'"],
    ["as JSON", "Ab<c>&\\\"d/\u00e9 \u00fc'"],
    ["as JSON in ASCII", "Ab<c>&\\\"d/\\u00e9 \\u00fc'"],
    ["as JSON within HTML", 'Ab\\u003cc\\u003e\\u0026\\"d\\u002f\\u00e9 \\u00fc\\u0027'],
    ["in a URL", "Ab%3Cc%3E%26%22d%2F%C3%A9%20%C3%BC'"],
    ["in a URL with small letters", "Ab%3cc%3e%26%22d%2f%c3%a9%20%c3%bc'"],
    ["as a form sends it", "Ab%3Cc%3E%26%22d%2F%C3%A9+%C3%BC%27"],
    ["in capitals", "AB<C>&\"D/\u00c9 \u00dc'"],
    ["in small letters", "ab<c>&\"d/\u00e9 \u00fc'"],
  ])("have a secret masked that the service repeats %s", (_how, spelling) => {
    expect(maskSecrets(`no ${spelling}.`, ["Ab<c>&\"d/\u00e9 \u00fc'"])).toBe("no [secret].");
  });

  it("have a secret masked even if they are cut in the middle of it", () => {
    const token = "tok_0123456789abcdefghijklmnopqrstuvwxyz";
    for (let before = 255; before < 300; before += 1) {
      expect(said("x".repeat(before) + token, [token])).not.toContain("tok_");
    }
    for (let before = 16_340; before < 16_390; before += 1) {
      expect(
        said(`${"<p>".repeat(5_440)}${" ".repeat(before - 16_320)}${token}`, [token]) ?? "",
      ).not.toContain("tok_");
    }
  });

  it("have a secret masked even if the service collapsed its white space", () => {
    expect(said("no name Owls Ltd.", ["  Owls \n Ltd "])).toBe("no name [secret].");
    expect(maskSecrets("no name Owls \n Ltd.", ["  Owls \n Ltd "])).toBe("no name [secret].");
  });

  it("have a secret masked that only shows once other characters are stripped", () => {
    expect(said("tok\u200b_sec\u001b[1mret", ["tok_secret"])).toBe("[secret]");
  });

  it.each([
    ["an error status", errorText, "message"],
    ["a success", errorInPlace, "error"],
  ] as const)(
    "have each key masked that is in the body of %s, if there are at most 100",
    (_what, read, place) => {
      const raw = `raw: ${JSON.stringify({ apiKey: { key: "sk_live_1" } })}`;
      expect(read(JSON.stringify({ [place]: raw }), [], [])).toBe("raw: {'apiKey':{'key':'[secret]'}}");
      const all = Array.from({ length: 101 }, (_, n) => ({ key: `k${n}` }));
      expect(read(JSON.stringify({ [place]: "k0", all }), [], [])).toBeUndefined();
    },
  );

  it("have each key masked that is in the error's body", () => {
    const key = "sk_live_1";
    expect(said({ message: `made ${key}`, apiKey: { id: "k", key } })).toBe("made [secret]");
    expect(said({ message: "failed with 4711", data: [{ deep: { key: 4711 } }] })).toBe(
      "failed with [secret]",
    );
    expect(said(`oops: {"apiKey":{"id":"k","key":"${key}","name`)).not.toContain(key);
    expect(said(`{'key': '${key}'}`)).not.toContain(key);
    expect(said('{"key":"ab\\"cd_secret')).not.toContain("cd_secret");
  });

  it("keep a field's name that is the value of a `key` in the body", () => {
    const body = { errors: [{ key: "name", message: "name is required" }] };
    expect(said(body, [], ["name"])).toBe("name is required");
    expect(said(body)).toBe("[secret] is required");
  });

  it("have short secrets masked, without garbling the mask", () => {
    expect(maskSecrets("see e", ["e", "se"])).toBe("[secret][secret] [secret]");
  });
});
