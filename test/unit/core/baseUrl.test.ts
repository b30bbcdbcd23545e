import { describe, expect, test } from "vitest";
import type { AnyDefinition } from "../../../provider/core/definition";
import { configuration } from "../../../provider/lifecycle/config";
import { serviceAfterRead } from "../../../provider/lifecycle/context";
import { apiKey } from "../../../provider/resources/apiKey";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { scope } from "../../../provider/resources/scope";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { least } from "../offline";
import { failureOf, replying } from "../replying";

const servicesOf = (url: string, movedFrom?: string) => {
  const env = { APIKEYS_BASE_URL: url, APIKEYS_ACCESS_TOKEN: "token", APIKEYS_MOVED_FROM: movedFrom };
  const found = configuration({ argument: {}, stack: {} }, env);
  if (found.problems.length > 0) throw new Error(found.problems.join(" "));
  return found.services;
};

/** A resource whose requests are errors. */
const silent = (definition: AnyDefinition) =>
  replying(definition, ({ method }) => {
    throw new Error(`nothing may be sent, but ${method} was`);
  });

const [here] = servicesOf("https://api.example.com/keys");

test.each([
  ["https://API.example.com/keys/", true],
  ["https://api.example.com:443/keys", true],
  [" https://api.example.com/keys ", true],
  ["https://api.example.com", false],
  ["https://api.example.com:8443/keys", false],
  ["https://api.example.org/keys", false],
])("R6 the base URL %j counts as that of the last write, in any spelling: %j", (url, isSame) => {
  expect(servicesOf(url)[0] === here).toBe(isSame);
});

test("R6 a former base URL is accepted if APIKEYS_MOVED_FROM names it", () => {
  const [now] = servicesOf("https://new.example.com");
  expect(servicesOf("https://new.example.com", "https://api.example.com/keys/")).toEqual([now, here]);
  expect(servicesOf("https://new.example.com")).toEqual([now]);
});

test.each([
  [{}, ["now"], "now"],
  [{ __service: "before" }, ["now"], "before"],
  [{ __service: "before" }, ["now", "before"], "now"],
  [{ __service: "before" }, [], "before"],
])(
  "R6 a read of %j at the base URLs %j returns %j as that of the last write",
  (state, services, expected) => {
    expect(serviceAfterRead(state, services)).toBe(expected);
  },
);

describe("a key whose state was last written at another base URL", () => {
  const inputs = { ...least, enabled: true, scopes: [] };
  const changed = { ...inputs, name: "new" };
  const state = { ...inputs, key: "sk_1", maskedKey: "sk_…1", createdAt: "then", __service: "before" };
  const key = silent(apiKey);

  test.each([
    ["read", "key_1", () => key.read("key_1", state)],
    ["read", '"ci"', () => key.read("key_1", state, "urn:pulumi:dev::app::apikeys:index:ApiKey::ci")],
    ["update", "key_1", () => key.update("key_1", state, changed)],
    ["delete", "key_1", () => key.delete("key_1", state)],
    ["delete", '"ci"', () => key.delete("key_1", state, "ci")],
    ["diff", '"ci"', async () => key.diff("key_1", state, changed, "ci")],
  ] as const)(
    "R6 %s of a key fails at another base URL, where its id may be another key's, and names the resource (%s) and the configured URL",
    async (_, name, operation) => {
      const { message } = await failureOf(operation());
      const [subject, says] = [`ApiKey ${name}: `, "sent to another base URL than the one configured now. "];
      expect(message.startsWith(`${subject}its last update was ${says}State is unchanged. `)).toBe(true);
      expect(message).toMatch(
        /Configured is https:\/\/\S+, from \S.*\. Nothing was sent\. .*APIKEYS_MOVED_FROM/,
      );
    },
  );

  test("R6 a key may be written at another base URL if APIKEYS_MOVED_FROM names the former one, or if state names none", async () => {
    const env = { APIKEYS_BASE_URL: "https://api.test", APIKEYS_MOVED_FROM: "https://former.test" };
    const answer = ({ method }: { readonly method: string }) => ({
      apiKey: { ...inputs, id: "key_1", deleted: method === "DELETE" },
    });
    const moved = replying(apiKey, answer, { env });
    for (const __service of [servicesOf("https://former.test")[0], undefined]) {
      expect(moved.diff("key_1", { ...state, __service }, changed).changes).not.toBe(false);
      await moved.delete("key_1", { ...state, __service });
    }
    expect(moved.calls.map(({ method }) => method)).toEqual(["DELETE", "DELETE"]);
  });

  test("R6 R12 a key without a change to send is not refused at another base URL, and keeps its own", async () => {
    expect(key.diff("key_1", state, inputs)).toMatchObject({ changes: false });
    const hidden = { ...inputs, __secrets: [["name"]] };
    expect(key.diff("key_1", state, hidden).changes).toBe(true);
    expect(await key.update("key_1", state, hidden)).toMatchObject({ ...hidden, __service: "before" });
  });
});

test("R6 settings are neither changed nor restored at another base URL, but may leave state", async () => {
  const inputs = { workspaceId: "ws_1", defaultKeyPrefix: "sk_", onDestroy: "restore" };
  const state = { ...inputs, __before: { defaultKeyPrefix: "old" }, __service: "before" };
  const settings = silent(workspaceSettings);
  for (const operation of [
    settings.update("ws_1", state, { ...inputs, defaultKeyPrefix: "pk_" }),
    settings.delete("ws_1", state),
  ])
    expect((await failureOf(operation)).message).toContain("was sent to another base URL");
  await settings.delete("ws_1", { ...state, onDestroy: "retain" });
  expect(settings.calls).toEqual([]);
});

test("R6 a scope and a grant may stay in state or leave it at another base URL, but nothing is granted there", async () => {
  const scopeState = { workspaceId: "ws_1", name: "Orders", representation: "orders", __service: "before" };
  await silent(scope).delete("sc_1", scopeState);
  const grant = { workspaceId: "ws_1", totalCredits: "5", grant: "first" };
  const billing = silent(customerBilling);
  const held = { ...billing.check(grant, undefined).inputs, billingId: "bill_1", __service: "before" };
  expect(await billing.read("bill_1", held)).toMatchObject({ state: { __service: "before" } });
  await billing.delete("bill_1", held);
  const again = billing.check({ ...grant, grant: "second" }, undefined).inputs;
  expect(() => billing.diff("bill_2", held, again)).toThrow("was sent to another base URL");
});
