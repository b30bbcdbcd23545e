import { runtime } from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { containsUnknown, isUnknown, unknownSentinels } from "../../../provider/core/fields";
import { apiKey } from "../../../provider/resources/apiKey";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { jsonObject } from "../../../provider/resources/fields/schemas";
import { least, offline } from "../offline";

const sentinel = fc.constantFrom(...unknownSentinels);

describe("unknown values", () => {
  test("are the seven sentinels of the provider protocol, one of them the Node.js runtime's", () => {
    // Repeated here, because a value with a missing sentinel would be treated as known.
    const protocol = {
      bool: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
      number: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
      string: runtime.unknownValue,
      array: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
      asset: "030794c1-ac77-496b-92df-f27374a8bd58",
      archive: "e48ece36-62e2-4504-bad9-02848725956a",
      object: "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    };
    expect([...unknownSentinels].sort()).toEqual(Object.values(protocol).sort());
  });

  test("are not the only special ones: metadata with an asset fails too", () => {
    const { specialSigKey, specialAssetSig } = runtime;
    for (const metadata of [
      { [specialSigKey]: specialAssetSig },
      { deep: [{ [specialSigKey]: specialAssetSig }] },
    ]) {
      expect(jsonObject.safeParse(metadata).success).toBe(false);
    }
    expect(jsonObject.safeParse({ signature: specialAssetSig }).success).toBe(true);
  });

  test("include every value that contains a sentinel at any depth", () => {
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

  test("don't include plain values, or a string that only contains a sentinel", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => !containsUnknown(value)));
    fc.assert(fc.property(sentinel, (value) => !isUnknown(`${value} `) && !isUnknown([value])));
    expect(containsUnknown(undefined)).toBe(false);
    expect(containsUnknown(null)).toBe(false);
  });

  test.each(unknownSentinels)(
    "don't appear in the lines of a preview, which have the values of state instead (%s)",
    (unknown) => {
      const lines: string[] = [];
      const tell = (line: string) => lines.push(line);
      const key = offline(undefined, {}, apiKey, tell);
      key.diff("key_1", { ...least, __keyLost: true }, { ...least, name: unknown });
      const grant = { workspaceId: "ws_1", totalCredits: "100" };
      const billing = offline(undefined, {}, customerBilling, tell);
      billing.diff("uncertain-1", grant, { workspaceId: unknown, totalCredits: unknown });
      expect(lines).toEqual([
        'Key "ci" in workspace ws_1: its secret is not in state, so the update replaces it.',
        expect.stringMatching(/^Granting 100 credits in workspace ws_1: it is still not known whether/),
      ]);
    },
  );
});
