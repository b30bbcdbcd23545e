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
  const found = configuration(
    { argument: {}, stack: {} },
    { APIKEYS_BASE_URL: url, APIKEYS_ACCESS_TOKEN: "token", APIKEYS_MOVED_FROM: movedFrom },
  );
  if (found.problems.length > 0) throw new Error(found.problems.join(" "));
  return found.services;
};

/** A resource whose requests are errors. */
const nothing = (definition: AnyDefinition) =>
  replying(definition, ({ method }) => {
    throw new Error(`nothing may be sent, but ${method} was`);
  });

describe("the service that state was last written to", () => {
  const here = servicesOf("https://api.example.com/keys")[0];

  test.each([
    "https://API.example.com/keys/",
    "https://api.example.com:443/keys",
    " https://api.example.com/keys ",
  ])("is the same if its URL is spelled %s", (url) => expect(servicesOf(url)[0]).toBe(here));

  test.each(["https://api.example.com", "https://api.example.com:8443/keys", "https://api.example.org/keys"])(
    "is another one at %s",
    (url) => expect(servicesOf(url)[0]).not.toBe(here),
  );

  test("is accepted too if APIKEYS_MOVED_FROM has its former URL, in any spelling", () => {
    const [now] = servicesOf("https://new.example.com");
    expect(servicesOf("https://new.example.com", "https://api.example.com/keys/")).toEqual([now, here]);
    expect(servicesOf("https://new.example.com")).toEqual([now]);
  });

  test("is updated by a read only if state has none, or if the service has moved", () => {
    expect(serviceAfterRead({}, ["now"])).toBe("now");
    expect(serviceAfterRead({ __service: "before" }, ["now"])).toBe("before");
    expect(serviceAfterRead({ __service: "before" }, ["now", "before"])).toBe("now");
    expect(serviceAfterRead({ __service: "before" }, [])).toBe("before");
  });
});

describe("a key whose state was last written at another base URL", () => {
  const inputs = { ...least, enabled: true, scopes: [] };
  const state = {
    ...inputs,
    key: "sk_1",
    maskedKey: "sk_…1",
    createdAt: "2026-01-01T00:00:00Z",
    __service: "before",
  };
  const operations = () => nothing(apiKey);

  test.each([
    ["read", () => operations().read("key_1", state)],
    ["update", () => operations().update("key_1", state, { ...inputs, name: "new" })],
    ["delete", () => operations().delete("key_1", state)],
    ["diff", async () => operations().diff("key_1", state, { ...inputs, name: "new" })],
  ] as const)(
    "R6 is neither read nor written there, where its id may belong to another key: %s fails",
    async (_, operation) => {
      expect((await failureOf(operation())).message).toMatch(
        /^ApiKey key_1: its last update was sent to another base URL than the one configured now \(.+\), .*APIKEYS_MOVED_FROM/,
      );
    },
  );

  const changed = { ...inputs, name: "new" };
  test("R6 may be written there if APIKEYS_MOVED_FROM names the former one, or if state names none", async () => {
    const here = "https://api.test";
    const [before] = servicesOf("https://former.test");
    const moved = replying(
      apiKey,
      ({ method }) => ({ apiKey: { ...inputs, id: "key_1", deleted: method === "DELETE" } }),
      {
        env: { APIKEYS_BASE_URL: here, APIKEYS_MOVED_FROM: "https://former.test" },
      },
    );
    for (const __service of [before, undefined]) {
      expect(moved.diff("key_1", { ...state, __service }, changed).changes).not.toBe(false);
      await moved.delete("key_1", { ...state, __service });
    }
    expect(moved.calls.map(({ method }) => method)).toEqual(["DELETE", "DELETE"]);
  });

  test("R6 whose secrets alone change is updated there, because that sends nothing", async () => {
    const __secrets = [["name"]];
    expect(operations().diff("key_1", state, { ...inputs, __secrets }).changes).toBe(true);
    const updated = await operations().update("key_1", state, { ...inputs, __secrets });
    expect(updated).toMatchObject({ __service: "before", __secrets });
  });

  test("R12 has no change there if nothing has changed", () => {
    expect(operations().diff("key_1", state, inputs)).toMatchObject({ changes: false });
  });
});

describe("the settings of a workspace whose state was last written at another base URL", () => {
  const inputs = { workspaceId: "ws_1", defaultKeyPrefix: "sk_", onDestroy: "restore" };
  const state = { ...inputs, __before: { defaultKeyPrefix: "old" }, __service: "before" };

  test.each([
    [
      "update",
      () => nothing(workspaceSettings).update("ws_1", state, { ...inputs, defaultKeyPrefix: "pk_" }),
    ],
    ["delete", () => nothing(workspaceSettings).delete("ws_1", state)],
  ])("R6 are not changed there: %s fails", async (_, operation) => {
    expect((await failureOf(operation())).message).toContain("was sent to another base URL");
  });

  test("R6 leave state there if they are to stay as they are", async () => {
    const settings = nothing(workspaceSettings);
    await settings.delete("ws_1", { ...state, onDestroy: "retain" });
    expect(settings.calls).toEqual([]);
  });
});

test("R6 what only leaves state, or is only kept there, may do so at another base URL; but nothing is granted there", async () => {
  const scopeState = { workspaceId: "ws_1", name: "Orders", representation: "orders", __service: "before" };
  await nothing(scope).delete("sc_1", scopeState);
  const grant = { workspaceId: "ws_1", totalCredits: "5", grant: "first" };
  const billing = nothing(customerBilling);
  const held = { ...billing.check(grant, undefined).inputs, billingId: "bill_1", __service: "before" };
  expect(await billing.read("bill_1", held)).toMatchObject({ state: { __service: "before" } });
  await billing.delete("bill_1", held);
  const again = billing.check({ ...grant, grant: "second" }, undefined).inputs;
  expect(() => billing.diff("bill_2", held, again)).toThrow("was sent to another base URL");
});
