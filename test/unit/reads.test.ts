import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallError, type Transport } from "../../provider/client/send";
import { openSharedRead, orThrow, servesMs, sharedReads } from "../../provider/reads";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** A list whose requests the test answers one by one. */
function listOfNumbers() {
  let writes = 0;
  const answers: ((n: number) => void)[] = [];
  const read = () => new Promise<number>((resolve) => answers.push(resolve));
  const list = openSharedRead(read, () => writes);
  const write = () => {
    writes += 1;
  };
  /** Answers the newest request, once there have been `count`, with its number. */
  const answer = async (count: number) => {
    await new Promise(setImmediate);
    expect(answers).toHaveLength(count);
    answers[count - 1]?.(count);
    await new Promise(setImmediate);
  };
  return { list, asked: () => answers.length, answer, write };
}
const known = (value: number) => ({ kind: "known", value });

test("R5 a shared read takes one request for all readers of a recent answer, for 30 seconds", async () => {
  const { list, asked, answer } = listOfNumbers();
  const first = [list.recent(), list.recent(true)];
  await answer(1);
  vi.advanceTimersByTime(servesMs - 1);
  expect(await Promise.all([...first, list.recent()])).toEqual([1, 1, 1].map(known));
  expect(asked()).toBe(1);
  vi.advanceTimersByTime(1);
  const late = list.recent();
  await answer(2);
  expect(await late).toEqual(known(2));
});

test("R5 a shared read that must be fresh takes one new request for all its readers, even during another", async () => {
  const { list, asked, answer } = listOfNumbers();
  const old = list.recent();
  const fresh = [list.fresh(), list.fresh()];
  expect(asked()).toBe(1);
  await answer(1);
  expect(await old).toEqual(known(1));
  for (const n of [2, 3]) {
    const readers = n === 2 ? fresh : [list.fresh(), list.fresh()];
    await answer(n);
    expect(await Promise.all(readers)).toEqual([n, n].map(known));
  }
});

test("R5 a shared read takes a new request after a write of this process, even one during the last request", async () => {
  const { list, answer, write } = listOfNumbers();
  const first = [list.recent(true), list.recent()];
  write();
  await answer(1);
  expect(await first[1]).toEqual(known(1));
  await answer(2);
  expect(await first[0]).toEqual(known(2));
  write();
  const second = list.recent(true);
  await answer(3);
  expect(await second).toEqual(known(3));
});

test("a shared read that throws fails all its readers, without an unhandled rejection", async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown) => void unheard.push(error);
  process.on("unhandledRejection", hear);
  const failing = async () => Promise.reject(new TypeError("a bug"));
  const list = openSharedRead(failing, () => 0);
  for (const _ of [1, 2]) await expect(list.fresh()).rejects.toThrow("a bug");
  await new Promise(setImmediate);
  process.off("unhandledRejection", hear);
  expect(unheard).toEqual([]);
});

test.each([
  [new CallError("ambiguous", "the service answered 500", 500), 2],
  [new CallError("notSent", "the connection was refused"), 2],
  [new CallError("refused", "the service answered 401", 401), 2],
  [new CallError("refused", "the service answered 403", 403), 1],
])(
  "R5 a shared read that fails serves only those who wait for it, unless it is refused: %s",
  async (error, requests) => {
    let asked = 0;
    const list = openSharedRead(
      async () => {
        asked += 1;
        throw error;
      },
      () => 0,
    );
    expect(await Promise.all([list.recent(), list.recent()])).toEqual(
      Array(2).fill({ kind: "unavailable", error }),
    );
    expect(asked).toBe(1);
    await list.recent();
    expect(asked).toBe(requests);
  },
);

const credentials = { baseUrl: "https://api.test", accessToken: "token" };
const silent: Transport = { send: () => new Promise(() => {}), writes: 0, close: async () => {} };
const call = { transport: silent, credentials };

test("R5 a list is shared only by calls with the same base URL, token and connections", () => {
  const keys = sharedReads(call).keys("ws_1");
  expect(sharedReads({ ...call, credentials: { ...credentials } }).keys("ws_1")).toBe(keys);
  for (const other of [
    { ...call, credentials: { ...credentials, accessToken: "another" } },
    { ...call, credentials: { ...credentials, baseUrl: "https://other.test" } },
    { ...call, transport: { ...silent } },
  ])
    expect(sharedReads(other).keys("ws_1")).not.toBe(keys);
  expect(sharedReads(call).keys("ws_2")).not.toBe(keys);
});

test("R16 a shared list gives each reader the error of the request, and masks what any of them masks", async () => {
  const error = new CallError("refused", "the service answered 403", 403);
  const masked: (readonly string[])[] = [];
  const send: Transport["send"] = async ({ secrets }) => {
    masked.push(secrets);
    throw error;
  };
  const failing = { ...call, transport: { ...silent, send } };
  sharedReads({ ...failing, secrets: ["a"] });
  const list = sharedReads({ ...failing, secrets: ["b"] }).keys("ws_1");
  expect(await list.recent()).toEqual({ kind: "unavailable", error });
  expect(() => orThrow({ kind: "unavailable", error })).toThrow(error);
  expect(masked).toEqual([["token", "a", "b"]]);
});
