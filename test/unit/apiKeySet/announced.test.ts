import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import type { Step } from "../../../provider/resources/keys/operations";
import { configured, offline } from "../offline";
import { meantSet, stateOfAll, writtenSet } from "./setArbitraries";
import { of } from "./setService";

const subject = offline(configured, {}, apiKeySet);
type Inputs = Readonly<Record<string, unknown>>;

/** The entries that check returns, with what they add to those of the last update. */
function generations(now: object, before?: Inputs, state?: Inputs): Readonly<Record<string, unknown>> {
  const { inputs, failures } = subject.check(now as Inputs, before, "set", { state });
  expect(failures).toEqual([]);
  const entries = Object.entries(inputs["keys"] as Record<string, { generation?: number }>);
  return Object.fromEntries(entries.map(([alias, { generation }]) => [alias, generation]));
}

const checked = (inputs: object, before?: Inputs) => subject.check(inputs as Inputs, before, "set").inputs;

describe("the generation of an entry", () => {
  test("R21 rises exactly where the update replaces the key, whether check sees state or the last inputs", () => {
    const pairs = fc.tuple(meantSet, meantSet).map(([one, two]) => {
      // Most entries of both differ in one place only, or not at all.
      const close = Array.from(two, ([alias, key]) => [alias, { ...key, ...one.get(alias) }] as const);
      return [one, two.size % 2 === 0 ? new Map(close) : two] as const;
    });
    const written = pairs.chain(([one, two]) => fc.tuple(writtenSet(one), writtenSet(two)));
    fc.assert(
      fc.property(written, ([first, second]) => {
        const before = checked(first);
        const state = stateOfAll(before);
        const { steps } = apiKeySet.plan({
          id: "keys-1",
          state,
          inputs: checked(second, before),
          time: 0,
        }) as unknown as { readonly steps: readonly Step[] };
        const expected = Object.fromEntries(
          steps
            .filter(({ op }) => op !== "delete")
            .map(({ alias, op }) => [alias, op === "replace" ? 2 : undefined]),
        );
        expect(generations(second, before)).toEqual(expected);
        expect(generations(second, before, state)).toEqual(expected);
      }),
    );
  });

  test("R21 counts on, stays without a replacement, follows a new alias, and begins again with a new entry", () => {
    const key = (customerId: string, more = {}) => ({ customerId, ...more });
    const first = checked(of({ a: key("c") }));
    const second = checked(of({ a: key("d") }), first);
    expect(second["keys"]).toMatchObject({ a: { generation: 2 } });
    expect(generations(of({ a: key("d", { name: "n" }) }), second)).toEqual({ a: 2 });
    expect(generations(of({ a: key("e") }), second)).toEqual({ a: 3 });
    expect(generations(of({ b: key("d", { renamedFrom: "a" }) }), second)).toEqual({ b: 2 });
    expect(generations(of({ b: key("d") }), second)).toEqual({ b: undefined });
  });

  test("R21 rises for an entry whose key was released or lost its secret, and whenever an unknown value may replace it", () => {
    const key = { customerId: "c" };
    expect(generations(of({ a: key }), checked(of({ a: { ...key, release: true } })))).toEqual({ a: 2 });
    const state = { ...stateOfAll(checked(of({ a: key }))), secrets: {}, __keys: { a: { __keyLost: true } } };
    const lost = { ...of({ a: { ...key, isLost: true } }) };
    expect(generations(of({ a: key }), lost)).toEqual({ a: 2 });
    expect(apiKeySet.inputsOf(apiKeySet.parse(state))["keys"]).not.toMatchObject({ a: { isLost: true } });
  });

  test("K5 K11 R21 stays where an entry no longer names its existing key, and rises where it names another", () => {
    const named = (existingId?: string) => of({ a: { customerId: "c", scopes: [], existingId } });
    const before = checked(named("key_1"));
    expect(generations(named(), before)).toEqual({ a: undefined });
    expect(generations(named("key_2"), before)).toEqual({ a: 2 });
  });

  test("K5 K11 R21 stays where state shows that an entry names its own key, by its id or its value", () => {
    const key = (more = {}) => of({ a: { customerId: "c", scopes: [], ...more } });
    const before = checked(key());
    const state = stateOfAll(before);
    for (const own of [
      { existingId: "id of a" },
      { existingId: "id of a", existingKey: "sk_secret_of_a" },
      { existingKey: "sk_secret_of_a" },
    ])
      expect(generations(key(own), before, state)).toEqual({ a: undefined });
    expect(generations(key({ existingId: "id of b" }), before, state)).toEqual({ a: 2 });
    // Without state, it may be another key.
    expect(generations(key({ existingId: "id of a" }), before)).toEqual({ a: 2 });
  });

  test("R9 R21 a program can't set what check adds", () => {
    const { failures } = subject.check(of({ a: { customerId: "c", generation: 7 } }), undefined);
    expect(failures).toEqual([expect.stringMatching(/^keys\.a\.generation: no such property/)]);
    expect(subject.check({ ...of({}), toDelete: ["key_1"] }, undefined).failures).toHaveLength(1);
  });
});
