import { beforeAll, expect, test } from "vitest";
import { provider } from "../../../provider/hosts/dynamic";

// Tests of one process share its settings.
beforeAll(() => {
  void provider("ApiKey").configure?.({ config: { get: () => undefined, require: () => "" } });
});

const mark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const marked = (value: unknown) => ({ ...mark, value });

test("R16 checked inputs mark each existingKey as a secret for the engine, even if the program did not", async () => {
  const existingKey = "sk_old";
  const key = { workspaceId: "ws_1", customerId: "cus_1", name: "ci", existingKey };
  const single = await provider("ApiKey").check?.({}, key);
  expect(single?.inputs).toMatchObject({ customerId: "cus_1", existingKey: marked(existingKey) });
  // Nor does the list change if the program did.
  const secretly = await provider("ApiKey").check?.({}, { ...key, __secrets: [["existingKey"]] });
  expect(secretly?.inputs).toStrictEqual(single?.inputs);

  const others = { b: { existingKey: null }, c: {}, d: "no entry", existingKey: { name: "ci" } };
  const declared = { workspaceId: "ws_1", keys: { a: { existingKey }, ...others } };
  const set = await provider("ApiKeySet").check?.({}, declared);
  const keys = { a: { existingKey: marked(existingKey) }, ...others, b: {} };
  expect(set?.inputs).toEqual({ workspaceId: "ws_1", keys });
});

test("R16 checked inputs mark the values that the program made secret; outputs mark all that may contain them", async () => {
  const secrets = { __secrets: [["metadata", "token"], ["name"], ["prefix"]] };
  const metadata = { team: "red", token: { bird: "falcon", none: null } };
  const declared = { workspaceId: "ws_1", customerId: "cus_1", name: "ci", prefix: "owl", metadata };
  const key = provider("ApiKey");
  const { inputs = {} } = (await key.check?.({}, { ...declared, ...secrets })) ?? {};
  expect(inputs).toMatchObject({
    customerId: "cus_1",
    name: marked("ci"),
    metadata: { team: "red", token: marked(metadata.token) },
    ...secrets,
  });

  const chosen = { key: "sk_1", maskedKey: "owl…1", effectivePrefix: "owl_" };
  const state = { ...declared, scopes: [], enabled: true, ...chosen, __observed: { name: "CI" } };
  const wanted = { ...declared, scopes: [], enabled: true, ...secrets };
  const { outs } = (await key.update?.("k", { ...state, __service: "s" }, wanted)) ?? {};
  expect(outs).toEqual({
    ...state,
    ...secrets,
    name: marked("ci"),
    prefix: marked("owl"),
    metadata: { team: "red", token: marked(metadata.token) },
    key: marked("sk_1"),
    maskedKey: marked("owl…1"),
    effectivePrefix: marked("owl_"),
    __observed: marked({ name: "CI" }),
    __service: "s",
  });
});

test("R16 a read marks its secret outputs again, because the engine replaces the earlier ones", async () => {
  const grant = { workspaceId: "ws_1", totalCredits: "100" };
  const state = { ...grant, __secrets: [["totalCredits"]], __observed: { totalCredits: "100" } };
  const { props } = (await provider("CustomerBilling").read?.("id", state)) ?? {};
  expect(props).toEqual({ ...state, totalCredits: marked("100"), __observed: marked(state.__observed) });
});

test("R16 a set's inputs mark the secret field of each key, but nothing inside a value that is secret as a whole", async () => {
  const set = provider("ApiKeySet");
  const keys = { a: { customerId: "c", existingKey: "sk_1" }, b: { customerId: "d", enabled: true } };
  const inputs = async (...secrets: readonly (readonly string[])[]) =>
    (await set.check?.({}, { workspaceId: "ws_1", keys, __secrets: secrets }))?.inputs;
  const checked = async (...secrets: readonly (readonly string[])[]) => (await inputs(...secrets))?.["keys"];
  // The field that a class lists for each key is once in the list, in order.
  const ofEach = await inputs(
    ["keys", "b", "name"],
    ["keys", "b", "customerId"],
    ["keys", "a", "customerId"],
  );
  expect(ofEach?.["__secrets"]).toEqual([
    ["keys", "*", "customerId"],
    ["keys", "*", "name"],
  ]);
  expect(await checked(["keys", "a", "customerId"])).toEqual({
    a: { customerId: marked("c"), existingKey: marked("sk_1") },
    b: { customerId: marked("d"), enabled: true },
  });
  expect(await checked(["keys"])).toEqual(marked(keys));
  expect(await checked(["defaults", "customerId"])).toMatchObject({ b: { customerId: marked("d") } });
});
