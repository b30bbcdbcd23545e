import fc from "fast-check";
import { BinaryReader, BinaryWriter } from "google-protobuf";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { expect, test } from "vitest";

// The library's functions, which the module replaces for the whole process. Kept to compare with.
const { deserializeBinaryFromReader, serializeBinaryToWriter } = Struct;
const library = { deserializeBinaryFromReader, serializeBinaryToWriter };

const codecs = (async () => {
  const { fromStruct, toStruct } = await import("../../../provider/hosts/plugin/wire.js");
  const { deserializeBinaryFromReader, serializeBinaryToWriter } = Struct;
  const own = { deserializeBinaryFromReader, serializeBinaryToWriter };
  const using = <T>(codec: typeof own, act: () => T): T => {
    Object.assign(Struct, codec);
    return act();
  };
  const bytes = (struct: Struct) => {
    const writer = new BinaryWriter();
    Struct.serializeBinaryToWriter(struct, writer);
    return writer.getResultBuffer();
  };
  const read = (from: Uint8Array) => Struct.deserializeBinaryFromReader(new Struct(), new BinaryReader(from));
  type Given = Readonly<Record<string, unknown>>;
  return {
    written: (given: Given) => using(own, () => bytes(toStruct(given))),
    writtenByLibrary: (given: Given) => using(library, () => bytes(Struct.fromJavaScript(given as never))),
    read: (from: Uint8Array) => using(own, () => fromStruct(read(from)).properties),
    readByLibrary: (from: Uint8Array) => using(library, () => read(from).toJavaScript()),
    fromStruct,
  };
})();

/** Without `__proto__`, because google-protobuf loses a property of that name. */
const name = fc.string({ unit: "binary" }).filter((one) => one !== "__proto__");
const { tree } = fc.letrec((tie) => ({
  tree: fc.dictionary(name, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false, "", 0, -0, Number.MAX_VALUE, Number.NaN, "__proto__"),
    fc.double(),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("tree"),
  ),
}));

test("google-protobuf reads Structs that the plugin writes, and the plugin reads those of google-protobuf", async () => {
  const { written, writtenByLibrary, read, readByLibrary } = await codecs;
  fc.assert(
    fc.property(tree as fc.Arbitrary<Record<string, unknown>>, (given) => {
      expect(read(writtenByLibrary(given))).toStrictEqual(given);
      expect(readByLibrary(written(given))).toStrictEqual(given);
    }),
    { numRuns: 500 },
  );
});

test("a Struct's properties may have any name, are in the order of their names, and are never undefined", async () => {
  const { read, written, fromStruct } = await codecs;
  const json = '{"__proto__":{"":1,"constructor":[{"__proto__":null}]}}';
  expect(JSON.stringify(read(written(JSON.parse(json))))).toBe(json);
  expect(Object.keys(read(written({ b: 1, c: { z: 1, y: 2 }, a: 2 })))).toEqual(["a", "b", "c"]);
  const given = { a: undefined, b: [1, undefined], c: { d: undefined } };
  expect(read(written(given))).toStrictEqual({ b: [1, null], c: {} });
  for (const none of [undefined, new Struct()]) expect(fromStruct(none).properties).toEqual({});
});
