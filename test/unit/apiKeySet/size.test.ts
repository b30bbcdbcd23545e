import { describe, expect, test } from "vitest";
import { isKeepable } from "../../../provider/core/stateSize";
import { failureOf } from "../replying";
import { customerId, of, service } from "./setService";

describe("R8 the engine can save the state of a failed update for each set that check accepts", () => {
  const text = "x".repeat(240_000);
  const declared = (count: number, letter: string, entry: object, defaults: object) =>
    of(
      Object.fromEntries(Array.from({ length: count }, (_, place) => [`${letter}${place}`, entry])),
      defaults,
    );
  const key = { customerId, metadata: { text } };

  test("if none of the old keys can be deleted", async () => {
    const set = service({ undeletable: true });
    const [before, inputs] = [declared(23, "k", key, {}), declared(23, "m", key, {})];
    const first = await set.create(before);
    const second = await set.failed(set.update(first, inputs, before));
    expect(Object.keys(second.state["ids"] as object)).toHaveLength(46);
    expect(isKeepable(second.state)).toBe(true);
    set.trouble.undeletable = false;
    const third = await set.update(second, inputs, before);
    expect(Object.keys(third.state["ids"] as object)).toEqual(Object.keys(inputs.keys));
    expect(set.gone.toSorted()).toEqual(Object.values(first.state["ids"] as object).toSorted());
    expect(set.check(declared(24, "k", key, {}), undefined).failures).toEqual([
      expect.stringMatching(/^keys: these 24 keys are too large: /),
    ]);
  });

  test("if a default of many keys changes", async () => {
    const set = service({ refused: "new" });
    const version = (name: string, count: number) => {
      const { keys, ...others } = declared(count, "k", {}, { customerId, name, metadata: { text, name } });
      return { ...others, keys: { ...keys, x: { name: "x" } } };
    };
    const [before, inputs] = [version("old", 22), version("new", 22)];
    const { kept } = await failureOf(set.update(await set.create(before), inputs, before));
    expect(Object.keys(kept?.state["ids"] as object)).toHaveLength(23);
    expect(isKeepable(kept?.state)).toBe(true);
    expect(set.check(version("old", 23), undefined).failures).toEqual([
      expect.stringMatching(/^keys: these 24 keys are too large: /),
    ]);
  });
});
