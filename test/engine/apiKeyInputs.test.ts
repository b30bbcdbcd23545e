import { afterAll, beforeAll, expect, it } from "vitest";
import { someOf } from "../all";
import { programWithKeys } from "./apiKeyProgram";
import { errorsFor, onlyLine } from "./expectations";
import { type Scene, setScene } from "./scene";

let scene: Scene;
beforeAll(async () => {
  scene = await setScene("inputs");
});
afterAll(() => scene?.close());

/** The engine's words before each check failure. */
const preamble = /^pulumi-nodejs:dynamic\/apikeys:ApiKey resource 'wrong' has a problem: /;

it("R8 R9 one preview reports every wrong input in a line of its own, with its path and what to write instead", async () => {
  await scene.declare(
    programWithKeys({
      wrong: `{
        workspaceId: "",
        custmerId: "customer",
        name: 7,
        scopes: [
          { representation: "orders", reed: true },
          { representation: "orders", read: "yes" },
          { representation: "", read: true },
          "carts",
        ],
        enabled: "no",
        prefix: "prefix-in-the-dark",
        expiresAt: 0.5,
        metadata: "metadata-in-the-dark",
        existingKey: "sk_value_in_the_dark",
        keepers: { month: 5 },
      } as any`,
    }),
  );
  const preview = await scene.stack.preview();
  const lines = errorsFor(preview, "wrong").map((line) => line.replace(preamble, ""));
  const ways: Readonly<Record<string, string>> = {
    workspaceId: "set it to the id of a workspace",
    customerId: "the id of a customer",
    custmerId: "did you mean customerId?",
    name: "must be a string, a name",
    "scopes[0].reed": "did you mean read?",
    "scopes[1].read": "must be true or false",
    "scopes[1].representation": "merge the two entries into one",
    "scopes[2].representation": "set it to the representation of a scope",
    "scopes[3]": "must be a scope: {representation, create, read, update, del}",
    enabled: "must be true or false",
    prefix: "can't be combined with existingKey",
    expiresAt: "must be a whole number above 0",
    metadata: "must be an object of plain JSON values",
    "keepers.month": "must be a string",
  };
  for (const [path, way] of Object.entries(ways)) {
    expect(lines, preview.output).toContainEqual(
      expect.stringMatching(new RegExp(`^${escaped(path)}: .*${escaped(way)}`)),
    );
  }
  // expiresAt has two failures: its value, and its combination with existingKey.
  expect(lines).toHaveLength(Object.keys(ways).length + 1);
  expect(preview.output).not.toContain("in-the-dark");
  expect(preview.output).not.toContain("in_the_dark");
  expect(scene.service.requests).toEqual([]);
});

it("R8 an update with a wrong input creates nothing", async () => {
  await scene.declare(programWithKeys({ wrong: `{ ...base, enabled: "no" } as any` }));
  expect(errorsFor(await scene.stack.up(), "wrong")).toHaveLength(1);
  expect(scene.service.keys()).toEqual([]);
});

it("K5 an existingKey from an unset variable creates no key", async () => {
  await scene.declare(
    programWithKeys({ wrong: `{ ...base, existingKey: process.env["APIKEYS_UNSET"] ?? "" }` }),
  );
  const line = onlyLine(await scene.stack.up(), "wrong");
  expect(line).toContain("existingKey: must not be empty (an unset variable?)");
  expect(scene.service.requests).toEqual([]);
});

const excessive = [
  {
    what: "an input of 10,000 scopes, whose answer would be too large to read,",
    args: 'scopes: Array.from({ length: 10_000 }, (_, n) => ({ representation: "scope-" + n, read: true }))',
    says: "scopes: is too large",
  },
  {
    what: "an input of metadata so deep that Pulumi would hang",
    args: `metadata: JSON.parse('{"a":'.repeat(800) + "1" + "}".repeat(800))`,
    says: "metadata: must be 64 levels deep at most",
  },
];

// The engine itself is slow with them; unit/requestSize tests the rule.
it.each(someOf(excessive, () => false))("R8 $what creates no key", async ({ args, says }) => {
  await scene.declare(programWithKeys({ wrong: `{ ...base, ${args} }` }));
  expect(onlyLine(await scene.stack.up(), "wrong")).toContain(says);
  expect(scene.service.requests).toEqual([]);
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
