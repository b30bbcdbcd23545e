import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AnyDefinition } from "../../../provider/core/definition";
import { unknownSentinels } from "../../../provider/core/fields";
import type { Properties } from "../../../provider/core/state";
import { apiKey } from "../../../provider/resources/apiKey";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { configured, least, offline } from "../offline";

const subject = offline();
const failuresOf = (inputs: object, before?: object) =>
  subject.check({ ...least, ...inputs }, before === undefined ? undefined : { ...least, ...before }).failures;
const fieldNames = Object.keys(apiKey.schema.shape);

describe("check of an ApiKey", () => {
  test("R8 accepts the least and the most that a program can declare", () => {
    expect(failuresOf({})).toEqual([]);
    expect(
      failuresOf({
        scopes: [{ representation: "orders", create: true, read: false, update: null, del: true }],
        enabled: false,
        prefix: "acme",
        expiresAt: 1,
        externalMeterId: "meter",
        metadata: { any: ["json", null, { deep: 1.5 }] },
        keepers: { rotated: "2026-01" },
      }),
    ).toEqual([]);
  });

  test("R8 refuses a string that has Pulumi's text in place of an Output", () => {
    const text = `of-${pulumi.output("key_1")}`;
    const failures = failuresOf({ name: text, keepers: { a: text }, existingKey: text });
    expect(failures).toEqual(
      ["name", "existingKey", "keepers.a"].map(
        (path) => `${path}: has an Output in a string: use apply, or pulumi.interpolate in Node.js.`,
      ),
    );
  });

  test("R8 refuses a number that JSON doesn't have, at any depth of metadata", () => {
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      expect(failuresOf({ metadata: { a: [{ b: number }] } })).toEqual([
        "metadata.a: must be plain JSON: NaN and Infinity can't be sent.",
      ]);
  });

  test("R8 names all invalid inputs at once by their paths, without quoting values", () => {
    const bad = {
      workspaceId: "..",
      customerId: "",
      name: 7,
      scopes: [{ representation: "" }, { representation: "b", read: "quoted" }, "quoted", { read: true }],
      enabled: "quoted",
      prefix: ["quoted"],
      expiresAt: 0,
      externalMeterId: { quoted: 1 },
      metadata: ["quoted"],
      existingKey: 12345,
      keepers: { "a b": 5 },
    };
    const failures = failuresOf(bad);
    const paths = failures.map((line) => line.split(": ")[0]);
    expect(paths).toEqual([
      "workspaceId",
      "customerId",
      "name",
      "scopes[0].representation",
      "scopes[1].read",
      "scopes[2]",
      "scopes[3].representation",
      "enabled",
      "prefix",
      "expiresAt",
      "externalMeterId",
      "metadata",
      "existingKey",
      'keepers["a b"]',
    ]);
    for (const line of failures) {
      expect(line).not.toMatch(/quoted|12345|invalid input|expected|received/i);
      expect(line).toMatch(/^\S.*\.$/);
    }
  });

  test("R8 names each missing input", () => {
    expect(subject.check({}, undefined).failures).toEqual([
      "workspaceId: is missing.",
      "customerId: is missing.",
      "name: is missing.",
    ]);
  });

  test("R8 an input that is wrong is not called missing too", () => {
    const paths = (definition: AnyDefinition, inputs: object) =>
      offline(configured, {}, definition)
        .check({ workspaceId: "ws_1", ...inputs }, undefined)
        .failures.map((line) => line.split(":")[0]);
    expect(paths(customerBilling, { totalCredits: "1,000" })).toEqual(["totalCredits"]);
    expect(paths(workspaceSettings, { defaultAllowedIPs: "10.0.0.1" })).toEqual(["defaultAllowedIPs"]);
  });

  test("R8 neither throws nor quotes a value, whatever the program declares", () => {
    const marker = "q7Zx-marker";
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.constant(marker),
      fc.constant([marker]),
      fc.constant({ id: marker }),
    );
    fc.assert(
      fc.property(fc.record(Object.fromEntries(fieldNames.map((name) => [name, anything]))), (inputs) => {
        const { failures } = subject.check(inputs, undefined);
        const keys = new Set(JSON.stringify(inputs).match(/"[^"]*"(?=:)/g));
        const text = failures.join("\n");
        expect(!text.includes(marker) || keys.has(`"${marker}"`)).toBe(true);
      }),
    );
  });

  test("K1 uses the name that stack config proposes if name is missing, once, and never in place of a declared name", () => {
    const { name: _, ...nameless } = least;
    const named = (inputs: Properties, before: Properties | undefined, proposed: string) =>
      subject.check(inputs, before, "resource", "", proposed);
    expect(named(nameless, undefined, "ci-a1").inputs).toMatchObject({ name: "ci-a1" });
    expect(named(nameless, { ...least, name: "ci-a1" }, "ci-b2").inputs).toMatchObject({ name: "ci-a1" });
    expect(named(least, { ...least, name: "ci-a1" }, "ci-b2").inputs).toMatchObject({ name: least.name });
    const secret = { ...least, name: "hidden", __secrets: [["name"]] };
    expect(named(nameless, secret, "ci-b2").inputs).toMatchObject({ name: "ci-b2" });
    // Its mode "disabled" proposes none: then the program must name the key.
    for (const before of [undefined, least])
      expect(named(nameless, before, "").failures).toEqual(["name: must not be empty."]);
  });

  test("K1 uses the resource's name if name is missing, and keeps a declared name", () => {
    const { name: _, ...nameless } = least;
    for (const none of [undefined, null]) {
      const { inputs, failures } = subject.check({ ...nameless, name: none }, undefined, "resource");
      expect([inputs, failures]).toMatchObject([{ name: "resource" }, []]);
    }
    expect(subject.check(nameless, undefined, "resource").inputs).toMatchObject({ name: "resource" });
    expect(subject.check(least, undefined, "resource").inputs).toMatchObject({ name: least.name });
    expect(subject.check({ ...least, name: "" }, undefined, "resource").failures).toEqual([
      "name: must not be empty.",
    ]);
    const unknown = unknownSentinels[0];
    expect(subject.check({ ...least, name: unknown }, undefined, "resource").inputs).toMatchObject({
      name: unknown,
    });
  });

  test("R9 names a property that does not exist, and lists those that do", () => {
    const [failure] = failuresOf({ custommerId: 1 });
    expect(failure).toMatch(/^custommerId: no such property; the properties are workspaceId, /);
    for (const name of fieldNames) expect(failure).toContain(name);
    expect(failuresOf({ scopes: [{ representation: "a", delete: true, reed: true }] })).toEqual(
      ["delete", "reed"].map(
        (name) =>
          `scopes[0].${name}: no such property; the properties are representation, create, read, update, del.`,
      ),
    );
  });

  test("R8 writes each failure on one line, whatever the property is called", () => {
    expect(failuresOf({ "a\nb": 1, keepers: { "c\r\nd": 1 } })).toEqual([
      'keepers["c d"]: must be a string.',
      expect.stringMatching(/^a b: no such property; the properties are [^\n]*$/),
    ]);
  });

  test("R8 accepts unknown values, in every field and at any depth", () => {
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
    const all: fc.Arbitrary<Record<string, unknown>> = fc.record({ ...plain, ...nested });
    const inputs = all.chain((of) => fc.subarray(Object.entries(of))).map((some) => Object.fromEntries(some));
    fc.assert(
      fc.property(inputs, (unknown) => {
        const declared = { ...least, ...unknown };
        expect(subject.check(declared, undefined).failures).toEqual([]);
        expect(subject.check(declared, { ...least, existingKey: "sk_before" }).failures).toEqual([]);
        expect(subject.check(declared, declared).failures).toEqual([]);
      }),
    );
  });

  test("R8 reports other failures despite an unknown value", () => {
    expect(failuresOf({ scopes: [unknownSentinels[6], { representation: "a", read: 1 }] })).toEqual([
      "scopes[1].read: must be true or false.",
    ]);
  });

  test("R2 returns inputs in canonical form, without absent ones", () => {
    const { inputs } = subject.check(
      {
        ...least,
        scopes: [
          { representation: "users", read: true, create: false },
          { representation: "none", del: false },
          { representation: "orders", update: true, read: null },
        ],
        prefix: "",
        metadata: {},
        keepers: null,
        expiresAt: null,
        __provider: "the engine's own",
      },
      undefined,
    );
    expect(inputs).toStrictEqual({
      ...least,
      scopes: [
        { representation: "orders", update: true },
        { representation: "users", read: true },
      ],
      enabled: true,
    });
  });

  test("R2 returns already checked inputs unchanged", () => {
    const { inputs } = subject.check(
      { ...least, scopes: [{ representation: "a", read: true, del: false }] },
      undefined,
    );
    expect(subject.check(inputs, inputs)).toStrictEqual({ inputs, failures: [] });
  });

  test("K3 rejects a representation that is listed twice, anywhere in the list", () => {
    const scopes = [
      { representation: "orders", read: true },
      { representation: "users", read: true },
      { representation: "orders", update: true },
    ];
    expect(failuresOf({ scopes })).toEqual([
      "scopes[2].representation: is listed twice in scopes; merge the two entries into one.",
    ]);
  });

  test("K7 accepts only whole numbers above 0 as expiresAt", () => {
    for (const expiresAt of [1, 60, Number.MAX_SAFE_INTEGER]) expect(failuresOf({ expiresAt })).toEqual([]);
    for (const expiresAt of [0, -1, 0.5, 2 ** 60, "60", true]) {
      expect(failuresOf({ expiresAt }), String(expiresAt)).toHaveLength(1);
      expect(failuresOf({ expiresAt })[0]).toMatch(/^expiresAt: must be /);
    }
  });
});

describe("check of WorkspaceSettings", () => {
  const failures = (inputs: object) =>
    offline(configured, {}, workspaceSettings).check({ workspaceId: "ws_1", ...inputs }, undefined).failures;

  test("R8 W3 W4 names each wrong setting, and an address by its index", () => {
    const addresses = ["10.0.0.1", "10.0.0.999"];
    expect(
      failures({ defaultAllowedIPs: addresses, defaultRateLimitPerSecond: 1.5, onDestroy: "keep" }),
    ).toEqual([
      expect.stringMatching(/^defaultAllowedIPs\[1\]: must be an IP address or a CIDR block/),
      expect.stringMatching(/^defaultRateLimitPerSecond: must be a whole number/),
      expect.stringMatching(/^onDestroy: must be "retain" or "restore"/),
    ]);
  });

  test.each([{}, { defaultKeyPrefix: "" }, { onDestroy: "restore" }])(
    "R8 requires a setting beside the workspace: %j",
    (inputs) => {
      expect(failures(inputs)).toEqual([
        expect.stringMatching(/^declare at least one of defaultKeyPrefix, /),
      ]);
    },
  );
});
