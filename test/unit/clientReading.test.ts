import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apiKey, newApiKeyOf } from "../../provider/client/apiKeys";
import { requiredList } from "../../provider/client/fields";
import { type Reader, reader } from "../../provider/client/reading";

const json = (value: unknown): Buffer =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const readKey = reader("apiKey", apiKey);
const readNewKey = newApiKeyOf();
const readKeys = reader("apiKeys", requiredList(apiKey));

describe("reading an answer", () => {
  it.each<[string, Buffer, string]>([
    ["cut JSON", json('{"apiKey":{"id":"SECRET'), "the answer is not JSON"],
    ["HTML", json("<html>SECRET</html>"), "the answer is not JSON"],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22]), "the answer is not JSON"],
    ["a number", json("17"), "the answer is not an object"],
    ["null", json("null"), "the answer is not an object"],
    ["a list", json("[]"), "the answer is not an object"],
    ["another wrapper", json({ data: { id: "k" } }), "the answer's apiKey is not an object"],
    ["no wrapper", json({ id: "k", name: "SECRET" }), "the answer's apiKey is not an object"],
    ["a list in the wrapper", json({ apiKey: [{ id: "k" }] }), "the answer's apiKey is not an object"],
  ])("says what is wrong with it: %s", (_name, body, expected) => {
    expect(readKey(body)).toMatchObject({ record: undefined, problem: expected });
  });

  it("marks an answer that is not JSON, because another server may have sent it", () => {
    expect(readKey(Buffer.from("<html>"))).toMatchObject({ flaw: "notJson" });
    expect(readKey(json({}))).not.toHaveProperty("flaw");
  });

  it("says that an empty answer, such as that of a 204, is empty", () => {
    expect(readKey(json(""))).toEqual({ record: undefined, problem: "the answer is empty" });
  });

  it("passes on why the body was not read", () => {
    const unread = { problem: "is larger than 4 MiB", lasting: true };
    expect(readKey(unread)).toEqual({
      record: undefined,
      problem: "the answer is larger than 4 MiB",
      lasting: true,
    });
  });

  it("accepts a byte order mark", () => {
    expect(readKey(json('\ufeff{"apiKey":{"id":"k"}}')).record).toMatchObject({ id: "k" });
  });

  it("never throws, and never quotes the answer", () => {
    const word = "sk_live_secret";
    const leaf = fc.oneof(fc.constant(word), fc.constant(null), fc.boolean(), fc.integer(), fc.constant(""));
    const names = [
      "apiKey",
      "apiKeys",
      "id",
      "name",
      "enabled",
      "scopes",
      "representation",
      "read",
      word,
      "__proto__",
    ];
    const anything = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie("node"), { maxLength: 3 }), tie("object")),
      object: fc.dictionary(fc.constantFrom(...names), tie("node"), { maxKeys: 5 }),
    }));
    fc.assert(
      fc.property(
        anything.node,
        fc.constantFrom<Reader<unknown>>(readKey, readKeys, readNewKey),
        (body, read) => {
          expect(read(json(JSON.stringify(body))).problem ?? "").not.toContain(word);
        },
      ),
      { numRuns: 500 },
    );
  });
});
