import fc from "fast-check";
import { expect, test } from "vitest";
import { unknown } from "../../../provider/core/fields";
import { rotatingApiKey } from "../../../provider/resources/rotatingApiKey";
import { declared, type Inputs, iso, rotating } from "./rotatingService";

/** The numbers of the keys that inputs announce. */
const numbers = ({ generation, previousGeneration }: Inputs) => [generation, previousGeneration];

/** What the update of these inputs does. */
const does = (id: string, state: Inputs, inputs: Inputs, day: number) =>
  (
    rotatingApiKey.plan({ id, state: rotatingApiKey.parse(state), inputs, time: Date.parse(iso(day)) }) as {
      does?: string;
    }
  ).does;

/** One run after another, as in the dynamic host, where check sees no state. `days`: when, and whether an input changes. */
const runs = fc.array(
  fc.record({ after: fc.constantFrom(0, 1, 6.9, 7, 7.1, 83, 90, 120), changes: fc.boolean() }),
  { maxLength: 12 },
);

test("R21 a rotating key's diff shows a new key, and the deletion of the previous one, exactly where the update makes or deletes it", async () => {
  await fc.assert(
    fc.asyncProperty(runs, async (all) => {
      const ci = rotating();
      let now = 0;
      let keepers = 0;
      let inputs = ci.check(declared, undefined, "ci", { isPreview: false }).inputs;
      let { id, state } = await ci.create();
      for (const { after, changes } of all) {
        now += after;
        ci.at(now);
        // A change that needs a third key fails the update (T2).
        const next = { ...declared, keepers: { of: String(keepers + (changes ? 1 : 0)) } };
        const checkedAs = (isPreview?: boolean) =>
          ci.check(next, inputs, "ci", isPreview === undefined ? { state } : { isPreview }).inputs;
        const checked = checkedAs(false);
        const step = does(id, state, checked, now);
        if (step === "fail") continue;
        if (changes) keepers += 1;
        const [generation, previous] = numbers(inputs);
        const expected: Readonly<Record<string, readonly unknown[]>> = {
          keep: [generation, previous],
          rotate: [Number(generation) + 1, generation],
          retire: [generation, undefined],
        };
        expect(numbers(checked)).toEqual(expected[step ?? ""]);
        expect(numbers(checkedAs(true))).toEqual(expected[step ?? ""]);
        expect(numbers(checkedAs())).toEqual(expected[step ?? ""]);
        if (ci.diff(id, state, checked).changes !== false) state = await ci.update(id, state, checked);
        inputs = checked;
      }
    }),
    { numRuns: 60 },
  );
});

test("R21 a preview of a rotation has no time in the inputs, which a saved plan would fix", () => {
  const ci = rotating();
  const inputs = (isPreview?: boolean) =>
    ci.check(declared, undefined, "ci", isPreview === undefined ? {} : { isPreview }).inputs;
  expect(inputs(true)["__schedule"]).toBe(unknown);
  expect(inputs(false)["__schedule"]).toEqual({ rotatedAt: iso(0), retiresAt: iso(7) });
  expect(inputs()).not.toHaveProperty("__schedule");
});

test("R21 after a refresh that no longer finds the current key, the next number is announced", async () => {
  const ci = rotating();
  const first = await ci.create({ ...declared });
  ci.at(90);
  const rotated = await ci.up(first);
  ci.live.delete("key_2");
  const { inputs, state } = (await ci.read(rotated.id, rotated.state)) ?? {};
  expect(numbers(inputs ?? {})).toEqual([undefined, 1]);
  for (const known of [{ isPreview: false }, { state }])
    expect(numbers(ci.check(declared, inputs, "ci", known).inputs)).toEqual([3, 1]);
});

test("T5 R21 a refresh after the previous key was not deleted returns inputs that have it, so the next attempt is announced", async () => {
  const ci = rotating();
  const program = { ...declared, retire: "whenUnused" };
  const { id, state: rotated } = await openKept(ci, program);
  ci.at(97);
  // As in the dynamic host.
  const check = (before: Inputs, inputs: Inputs = program) =>
    ci.check(inputs, before, "ci", { isPreview: false }).inputs;
  const announced = check(ci.check(program, undefined, "ci", { state: rotated }).inputs);
  const kept = await ci.update(id, rotated, announced);
  expect(kept).toMatchObject({ previousKeyId: "key_1", retiresAt: iso(104) });
  const renamed = await ci.update(id, kept, check(announced, { ...program, name: "other" }));
  const read = await ci.read(id, renamed);
  expect([numbers(announced), numbers(read?.inputs ?? {})]).toEqual([
    [2, undefined],
    [2, 1],
  ]);
  ci.at(104);
  expect(numbers(check(read?.inputs ?? {}))).toEqual([2, undefined]);
  expect((await ci.read(id, read?.state ?? {}))?.inputs).toBeUndefined();
});

/** A rotated key whose previous key was used in the overlap. */
async function openKept(ci: ReturnType<typeof rotating>, program: Inputs) {
  const first = await ci.create(program);
  ci.at(90);
  const rotated = await ci.up(first, program);
  ci.edit("key_1", { lastUsedAt: iso(95) });
  return rotated;
}
