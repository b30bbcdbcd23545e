import { describe, expect, test } from "vitest";
import { adopting, adoptions } from "../adoptions";
import { failureOf } from "../replying";

const entry = { customerId: "cus_1" };
const of = (keys: object) => ({ workspaceId: "ws_1", keys });

/** A set with two keys, in an earlier run. */
async function twoKeys() {
  const world = adoptions();
  const before = world.sets.checked(of({ a: entry, b: entry }), undefined, "set");
  const held = await world.sets.create(before);
  world.asked.length = 0;
  /** The check and the diff of the set in a run. */
  const compared = ({ sets }: ReturnType<typeof world.process>, keys: object, last = before) => {
    const inputs = sets.checked(of(keys), last, "set");
    return { inputs, ...sets.diff(held.id, held.state, inputs, "set") };
  };
  return { ...world, before, held, compared };
}

describe("an entry with release: true", () => {
  const released = { a: { ...entry, release: true }, b: entry };

  test("E2 release leaves the key in the service, and state forgets it without a request, as the preview says", async () => {
    const { process, compared, held, asked, there } = await twoKeys();
    const run = process();
    const { inputs, changes } = compared(run, released);
    expect(changes).not.toBe(false);
    expect(run.sets.notes).toEqual(['ApiKeySet "set": 1 to release and leave in the service: "a".']);
    const state = await run.sets.update(held.id, held.state, inputs);
    expect(asked).toEqual([]);
    expect(state).toMatchObject({ ids: { b: "made_2" }, secrets: { b: "sk_made_2" } });
    expect(JSON.stringify(state)).not.toContain("made_1");
    expect(there()).toEqual(["made_1", "made_2"]);

    const next = process();
    const adopted = of({ a: { ...entry, existingId: "made_1", scopes: [] }, b: entry });
    next.sets.diff(held.id, state, next.sets.checked(adopted, inputs, "set"));
    expect(next.sets.notes).toEqual([expect.stringContaining("adopt")]);
    expect(next.sets.diff(held.id, state, next.sets.checked(of(released), inputs, "set")).changes).toBe(
      false,
    );
    expect((await next.sets.read(held.id, state))?.state).toEqual(state);
    const without = next.sets.checked(of({ b: entry }), inputs, "set");
    await next.sets.update(held.id, state, without);
    expect(there()).toEqual(["made_1", "made_2"]);
  });

  test("E2 a released key is dropped from state although another key of the update fails", async () => {
    const { process, compared, held } = await twoKeys();
    const run = process();
    const { inputs } = compared(run, { ...released, c: { ...entry, scopes: [], existingId: "none" } });
    const { kept } = await failureOf(run.sets.update(held.id, held.state, inputs));
    expect(kept?.state["ids"]).toEqual({ b: "made_2" });
  });

  test.each(["set", "ApiKey"])(
    "E2 K11 release lets an ApiKey adopt the key in the same update, if the engine comes to the %s first",
    async (first) => {
      const { process, compared, held, there } = await twoKeys();
      const run = process();
      const release = async () => {
        await run.sets.update(held.id, held.state, compared(run, released).inputs);
      };
      const adopt = async () => {
        await run.keys.create(run.keys.checked(adopting({ existingId: "made_1" }), undefined, "key"));
      };
      for (const act of first === "set" ? [release, adopt] : [adopt, release]) await act();
      expect(there()).toEqual(["made_1", "made_2"]);
    },
  );
});

describe.each([
  ["stays", { a: entry, b: entry }],
  ["is removed", { b: entry }],
  ["is replaced", { a: { ...entry, keepers: { n: "1" } }, b: entry }],
])("an ApiKey that adopts the key of an entry that %s", (_words, keys) => {
  test.each(["set", "ApiKey"])(
    "E2 R17 adopting the key of an entry fails the preview if the engine comes to the %s first",
    async (first) => {
      const { process, compared } = await twoKeys();
      const run = process();
      const check = () => run.keys.check(adopting({ existingId: "made_1" }), undefined, "key").failures;
      if (first === "set") {
        compared(run, keys);
        expect(check()).toEqual([expect.stringMatching(/^existingId: the resource set has or declares/)]);
      } else {
        expect(check()).toEqual([]);
        expect(() => compared(run, keys)).toThrow(
          'ApiKeySet "set": it has made_1, which the resource key has or adopts too',
        );
      }
    },
  );
});
