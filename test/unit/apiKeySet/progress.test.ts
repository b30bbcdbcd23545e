import { expect, test } from "vitest";
import { service as setService } from "./setService";

const of = (count: number, first = {}) => ({
  workspaceId: "ws_1",
  defaults: { customerId: "c" },
  keys: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n === 0 ? first : {}])),
});

/** Waits until all code that needs no further answer has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

/** A set on a service that delays its answers to requests of one method about a key. */
function service() {
  const set = setService();
  const waiting: (() => void)[] = [];
  const delay = (method: string) =>
    set.always(
      (asked) => asked.method === method && !asked.path.endsWith(method === "GET" ? "/api-key" : "/ws_1"),
      async (answer) => {
        await new Promise<void>((resume) => waiting.push(resume));
        return answer();
      },
    );
  const answer = async () => {
    const most = waiting.length;
    for (const resume of waiting.splice(0)) resume();
    await settled();
    return most;
  };
  return { set, delay, answer };
}

test("E1 the keys of a set are created a few at a time", async () => {
  const { set, delay, answer } = service();
  delay("POST");
  const created = set.create(of(40));
  await settled();
  expect([await answer(), await answer(), await answer()]).toEqual([16, 16, 8]);
  expect(Object.keys((await created).state["ids"] as object)).toHaveLength(40);
});

test("R18 a refresh of a set prints no note about what an update would do", async () => {
  const { set } = service();
  const { id, state } = await set.create(of(1));
  const none = set.check(of(0), undefined).inputs;
  await set.read(id, state);
  set.diff(id, state, none);
  expect(set.progress).toEqual([]);
  set.check(of(0), undefined);
  set.diff(id, state, none);
  expect(set.progress).toEqual([expect.stringContaining('1 to delete: "k0"')]);
});
