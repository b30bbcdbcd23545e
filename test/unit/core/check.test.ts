import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import type { Properties } from "../../../provider/core/state";
import { apiKey } from "../../../provider/resources/apiKey";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { configured, least, offline } from "../offline";

const subject = offline();
const checked = (inputs: object, name?: string) => subject.check(inputs as typeof least, undefined, name);
const failuresOf = (inputs: object) => checked({ ...least, ...inputs }).failures;
const fieldNames = Object.keys(apiKey.schema.shape);

test("R8 check accepts the least and the most that a program can declare", () => {
  expect(failuresOf({})).toEqual([]);
  const most = {
    scopes: [{ representation: "orders", create: true, read: false, update: null, del: true }],
    ...{ enabled: false, prefix: "acme", expiresAt: 1, externalMeterId: "meter" },
    metadata: { any: ["json", null, { deep: 1.5 }] },
    keepers: { rotated: "2026-01" },
  };
  expect(failuresOf(most)).toEqual([]);
});

test("R8 check refuses a string that has Pulumi's text in place of an Output", () => {
  const text = `of-${pulumi.output("key_1")}`;
  expect(failuresOf({ name: text, keepers: { a: text }, existingKey: text })).toEqual(
    ["name", "existingKey", "keepers.a"].map(
      (path) => `${path}: has an Output in a string: use apply, or pulumi.interpolate in Node.js.`,
    ),
  );
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  "R8 check refuses %s at any depth of metadata",
  (number) => {
    expect(failuresOf({ metadata: { a: [{ b: number }] } })).toEqual([
      "metadata.a: must be plain JSON: NaN and Infinity can't be sent.",
    ]);
  },
);

test("R8: check names all invalid inputs at once by their paths, without quoting values", () => {
  const failures = failuresOf({
    ...{ workspaceId: "..", customerId: "", name: 7, enabled: "quoted", prefix: ["quoted"], expiresAt: 0 },
    scopes: [{ representation: "" }, { representation: "b", read: "quoted" }, "quoted", { read: true }],
    ...{ externalMeterId: { quoted: 1 }, metadata: ["quoted"], existingKey: 12345, keepers: { "a b": 5 } },
  });
  expect(failures.map((line) => line.split(": ")[0])).toEqual([
    ...["workspaceId", "customerId", "name", "scopes[0].representation", "scopes[1].read", "scopes[2]"],
    ...["scopes[3].representation", "enabled", "prefix", "expiresAt", "externalMeterId", "metadata"],
    ...["existingKey", 'keepers["a b"]'],
  ]);
  for (const line of failures) {
    expect(line).not.toMatch(/quoted|12345|invalid input|expected|received/i);
    expect(line).toMatch(/^\S.*\.$/);
  }
});

test("R8 check names each missing input, and doesn't call one missing that is wrong", () => {
  expect(checked({}).failures).toEqual(
    ["workspaceId", "customerId", "name"].map((name) => `${name}: is missing.`),
  );
  for (const [definition, inputs] of [
    [customerBilling, { totalCredits: "1,000" }],
    [workspaceSettings, { defaultAllowedIPs: "10.0.0.1" }],
  ] as const) {
    const { check } = offline(configured, {}, definition);
    const { failures } = check({ workspaceId: "ws_1", ...inputs }, undefined);
    expect(failures.map((line) => line.split(":")[0])).toEqual(Object.keys(inputs));
  }
});

test("R8 check neither throws nor quotes a value, whatever the program declares", () => {
  const marker = "q7Zx-marker";
  const marked = fc.constantFrom<unknown>(marker, [marker], { id: marker });
  const anything = fc.oneof({ weight: 1, arbitrary: fc.jsonValue() }, { weight: 3, arbitrary: marked });
  fc.assert(
    fc.property(fc.record(Object.fromEntries(fieldNames.map((name) => [name, anything]))), (inputs) => {
      const keys = new Set(JSON.stringify(inputs).match(/"[^"]*"(?=:)/g));
      const text = checked(inputs).failures.join("\n");
      expect(!text.includes(marker) || keys.has(`"${marker}"`)).toBe(true);
    }),
  );
});

test.each<[string, object, unknown]>([
  ["a missing name", {}, "resource"],
  ["null", { name: null }, "resource"],
  ["a declared name", { name: "ci" }, "ci"],
  ["an unknown name", { name: unknownSentinels[0] }, unknownSentinels[0]],
])("K1 check of %s gives the resource's name only where the program gives none", (_what, named, expected) => {
  const { name: _, ...nameless } = least;
  const { inputs, failures } = checked({ ...nameless, ...named }, "resource");
  expect([inputs["name"], failures]).toEqual([expected, []]);
  expect(checked({ ...least, name: "" }, "resource").failures).toEqual(["name: must not be empty."]);
});

test("K1 check takes the name that stack config proposes if name is missing, once, and never over a declared name", () => {
  const { name: _, ...nameless } = least;
  const before = { ...least, name: "ci-a1" };
  const named = (inputs: Properties, olds: Properties | undefined, proposed: string) =>
    subject.check(inputs, olds, "resource", { proposed });
  const nameOf = (...given: Parameters<typeof named>) => named(...given).inputs["name"];
  expect([nameOf(nameless, undefined, "ci-a1"), nameOf(nameless, before, "ci-b2")]).toEqual([
    "ci-a1",
    "ci-a1",
  ]);
  expect(nameOf(least, before, "ci-b2")).toBe(least.name);
  const secret = { ...least, name: "hidden", __secrets: [["name"]] };
  for (const olds of [secret, nameless]) expect(nameOf(nameless, olds, "ci-b2")).toBe("resource");
  const adopting = { ...nameless, existingId: "key_1", scopes: [] };
  expect(nameOf(adopting, undefined, "ci-b2")).toBe("resource");
  expect(nameOf({ ...nameless, existingId: null }, undefined, "ci-b2")).toBe("ci-b2");
  // Its mode "disabled" proposes none: then the program must name the key.
  for (const olds of [undefined, least])
    expect(named(nameless, olds, "").failures).toEqual(["name: must not be empty."]);
});

test("R9: check names a property that does not exist, and lists those that do", () => {
  const [failure] = failuresOf({ custommerId: 1 });
  expect(failure).toMatch(/^custommerId: no such property\. The properties are workspaceId, /);
  for (const name of fieldNames) expect(failure).toContain(name);
  expect(failuresOf({ scopes: [{ representation: "a", delete: true }] })).toEqual([
    "scopes[0].delete: no such property. The properties are representation, create, read, update, del.",
  ]);
});

test("R8 each failure is one line, whatever the property is called", () => {
  expect(failuresOf({ "a\nb": 1, keepers: { "c\r\nd": 1 } })).toEqual([
    'keepers["c d"]: must be a string.',
    expect.stringMatching(/^\["a b"\]: no such property\. The properties are [^\n]*$/),
  ]);
});

test("R8 check accepts unknown values, in every field and at any depth", () => {
  const sentinel = fc.constantFrom(...unknownSentinels);
  const scope = fc.record(
    { representation: sentinel, create: sentinel, read: sentinel, update: sentinel, del: sentinel },
    { requiredKeys: ["representation"] },
  );
  const nested = {
    scopes: fc.oneof(sentinel, fc.array(fc.oneof(sentinel, scope))),
    metadata: fc.oneof(sentinel, fc.dictionary(fc.string(), fc.oneof(sentinel, fc.tuple(sentinel)))),
    keepers: fc.oneof(sentinel, fc.dictionary(fc.string(), sentinel)),
  };
  const plain = Object.fromEntries(fieldNames.map((name) => [name, sentinel]));
  const some: fc.Arbitrary<object> = fc.record({ ...plain, ...nested }, { requiredKeys: [] });
  fc.assert(
    fc.property(some, (unknown) => {
      const declared = { ...least, ...unknown };
      for (const before of [undefined, { ...least, existingKey: "sk_before" }, declared])
        expect(subject.check(declared, before).failures).toEqual([]);
    }),
  );
  // Other failures are still reported.
  expect(failuresOf({ scopes: [unknownSentinels[6], { representation: "a", read: 1 }] })).toEqual([
    "scopes[1].read: must be true or false.",
  ]);
});

test("R2 check returns inputs in canonical form without absent ones, and these unchanged", () => {
  const { inputs } = checked({
    ...least,
    scopes: [
      { representation: "users", read: true, create: false },
      { representation: "none", del: false },
      { representation: "orders", update: true, read: null },
    ],
    ...{ prefix: "", metadata: {}, keepers: null, expiresAt: null, __provider: "the engine's own" },
  });
  const scopes = [
    { representation: "orders", update: true },
    { representation: "users", read: true },
  ];
  expect(inputs).toStrictEqual({ ...least, scopes, enabled: true });
  expect(subject.check(inputs, inputs)).toStrictEqual({ inputs, failures: [] });
});

test.each([1, Number.MAX_SAFE_INTEGER, 0, -1, 0.5, 2 ** 60, "60"])(
  "K7: expiresAt must be a whole number above 0: %j",
  (expiresAt) => {
    const isRight = Number.isSafeInteger(expiresAt) && Number(expiresAt) > 0;
    expect(failuresOf({ expiresAt })).toEqual(isRight ? [] : [expect.stringMatching(/^expiresAt: must be /)]);
  },
);

test.each<[object, ...RegExp[]]>([
  [
    { defaultAllowedIPs: ["10.0.0.1", "10.0.0.999"], defaultRateLimitPerSecond: 1.5, onDestroy: "keep" },
    /^defaultAllowedIPs\[1\]: must be an IP address or a CIDR block/,
    /^defaultRateLimitPerSecond: must be a whole number/,
    /^onDestroy: must be "retain" or "restore"/,
  ],
  ...["5", 2 ** 63, -(2 ** 63)].map((defaultExpiration): [object, RegExp] => [
    { defaultExpiration },
    /^defaultExpiration: must be a whole number without quotes, within ±2\^53/,
  ]),
  [{}],
])("R8 W3 W4 check of WorkspaceSettings names what is wrong: %j", (inputs, ...expected) => {
  const { failures } = offline(configured, {}, workspaceSettings).check(
    { workspaceId: "ws_1", ...inputs },
    undefined,
  );
  expect(failures).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
});
