import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorText } from "../../provider/client/errorText";
import { maskSecrets } from "../../provider/client/secrets";

const said = (body: unknown, secrets: string[] = [], fields: string[] = []) =>
  errorText(typeof body === "string" ? body : JSON.stringify(body), secrets, fields);

describe("what the service said in an error", () => {
  it.each<[string, unknown]>([
    ["message", { message: "not allowed" }],
    ["error", { error: "not allowed" }],
    ["error.message", { error: { code: 7, message: "not allowed" } }],
    ["errors[].message", { errors: [{ message: "not allowed" }] }],
    ["errors[] as text", { errors: ["not allowed"] }],
    ["detail before title", { type: "about:blank", title: "Forbidden", detail: "not allowed" }],
    ["title", { title: "not allowed", status: 403 }],
    ["detail[].msg", { detail: [{ loc: ["body"], msg: "not allowed" }] }],
    ["a JSON text", '"not allowed"'],
    ["plain text", "not allowed\n"],
    ["a list", [{ message: "not allowed" }]],
    [
      "HTML",
      "<html><head><style>p{x:y}</style></head><body><p>not <b>allowed</b></p><script>var a='<p>'</script>",
    ],
  ])("is found at %s", (_place, body) => {
    expect(said(body)).toBe("not allowed");
  });

  it("joins several errors, five at most, and names the fields of a map", () => {
    expect(said({ errors: [{ message: "a" }, { message: "b" }] })).toBe("a; b");
    expect(said({ errors: Array.from({ length: 9 }, () => "x") })).toBe("x; x; x; x; x");
    expect(said({ errors: { name: ["is too short"], prefix: "is odd" } })).toBe(
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
  ])("%j says nothing", (body) => {
    expect(said(body)).toBeUndefined();
  });

  it("passes on no control, format or bidirectional characters and no escape sequences", () => {
    const body =
      "a\u001b[31mred\u001b[0m\u001b]0;title\u0007 b\r\nc\td\u0000e\u202e\u2066f\u200bg\u009b1mh\ud800i\u2028j";
    expect(said({ message: body })).toBe("ared b c d efghi j");
  });

  it("passes on no HTML, also where stripping it makes new tags, but leaves comparisons alone", () => {
    expect(said("a <<b>script>b</<b>script> c")).not.toMatch(/<\/?[a-z]/i);
    expect(said({ message: "expiresAt must be > 0 and < 10" })).toBe("expiresAt must be > 0 and < 10");
  });

  it("uses no double quotes, since it stands in some", () => {
    expect(said({ message: 'no "such" key' })).toBe("no 'such' key");
  });

  it("is 300 characters long at most, and cuts no character in half", () => {
    const text = said("😀".repeat(400)) ?? "";
    expect([...text]).toHaveLength(300);
    expect(text.endsWith("😀…")).toBe(true);
    expect(said("x".repeat(300))).toBe("x".repeat(300));
  });

  it("never holds a secret, in any spelling, wherever it stands", () => {
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

  it("masks a secret that the cut would go through", () => {
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

  it("masks a secret whose white space a service made one space of", () => {
    expect(said("no name Owls Ltd.", ["  Owls \n Ltd "])).toBe("no name [secret].");
  });

  it("masks a secret that stripping joins", () => {
    expect(said("tok\u200b_sec\u001b[1mret", ["tok_secret"])).toBe("[secret]");
  });

  it("masks every key that an error carries", () => {
    const key = "sk_live_1";
    expect(said({ message: `made ${key}`, apiKey: { id: "k", key } })).toBe("made [secret]");
    expect(said({ message: "failed with 4711", data: [{ deep: { key: 4711 } }] })).toBe(
      "failed with [secret]",
    );
    expect(said(`oops: {"apiKey":{"id":"k","key":"${key}","name`)).not.toContain(key);
    expect(said({ message: `raw: ${JSON.stringify({ apiKey: { key } })}` })).not.toContain(key);
    expect(said(`{'key': '${key}'}`)).not.toContain(key);
    expect(said('{"key":"ab\\"cd_secret')).not.toContain("cd_secret");
  });

  it("leaves the name of a field alone where `key` only names it", () => {
    const body = { errors: [{ key: "name", message: "name is required" }] };
    expect(said(body, [], ["name"])).toBe("name is required");
    expect(said(body)).toBe("[secret] is required");
  });

  it("says nothing rather than search a body for more keys than an error has", () => {
    expect(
      said({ message: "k0", all: Array.from({ length: 101 }, (_, n) => ({ key: `k${n}` })) }),
    ).toBeUndefined();
  });

  it("masks short secrets without garbling the mask", () => {
    expect(maskSecrets("see e", ["e", "se"])).toBe("[secret][secret] [secret]");
  });
});
