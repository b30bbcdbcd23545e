import { expect, test } from "vitest";
import { service } from "./setService";

const of = (count: number) => ({
  workspaceId: "ws_1",
  defaults: { customerId: "c" },
  keys: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, {}])),
});

/** Waits until all code that needs no further answer has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

test("E1 the keys of a set are created a few at a time", async () => {
  const set = service();
  const waiting: (() => void)[] = [];
  set.always(
    ({ method, path }) => method === "POST" && !path.endsWith("/ws_1"),
    async (answer) => {
      await new Promise<void>((resume) => waiting.push(resume));
      return answer();
    },
  );
  const created = set.create(of(40));
  const atOnce: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await settled();
    atOnce.push(waiting.length);
    for (const resume of waiting.splice(0)) resume();
  }
  expect(atOnce).toEqual([16, 16, 8]);
  expect(Object.keys((await created).state["ids"] as object)).toHaveLength(40);
});

test("R18 a refresh of a set prints no note about what an update would do", async () => {
  const set = service();
  const { id, state } = await set.create(of(1));
  const none = set.check(of(0), undefined).inputs;
  await set.read(id, state);
  set.diff(id, state, none);
  expect(set.notes).toEqual([]);
  set.check(of(0), undefined);
  set.diff(id, state, none);
  expect(set.notes).toEqual([expect.stringContaining('1 to delete: "k0"')]);
});
