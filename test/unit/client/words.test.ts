import * as fc from "fast-check";
import { expect, test } from "vitest";
import { errorText, maskSecrets } from "../../../provider/client/words";

const said = (body: unknown, secrets: string[] = []) =>
  errorText(typeof body === "string" ? body : JSON.stringify(body), secrets);

test.each<[string, unknown]>([
  ["message", { message: "not allowed" }],
  ["error", { error: "not allowed" }],
  ["error.message", { error: { code: 7, message: "not allowed" } }],
  ["errors[], some of which have no words", { errors: [{ code: 7 }, { message: "not allowed" }, {}] }],
  ["errors[] as strings", { errors: ["not allowed"] }],
  ["detail, rather than title", { type: "about:blank", title: "Forbidden", detail: "not allowed" }],
  ["detail, if nothing before has words", { message: " ", errors: [{ code: 7 }], detail: "not allowed" }],
  ["title", { title: "not allowed", status: 403 }],
  ["detail[].msg", { detail: [{ loc: ["body"], msg: "not allowed" }] }],
  ["a JSON string", '"not allowed"'],
  ["plain text", "not allowed\n"],
  ["a list of errors", [{ message: "not allowed" }]],
  ["HTML", "<html><head><style>p{x:y}</style></head><p>not <b>allowed</b></p><script>var a='<p>'</script>"],
])("the service's words in an error are found in: %s", (_place, body) => {
  expect(said(body)).toBe("not allowed");
});

const silent = ["", "   ", {}, [], "null", "17", { message: 17 }, { code: "E1" }, { code: 7, ips: ["::1"] }];
test.each(silent.map((body) => [body]))("the service's words are absent from %j", (body) => {
  expect(said(body)).toBeUndefined();
});

test.each<[string, unknown, string]>([
  ["are joined", { errors: [{ message: "a" }, { message: "b" }] }, "a; b"],
  ["are of five errors at most", { errors: Array(9).fill("x") }, "x; x; x; x; x"],
  [
    "have the field names of a map",
    { errors: { name: ["is too short"], id: [], prefix: "is odd" } },
    "name: is too short; prefix: is odd",
  ],
  [
    "have the field names of a map that is all there is",
    { name: ["may not be blank"], id: ["is not a number"] },
    "name: may not be blank; id: is not a number",
  ],
  [
    "have no control, format or bidirectional characters, and no escape sequences",
    "a\u001b[31mred\u001b[0m\u001b]0;title\u0007 b\r\nc\td\u0000e\u202e\u2066f\u200bg\u009b1mh\ud800i\u2028j",
    "ared b c d efghi j",
  ],
  ["keep < and > in comparisons", "expiresAt must be > 0 and < 10", "expiresAt must be > 0 and < 10"],
  ["have no double quotes, because messages use them", { message: 'no "such" key' }, "no 'such' key"],
  ["have 300 characters", "x".repeat(300), "x".repeat(300)],
  ["have at most 300 characters, none of them cut in half", "😀".repeat(400), `${"😀".repeat(299)}…`],
])("the service's words %s", (_how, body, expected) => {
  expect(said(body)).toBe(expected);
});

test("the service's words have no HTML, even if stripping it makes new tags", () => {
  expect(said("a <<b>script>b</<b>script> c")).not.toMatch(/<\/?[a-z]/i);
});

test("the service's words are not looked for in a body that is larger than an error", () => {
  expect(said("x".repeat(16_384))).toBeDefined();
  expect(said("x".repeat(16_385))).toBeUndefined();
});

test("R16 the service's words never contain a secret, in any spelling, at any position", () => {
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

test("R16 a secret is masked even if the words are cut in the middle of it, or if stripping joins its parts", () => {
  const token = "tok_0123456789abcdefghijklmnopqrstuvwxyz";
  for (let before = 255; before < 300; before += 1)
    expect(said("x".repeat(before) + token, [token])).not.toContain("tok_");
  expect(said("tok\u200b_sec\u001b[1mret", ["tok_secret"])).toBe("[secret]");
  expect(maskSecrets("see e", ["e", "se"])).toBe("[secret][secret] [secret]");
});

test("R16 each key that an error's body has is masked, but not a field's name that is the value of a `key`", () => {
  const key = "sk_live_1";
  expect(said({ message: `made ${key}`, apiKey: { id: "k", key } })).toBe("made [secret]");
  const raw = `raw: ${JSON.stringify({ apiKey: { key } })}`;
  expect(said({ message: raw })).toBe("raw: {'apiKey':{'key':'[secret]'}}");
  expect(errorText(JSON.stringify({ error: raw }), [], true)).toBe("raw: {'apiKey':{'key':'[secret]'}}");
  expect(said(`oops: {"apiKey":{"id":"k","key":"${key}","name`)).not.toContain(key);
  expect(said(`{'key': '${key}'}`)).not.toContain(key);
  expect(said('{"key":"ab\\"cd_secret')).not.toContain("cd_secret");
  expect(said({ errors: [{ key: "name", message: "name is required" }] })).toBe("name is required");
});
