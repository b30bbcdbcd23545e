import { runtime } from "@pulumi/pulumi";
import fc from "fast-check";
import { expect, test } from "vitest";
import { containsUnknown, isUnknown, unknownSentinels } from "../../../provider/core/fields";
import { apiKey } from "../../../provider/resources/apiKey";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { least, offline } from "../offline";

const sentinel = fc.constantFrom(...unknownSentinels);

test("R8 unknown values are the seven sentinels of the provider protocol, one of them the Node.js runtime's", () => {
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

test("R15 a value is unknown in part if it contains a sentinel at any depth, but not if a string only contains one", () => {
  const inside = (tie: fc.LetrecTypedTie<{ node: unknown }>) =>
    fc.oneof(
      { maxDepth: 5 },
      sentinel,
      fc.record({ known: fc.jsonValue(), next: tie("node") }),
      fc.tuple(fc.jsonValue(), tie("node")),
    );
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({ node: inside(tie) }));
  fc.assert(fc.property(node, (value) => containsUnknown(value)));
  const known = fc.oneof(
    fc.jsonValue(),
    sentinel.map((one) => `${one} `),
    fc.constant(undefined),
  );
  fc.assert(fc.property(known, (value) => !containsUnknown(value) && !isUnknown([value])));
});

test.each(unknownSentinels)(
  "R12 lines of a preview have the values of state in place of unknown ones (%s)",
  (unknown) => {
    const lines: string[] = [];
    const note = (line: string) => lines.push(line);
    const key = offline(undefined, {}, apiKey, note);
    key.diff("key_1", { ...least, __keyLost: true }, { ...least, name: unknown });
    const billing = offline(undefined, {}, customerBilling, note);
    const grant = { workspaceId: "ws_1", totalCredits: "100" };
    billing.diff("uncertain-1", grant, { workspaceId: unknown, totalCredits: unknown });
    expect(lines).toEqual([
      "its secret is not in state, so the update replaces it.",
      expect.stringMatching(
        /^APIKEYS3003: Granting 100 credits in workspace ws_1: it is still not known whether/,
      ),
    ]);
  },
);
