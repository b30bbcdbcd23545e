import { expect, onTestFinished, test, vi } from "vitest";
import { openRun, reasonAgainst, within } from "../../../provider/core/run";

const methods = ["GET", "POST", "PATCH", "DELETE"];

test("R20 a closed run still deletes, one that is over writes nothing, and both keep the first reason", () => {
  const run = openRun();
  const reasons = () => methods.map((method) => reasonAgainst(method, run));
  expect(reasons()).toEqual([undefined, undefined, undefined, undefined]);
  run.close("it was canceled");
  expect(reasons()).toEqual([undefined, "it was canceled", "it was canceled", undefined]);
  run.stop("it was interrupted");
  run.stop("the engine is gone");
  expect(reasons()).toEqual([undefined, "it was canceled", "it was canceled", "it was interrupted"]);
});

test("customTimeouts end an operation as the end of the run would, and the run ends it all the same", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const run = openRun();
  const [short, long, endless] = [within(2, run), within(60 * 86_400, run), within(0, run)];
  const reasons = () => [short, long, endless].map((one) => reasonAgainst("DELETE", one));
  vi.advanceTimersByTime(1_999);
  expect(reasons()).toEqual([undefined, undefined, undefined]);
  vi.advanceTimersByTime(1);
  expect(reasons()).toEqual(["its customTimeouts (2 s) ran out", undefined, undefined]);
  expect([short.closed.aborted, run.closed.aborted]).toEqual([true, false]);
  run.stop("it was interrupted");
  expect(reasons()).toEqual(["its customTimeouts (2 s) ran out", "it was interrupted", "it was interrupted"]);
});

test("a run knows the operations under way, what each leaves if the process ends, and when the last one ends", async () => {
  let idle = 0;
  const run = openRun(() => (idle += 1));
  const ends: (() => void)[] = [];
  const operations = ["key_1", undefined].map((line) =>
    run.during(
      async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        if (line === undefined) throw new Error("it failed");
      },
      () => line,
    ),
  );
  expect([...run.underWay].map((line) => line())).toEqual(["key_1", undefined]);
  ends[0]?.();
  await operations[0];
  expect([run.underWay.size, idle]).toEqual([1, 0]);
  ends[1]?.();
  await expect(operations[1]).rejects.toThrow("it failed");
  expect([run.underWay.size, idle]).toEqual([0, 1]);
});
