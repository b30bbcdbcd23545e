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

test("R16 a secret input makes all outputs and hidden properties secret", () => {
  const chosen = { key: "sk", maskedKey: "sk…", effectivePrefix: "owl_", prefix: "owl" };
  const state = { ...inputs, ...chosen, __observed: {}, __service: "s", __provider: "p" };
  const secretIn = (all: object) => new Set(subject.secretPaths({ ...all }).map(([name]) => name));
  expect(secretIn(state)).toEqual(new Set(["existingKey", "key"]));
  const all = ["existingKey", "key", "name", "maskedKey", "effectivePrefix", "__observed"];
  expect(secretIn({ ...state, ...secret })).toEqual(new Set(all));
});

test.each([
  [["keys", "acme"], [["keys", "*"]]],
  [["keys", "acme", "metadata", "token"], [["keys", "*", "metadata", "token"]]],
  [["keys"], [["keys"]]],
  [
    ["defaults", "prefix"],
    [
      ["defaults", "prefix"],
      ["keys", "*", "prefix"],
    ],
  ],
])("R16 the secret input %j of a set is one of all its entries: %j", (path, expected) => {
  const set = replying(apiKeySet, silent);
  expect(set.alsoSecret({}, [path as [string]])).toEqual({ __secrets: expected });
});
