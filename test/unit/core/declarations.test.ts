import { expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { objectIdentity, openDeclarations, openRegistry } from "../../../provider/core/registry";
import { lifecycle } from "../../../provider/lifecycle/operations";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { scope } from "../../../provider/resources/scope";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { hostContext, least } from "../offline";
import { replying } from "../replying";

const silent = () => expect.unreachable("no request is made here");
const unknown = unknownSentinels[0];
const kind = "ApiKey";

test("R17 a resource without a name, or whose object is not known yet, is no duplicate of another one", () => {
  const run = openDeclarations();
  for (const name of ["one", "two"]) expect(run.add(kind, name, [], true)("a")).toBeUndefined();
  for (const _ of [1, 2]) expect(run.add(kind, undefined, ["a"], true)("a")).toBeUndefined();
  expect(run.ownerOf("a", kind, undefined)).toBeUndefined();
  for (const name of ["one", undefined]) expect(run.add(kind, name, ["a"], true)("a")).toBeUndefined();
  expect(run.ownerOf("a", kind, undefined)).toEqual({ who: "the resource one", hasIt: false });
});

test("R17 resources of one name are told apart by kind", () => {
  const run = openDeclarations();
  run.add(kind, "one", ["a"], true);
  expect(run.add("ApiKeySet", "one", ["a"], true)("a")).toBe("one");
});

test("K11 a resource that has an object in state is its owner, except while the engine replaces or deletes it", () => {
  const all = openDeclarations();
  const identity = objectIdentity("ws_1", "id");
  expect(all.ownerOf(identity, kind, "b")).toBeUndefined();
  all.add(kind, "a", [], false);
  expect(all.hold(kind, "a", identity)).toBeUndefined();
  for (const deleted of ["b", undefined])
    expect(all.ownerOf(identity, kind, deleted)).toEqual({ who: "the resource a", hasIt: true });
  expect(all.ownerOf(identity, kind, "a")).toBeUndefined();
  // The engine checks a resource without its former inputs before it replaces it.
  all.add(kind, "a", [], true);
  expect(all.ownerOf(identity, kind, undefined)).toBeUndefined();
});

test("R6 an object is known by its workspace and id, until it is dropped, and again once it is added again", () => {
  const registry = openRegistry();
  const found = () => [registry.has("ws_1", "id"), registry.isDropped("ws_1", "id")];
  registry.add("ws_2", "id");
  expect(found()).toEqual([false, false]);
  registry.add("ws_1", "id");
  registry.drop("ws_1", "id");
  expect(found()).toEqual([false, true]);
  registry.add("ws_1", "id");
  expect(found()).toEqual([true, false]);
});

const credits = { workspaceId: "ws_1", totalCredits: "100", spendCap: "5" };
/** The failures of the second of two CustomerBillings in one program. */
const failuresOfTwo = (one: object, two: object) => {
  const billing = replying(customerBilling, silent);
  expect(billing.check({ ...credits, ...one }, undefined, "one").failures).toEqual([]);
  return billing.check({ ...credits, ...two }, undefined, "two").failures;
};

test.each([
  [{}],
  [{ totalCredits: 100, spendCap: "5.00", allowOverages: false, externalMeterId: "" }],
  [{ grant: "\tinitial " }],
])("R17 B6 check fails if two CustomerBillings declare one grant, in any spelling: %j", (two) => {
  expect(failuresOfTwo({}, two)).toEqual([
    expect.stringMatching(
      /^grant: the resource one declares the same grant .* Change grant in one of them, or remove one\.$/,
    ),
  ]);
});

test.each([
  { grant: "another" },
  { workspaceId: "ws_2" },
  { totalCredits: "101" },
  { spendCap: undefined },
  { allowOverages: true },
  { externalMeterId: "meter" },
  { totalCredits: undefined, billingId: "bill_1" },
  { grant: unknown },
  { totalCredits: unknown },
  { billingId: unknown },
  { workspaceId: unknown },
])("R17 check passes if two CustomerBillings differ, or if one is not fully known: %j", (other) => {
  expect([failuresOfTwo({}, other), failuresOfTwo(other, {})]).toEqual([[], []]);
  if (Object.values(other).includes(unknown)) expect(failuresOfTwo(other, other)).toEqual([]);
});

test.each([undefined, "a hundred"])(
  "R17 credits of %j are one error, whoever else declares them",
  (totalCredits) => {
    const billing = replying(customerBilling, silent);
    for (const name of ["one", "two"])
      expect(billing.check({ workspaceId: "ws_1", totalCredits }, undefined, name).failures).toHaveLength(1);
  },
);

const held = { workspaceId: "ws_1", totalCredits: "100", allowOverages: false, grant: "initial" };

test("B6: check fails for a grant that state already has, under another name or in a replacement", async () => {
  const failures = async (name: string, more: object = {}) => {
    const billing = replying(customerBilling, silent);
    const urnOf = (of: string) => `urn:pulumi:dev::app::apikeys:index:CustomerBilling::${of}`;
    await billing.read("bill_1", { ...held, billingId: "bill_1" }, urnOf("one"));
    return billing.check({ ...held, ...more }, undefined, name, { urn: urnOf(name) }).failures;
  };
  const ways =
    /^grant: .* State has it as urn:\S+::one\. .* aliases\. .* replacement, .* remove that\. .* another value/;
  for (const name of ["one", "two"]) {
    expect(await failures(name)).toEqual([expect.stringMatching(ways)]);
    for (const onPurpose of [
      { grant: "another" },
      { totalCredits: "5", grant: "another" },
      { totalCredits: undefined, billingId: "bill_1" },
      { grant: unknown },
    ])
      expect(await failures(name, onPurpose)).toEqual([]);
  }
});

const inputs = { workspaceId: "ws_1", defaultExpiration: 60 };
const state = { ...inputs, onDestroy: "restore", __before: { defaultExpiration: 5 } };
const orders = { workspaceId: "ws_1", name: "Orders", representation: "orders" };

const keys = { a: { customerId: "c", existingKey: "sk" } };
test.each([
  ["existingId", apiKey, { ...least, existingId: "key_1", scopes: [] }, {}],
  ["keys.a.existingKey", apiKeySet, { workspaceId: "ws_1", keys }, {}],
  ["workspaceId", workspaceSettings, inputs, { defaultExpiration: 5 }],
  ["representation", scope, orders, { name: "Other" }],
  ["grant", customerBilling, credits, {}],
])(
  "R8 R17 S4 check fails with a code if two resources declare one object: %s",
  (path, definition, one, two) => {
    const { check } = lifecycle(definition, hostContext({}));
    expect(check(one, undefined, "one").failures).toEqual([]);
    const { failures } = check({ ...one, ...two }, undefined, "two");
    expect(failures).toEqual([expect.stringContaining(`APIKEYS1003: ${path}: the resource one `)]);
  },
);

test.each([
  [workspaceSettings, inputs, [{ workspaceId: "ws_2" }, { workspaceId: unknown }, { workspaceId: unknown }]],
  [scope, orders, [{ workspaceId: "ws_2" }, { representation: "Orders" }, { representation: unknown }]],
])(
  "R17 check passes if two resources of other kinds differ, or are not fully known (%#)",
  (definition, one, others) => {
    const { check } = replying(definition, silent);
    for (const [n, other] of [{}, ...others].entries())
      expect(check({ ...one, ...other }, undefined, `${n}`).failures).toEqual([]);
  },
);

test("W5 settings are restored if the program declares only those of another workspace", async () => {
  let held: object = { id: "ws_1", ...inputs };
  const settings = replying(workspaceSettings, ({ method, body }) => {
    if (method === "PATCH") held = { ...held, ...(body as object) };
    return { workspace: held };
  });
  settings.check({ ...inputs, workspaceId: "ws_2" }, undefined, "moved");
  await settings.delete("ws_1", state);
  expect(held).toMatchObject({ defaultExpiration: 5 });
});
