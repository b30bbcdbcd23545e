import { describe, expect, test } from "vitest";
import { openRun, unlessAborted } from "../../../provider/core/run";

describe("a run", () => {
  test("continues until it is stopped, and keeps the first reason", async () => {
    const run = openRun();
    expect(await run.whyOver()).toBeUndefined();
    expect(run.over.aborted).toBe(false);
    run.stop("the run was interrupted");
    run.stop("the Pulumi engine is gone");
    expect(await run.whyOver()).toBe("the run was interrupted");
    expect(run.over.aborted).toBe(true);
  });

  test("ends when `ask` returns a reason, and concurrent calls share one `ask`", async () => {
    let asked = 0;
    let answer: string | undefined;
    const run = openRun({
      ask: async () => {
        asked += 1;
        return answer;
      },
    });
    expect(await Promise.all([run.whyOver(), run.whyOver(), run.whyOver()])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(asked).toBe(1);
    answer = "the Pulumi engine is gone";
    expect(await run.whyOver()).toBe(answer);
    expect(run.over.aborted).toBe(true);
    await run.whyOver();
    expect(asked).toBe(2);
  });

  test("knows the operations in progress, what each leaves behind if interrupted, and when the last one ends", async () => {
    let idle = 0;
    const run = openRun({ onIdle: () => (idle += 1) });
    const ends: (() => void)[] = [];
    const operations = ["key_1", undefined].map((line) =>
      run.during(async (leaves) => {
        leaves(() => "what was left before");
        leaves(line === undefined ? undefined : () => line);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (line === undefined) throw new Error("it failed");
      }),
    );
    expect(run.underWay).toBe(2);
    expect(run.interruptLines()).toEqual(["key_1"]);
    ends[0]?.();
    await operations[0];
    expect([run.underWay, idle]).toEqual([1, 0]);
    ends[1]?.();
    await expect(operations[1]).rejects.toThrow("it failed");
    expect([run.underWay, idle]).toEqual([0, 1]);
    expect(run.interruptLines()).toEqual([]);
  });

  test("stops waiting for unfinished work when it ends", async () => {
    const run = openRun();
    expect(await unlessAborted(run.over, Promise.resolve("done"), () => "let go")).toBe("done");
    const waiting = unlessAborted(run.over, new Promise<string>(() => {}), () => "let go");
    run.stop("the run was interrupted");
    expect(await waiting).toBe("let go");
    expect(await unlessAborted(run.over, new Promise<string>(() => {}), () => "let go")).toBe("let go");
  });
});
