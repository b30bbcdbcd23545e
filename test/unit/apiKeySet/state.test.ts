import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { containsUnknown } from "../../../provider/core/fields";
import type { OwnedKey } from "../../../provider/resources/apiKey/model";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { inputsOfEntry, ownedKeys, stateOf } from "../../../provider/resources/apiKeySet/entries";
import { bag, usualOf } from "../bagArbitraries";
import { offline } from "../offline";
import { meantSet, stateOfAll, writtenSet } from "./setArbitraries";
import { customerId, of, service } from "./setService";

const subject = offline(undefined, {}, apiKeySet);
const checked = (inputs: object) => subject.check({ workspaceId: "ws_1", ...inputs }, undefined).inputs;

/** Hidden properties that earlier updates may have left. */
const told = fc.record({
  __keys: fc.constantFrom<Record<string, object> | undefined>(
    undefined,
    { a: { __observed: { name: "rewritten" } } },
    { a: { effectivePrefix: "sk_", effectiveExpiresAt: 5, __failed: true } },
    { a: { __keyLost: true } },
  ),
  toDelete: fc.constantFrom(undefined, ["key_9", "key_8"]),
});

describe("converting between a set's state and the states of its keys", () => {
  test("R1 a set's state, taken apart into keys and put together, is the same", () => {
    const states = fc.tuple(meantSet.chain(writtenSet), told).map(([inputs, hidden]) => {
      const state = stateOfAll(checked(inputs));
      const { a: _, ...others } = state["secrets"] as Record<string, string>;
      const isLost = "__keyLost" in (hidden.__keys?.["a"] ?? {});
      const secrets = isLost ? others : state["secrets"];
      const given = Object.entries(
        "a" in (state["ids"] as object) ? { ...hidden, secrets } : { toDelete: hidden.toDelete },
      );
      const keys = state["keys"] as Record<string, object>;
      const marked = isLost && keys["a"] && { keys: { ...keys, a: { ...keys["a"], isLost: true } } };
      const there = Object.fromEntries(given.filter(([, value]) => value !== undefined));
      return { ...state, ...there, ...marked };
    });
    fc.assert(
      fc.property(states, (state) => {
        expect(stateOf(state, ownedKeys(state))).toEqual(state);
      }),
    );
  });

  test("R1 a set's state stores the real values of a key that does not match the program, overriding new defaults", () => {
    const declared = checked({
      defaults: {
        customerId: "cus_1",
        prefix: "new",
        enabled: false,
        scopes: [{ representation: "o", read: true }],
      },
      keys: { a: { name: "n" }, b: {} },
    });
    const before = checked({ defaults: { customerId: "cus_1" }, keys: { a: { name: "n" } } });
    const key: OwnedKey = { id: "key_1", state: { ...inputsOfEntry(before, "a", { name: "n" }), key: "sk" } };
    const state = stateOf(declared, { byAlias: new Map([["a", key]]), toDelete: [] });
    expect(state).toEqual({
      workspaceId: "ws_1",
      defaults: declared["defaults"],
      keys: { a: { name: "n", prefix: null, enabled: true, scopes: [] } },
      ids: { a: "key_1" },
      maskedKeys: {},
      secrets: { a: "sk" },
    });
    expect(ownedKeys(state).byAlias.get("a")).toEqual(key);
  });

  test("K5 a set's state has existingKey in keys, as a secret, also of a key that does not match the program", () => {
    const declared = checked({
      keys: { a: { customerId: "c", existingKey: "sk_old" }, b: { customerId: "c" } },
    });
    const [a, b] = ["a", "b"].map((alias) => ({
      id: alias,
      state: { ...inputsOfEntry(declared, "a", { customerId: "c", existingKey: "sk_old" }), key: "sk_old" },
    })) as unknown as [OwnedKey, OwnedKey];
    const state = stateOf(declared, { byAlias: new Map(Object.entries({ a, b })), toDelete: [] });
    expect(state.keys).toEqual({
      a: { customerId: "c", existingKey: "sk_old" },
      b: { customerId: "c", existingKey: "sk_old", name: "a" },
    });
    expect(subject.secretPaths(state)).toContainEqual(["keys", "*", "existingKey"]);
  });

  test("R1 a set's state is stable, whatever the first one contains", () => {
    fc.assert(
      fc.property(bag(usualOf("ApiKeySet")), (properties) => {
        const state = apiKeySet.parse(properties);
        const once = stateOf(state, ownedKeys(state));
        expect(stateOf(once, ownedKeys(once))).toEqual(once);
        const { toDelete: _, ...inputs } = apiKeySet.inputsOf(once);
        // State has no unknown value, which would count as a change.
        if (!containsUnknown(inputs)) expect(subject.check(inputs, inputs).inputs).toEqual(inputs);
      }),
    );
  });
});

test("K6 a refresh warns of the keys whose secrets were regenerated in the service", async () => {
  const set = service();
  const { id, state } = await set.create(of({ a: { customerId }, b: { customerId } }));
  Object.assign(set.live.get("key_2") ?? {}, { maskedKey: "sk_****beef" });
  await set.read(id, state);
  expect(set.warnings).toEqual([
    expect.stringMatching(/^"b": The service shows another secret, .*change keepers, .*: key_2\.$/),
  ]);
});
