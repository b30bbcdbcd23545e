import { expect, test } from "vitest";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { failureOf, refused, replying } from "../replying";

const inputs = { workspaceId: "ws_1", customerId: "c", name: "ci", enabled: true, scopes: [] };
const secret = { ...inputs, __secrets: [["name"]] };
const silent = () => expect.unreachable("no request is made here");
const subject = replying(apiKey, silent);

test("R16 check keeps the list of secret inputs, unless it is empty or malformed", () => {
  expect(subject.check(secret, undefined)).toEqual({ inputs: secret, failures: [] });
  expect(Object.keys(subject.check({ ...inputs, __secrets: [] }, undefined).inputs)).not.toContain(
    "__secrets",
  );
  for (const listed of ["name", ["name"], [[]], [[1]], { 0: ["name"] }, null])
    expect(subject.check({ ...inputs, __secrets: listed }, undefined).inputs).toEqual(inputs);
});

test.each([
  ["given", inputs, secret],
  ["taken away", secret, inputs],
])("R16 an update in which only the list of secret inputs is %s sends nothing", async (_, before, after) => {
  const state = { ...before, key: "sk_1", __observed: { name: "CI" }, __service: "s" };
  expect(subject.diff("k", state, before)).toMatchObject({ changes: false, replaces: [] });
  expect(subject.diff("k", state, after)).toMatchObject({ changes: true, replaces: [] });
  const updated = { ...state, ...{ __secrets: undefined }, ...after };
  expect(await subject.update("k", state, after)).toEqual(updated);
});

test.each([
  ["another change", {}, { ...secret, name: "new" }],
  ["a write that failed", { __failed: true }, secret],
])("R16 a new list of secret inputs does not stop %s from being sent", async (_what, more, wanted) => {
  const service = replying(apiKey, ({ method }) => {
    if (method === "GET") return { apiKey: { id: "k", enabled: true, scopes: [] } };
    throw refused();
  });
  await failureOf(service.update("k", { ...inputs, key: "sk_1", ...more }, wanted));
  expect(service.calls.map(({ method }) => method)).toContain("PATCH");
});

const always = ["existingKey", "key"];
test.each([
  [[], always],
  [["name"], ["__observed", ...always, "name"]],
  [["prefix"], ["__observed", "effectivePrefix", ...always, "maskedKey", "prefix"]],
  [["expiresAt"], ["__observed", "effectiveExpiresAt", ...always]],
])("R16 the secret input %j makes these outputs secret: %j", (path, expected) => {
  const chosen = {
    key: "sk",
    maskedKey: "sk…",
    effectivePrefix: "owl_",
    effectiveExpiresAt: 1,
    prefix: "owl",
  };
  const hidden = { __observed: {}, __service: "s", __provider: "p" };
  const state = { ...inputs, ...chosen, ...hidden, __secrets: path.length === 0 ? [] : [path] };
  const outputs = new Set(subject.secretPaths(state).map(([output]) => output));
  expect([...outputs].filter((output) => output !== "expiresAt").toSorted()).toEqual(expected.toSorted());
});

test.each([
  [["keys", "*", "name"], false],
  [["keys", "*", "prefix"], true],
  [["defaults", "prefix"], true],
  [["keys"], true],
])(
  "R16 the secret input %j of a set makes its secrets secret, and masked keys: %j",
  (path, isMaskedKeySecret) => {
    const set = replying(apiKeySet, silent);
    const outputs = new Set(set.secretPaths({ __secrets: [path], __keys: {} }).map(([output]) => output));
    for (const output of ["__keys", "keys", "secrets"]) expect(outputs).toContain(output);
    expect(outputs.has("maskedKeys")).toBe(isMaskedKeySecret);
    expect(set.secretPaths({ __secrets: [["defaults", "name"]] })).toContainEqual(["keys", "*", "name"]);
  },
);
