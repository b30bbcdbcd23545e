import { runtime } from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { containsUnknown, isUnknown, unknownSentinels } from "../../provider/unknown";

const sentinel = fc.constantFrom(...unknownSentinels);

describe("unknown values", () => {
  test("there are seven sentinels, and the one that Pulumi's Node.js runtime sends is one of them", () => {
    expect(new Set(unknownSentinels).size).toBe(7);
    expect(unknownSentinels).toContain(runtime.unknownValue);
  });

  test("a sentinel is unknown, and so is whatever holds one at any depth", () => {
    const holder = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        sentinel,
        fc.record({ known: fc.jsonValue(), next: tie("node") }),
        fc.tuple(fc.jsonValue(), tie("node")),
      ),
    })).node;
    fc.assert(fc.property(holder, (value) => containsUnknown(value)));
  });

  test("known values hold none, and text that only contains a sentinel is known", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => !containsUnknown(value)));
    fc.assert(fc.property(sentinel, (value) => !isUnknown(`${value} `) && !isUnknown([value])));
    expect(containsUnknown(undefined)).toBe(false);
    expect(containsUnknown(null)).toBe(false);
  });
});
