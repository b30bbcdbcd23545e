/** Arbitrary property bags, and checks that every result made from them must pass. */
import fc from "fast-check";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { expect } from "vitest";
import { unknownSentinels } from "../../provider/core/fields";
import { definitions } from "../../provider/resources";
import { leastOf } from "./offline";

/** The value of all secrets, which must appear nowhere else. */
export const canary = "canary-of-the-fuzzing-0123456789";

const oddNumbers = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -0,
  0,
  1,
  -1,
  1.5,
  1e308,
  5e-324,
];
const oddTexts = [
  ...["", " ", ".", "..", "\0", "\n", "\ud800", "a/b", "%2F", "1e309", "-0", "100.00"],
  ...["10.0.0.0/8", "::1"],
];
const huge = "x".repeat(70_000);
/** Names with a meaning in JavaScript. */
const prototypes = ["__proto__", "constructor", "prototype", "toJSON", "length", "then"];
/** Names of hidden state. */
const hidden = [
  ...["__observed", "__keyLost", "__before", "__external", "__provider", "__resourceName"],
  ...["__keys", "toDelete", "__previous"],
];
/** Names of the inputs and outputs of all resources, and of their nested fields. */
const known = [
  ...Object.values(definitions).flatMap(({ fields }) => fields.map((field) => field.name)),
  ...["keyId", "previousKeyId", "rotatedAt", "rotatesAt", "retiresAt", "ids", "maskedKeys", "secrets"],
  ...["renamedFrom", "key", "id", "create", "read", "update", "del", "deleted", "maskedKey", "createdAt"],
  ...["updatedAt", "effectivePrefix", "effectiveExpiresAt", "teamId", "usedCredits"],
];

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...known) },
  { weight: 2, arbitrary: fc.constantFrom(...hidden) },
  { weight: 1, arbitrary: fc.constantFrom(...prototypes) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);

const leaf = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 2, arbitrary: fc.constantFrom(...oddNumbers, null, true, false) },
  { weight: 2, arbitrary: fc.constantFrom(...unknownSentinels) },
  { weight: 1, arbitrary: fc.oneof(fc.constant(huge), fc.double(), fc.integer()) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);

/** Any value that a Struct can hold, at most a few levels deep. */
export const anything: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
    { weight: 1, arbitrary: entries(tie("value"), 4) },
  ),
})).value;

/** `fromEntries` makes `__proto__` an own field, as JSON.parse does. */
function entries(value: fc.Arbitrary<unknown>, maxLength: number): fc.Arbitrary<Record<string, unknown>> {
  return fc.array(fc.tuple(name, value), { maxLength }).map((pairs) => Object.fromEntries(pairs));
}

const secret = fc.constantFrom<unknown>(canary, [canary], { value: canary }, { [canary]: 1 });

/** Any properties, with secrets in their own fields, and with most of the `likely` fields, right or wrong. */
export function bag(likely: Readonly<Record<string, unknown>> = {}): fc.Arbitrary<Record<string, unknown>> {
  const right = fc.subarray(Object.entries(likely)).map((pairs) => Object.fromEntries(pairs));
  const places = fc.constantFrom(...Object.keys(likely), ...hidden);
  const wrong = fc.array(fc.tuple(places, anything), { maxLength: 2 }).map((all) => Object.fromEntries(all));
  const secrets = fc.record(
    { existingKey: secret, key: fc.constant(canary), previousKey: fc.constant(canary) },
    { requiredKeys: [] },
  );
  return fc.tuple(entries(anything, 6), right, wrong, secrets).map((all) => Object.assign({}, ...all));
}

const scopes = [{ representation: "a", read: true }];
/** Inputs that pass check. Each bag has some of them. */
export const usualOf = (kind: string) => likely[kind] ?? leastOf[kind] ?? {};

const likely: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ApiKey: { workspaceId: "ws_1", customerId: "cus_1", name: "ci", scopes },
  ApiKeySet: {
    workspaceId: "ws_1",
    keys: { a: { customerId: "cus_1", scopes }, b: { renamedFrom: "c" } },
    ...{ defaults: { customerId: "cus_2", enabled: false }, ids: { a: "id_1" } },
  },
  RotatingApiKey: {
    ...{ workspaceId: "ws_1", customerId: "cus_1", name: "ci" },
    ...{ rotateEvery: "90d", overlap: "36h", retire: "whenUnused" },
  },
  WorkspaceSettings: {
    ...{ workspaceId: "ws_1", defaultRateLimitPerSecond: 1, defaultAllowedIPs: ["10.0.0.1/32"] },
  },
  Scope: { workspaceId: "ws_1", name: "Docs", representation: "docs", description: "" },
  CustomerBilling: { workspaceId: "ws_1", totalCredits: "100.0", allowOverages: true, grant: "g" },
};

/** A message for the user is a line for each of its parts and for each of several things, of limited length, without a secret. */
export function expectFit(...messages: readonly string[]): void {
  for (const message of messages.flatMap((all) => all.split(/\n(?=[^\n])/))) {
    expect(message).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
    expect(message.length).toBeLessThanOrEqual(4_000);
    expect(message).not.toContain(canary);
    expect(message).not.toContain("a bug in pulumi-apikeys");
  }
}

/** The host can send the properties to the engine: its serializer throws on what it does not know. */
export function expectWireable(properties: object): void {
  const sent = Struct.fromJavaScript(properties as Parameters<typeof Struct.fromJavaScript>[0]);
  Struct.deserializeBinary(sent.serializeBinary());
}
