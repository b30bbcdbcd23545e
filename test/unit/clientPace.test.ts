import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openPace, type Pace, type Turn } from "../../provider/client/pace";
import { handClock } from "../client/handClock";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Asks for this many turns, and records which were given, in which order. */
function askFor(pace: Pace, count: number, allowanceMs = 600_000) {
  const turns: (Turn & { who: number })[] = [];
  const dismissed: number[] = [];
  for (let who = 0; who < count; who += 1) {
    void pace.enter(allowanceMs, false).then((turn) => {
      if ("dispatchedAt" in turn) turns.push({ ...turn, who });
      else dismissed.push(turn.pauseLeftMs);
    });
  }
  return { turns, dismissed };
}
const turnOf = ({ turns }: { turns: readonly Turn[] }, at: number): Turn => {
  const turn = turns[at];
  if (turn === undefined) throw new Error(`no turn ${at} was given`);
  return turn;
};

describe("the pace of the requests to an origin", () => {
  it("lets as many calls through as its limit, and the next ones in order as turns are returned", async () => {
    const clock = handClock();
    const pace = openPace(clock, 2);
    const asked = askFor(pace, 4);
    await tick();
    expect(asked.turns.map(({ who }) => who)).toEqual([0, 1]);
    pace.leave();
    pace.leave();
    await tick();
    expect(asked.turns.map(({ who }) => who)).toEqual([0, 1, 2, 3]);
  });

  it("lets a call that has already had a turn go before those that have not", async () => {
    const clock = handClock();
    const pace = openPace(clock, 1);
    askFor(pace, 1);
    const order: string[] = [];
    void pace.enter(1, false).then(() => order.push("new"));
    void pace.enter(1, true).then(() => order.push("again"));
    pace.leave();
    await tick();
    pace.leave();
    await tick();
    expect(order).toEqual(["again", "new"]);
  });

  it("gives no turn during a pause, and says how long each call was paused", async () => {
    const clock = handClock();
    const pace = openPace(clock, 8);
    const first = askFor(pace, 1);
    await tick();
    pace.throttled(turnOf(first, 0), 5_000);
    pace.leave();
    const next = askFor(pace, 3);
    clock.advance(4_999);
    await tick();
    expect(next.turns).toHaveLength(0);
    clock.advance(1);
    await tick();
    expect(next.turns.map(({ pausedMs }) => pausedMs)).toEqual([5_000, 5_000, 5_000]);
  });

  it("does not count the wait for a free turn as a pause", async () => {
    const clock = handClock();
    const pace = openPace(clock, 1);
    askFor(pace, 1);
    const next = askFor(pace, 1);
    clock.advance(30_000);
    pace.leave();
    await tick();
    expect(next.turns.map(({ pausedMs }) => pausedMs)).toEqual([0]);
  });

  it("ends a pause when told to hurry, and makes no call wait for a later one", async () => {
    const clock = handClock();
    const pace = openPace(clock, 4);
    const first = askFor(pace, 1);
    await tick();
    pace.throttled(turnOf(first, 0), 60_000);
    pace.leave();
    const next = askFor(pace, 1);
    clock.advance(1_000);
    await tick();
    expect(next.turns).toEqual([]);
    pace.hurry();
    await tick();
    expect(next.turns.map(({ pausedMs }) => pausedMs)).toEqual([1_000]);
    pace.throttled(turnOf(next, 0), 60_000);
    pace.leave();
    const last = askFor(pace, 1);
    await tick();
    expect(last.turns).toHaveLength(1);
  });

  it("also ends the waits of single calls when told to hurry, and then makes no call wait", async () => {
    const clock = handClock();
    const pace = openPace(clock, 4);
    const rested: number[] = [];
    const rest = (ms: number) => void pace.rest(ms).then(() => rested.push(ms));
    rest(5_000);
    rest(50_000);
    clock.advance(5_000);
    await tick();
    expect(rested).toEqual([5_000]);
    pace.hurry();
    rest(60_000);
    await tick();
    expect(rested.toSorted()).toEqual([5_000, 50_000, 60_000]);
    expect(clock.waiting()).toBe(0);
  });

  it("halves its limit once for requests that were throttled together, and raises it again step by step", async () => {
    const clock = handClock();
    const pace = openPace(clock, 8);
    const first = askFor(pace, 8);
    await tick();
    clock.advance(10);
    for (let n = 0; n < 8; n += 1) pace.throttled(turnOf(first, n), 100);
    for (let n = 0; n < 8; n += 1) pace.leave();
    clock.advance(100);
    const second = askFor(pace, 20);
    await tick();
    expect(second.turns).toHaveLength(4);
    for (let n = 0; n < 4; n += 1) pace.succeeded();
    pace.leave();
    await tick();
    // One turn was returned, and 4 successes at a limit of 4 have raised the limit by not quite 1.
    expect(second.turns).toHaveLength(5);
    pace.succeeded();
    pace.leave();
    await tick();
    expect(second.turns).toHaveLength(7);
  });

  it("halves its limit again if a request at the lower limit is throttled too, down to one at a time", async () => {
    const clock = handClock();
    const pace = openPace(clock, 4);
    for (let round = 0; round < 5; round += 1) {
      const one = askFor(pace, 1);
      await tick();
      pace.throttled(turnOf(one, 0), 10);
      pace.leave();
      clock.advance(20);
    }
    const asked = askFor(pace, 3);
    await tick();
    expect(asked.turns).toHaveLength(1);
  });

  it("dismisses at once the calls that may not wait as long as the pause, and keeps no timer for them", async () => {
    const clock = handClock();
    const pace = openPace(clock, 1);
    const first = askFor(pace, 1);
    const waiting = askFor(pace, 1, 600_000);
    await tick();
    pace.throttled(turnOf(first, 0), 3_600_000);
    pace.leave();
    const late = askFor(pace, 1, 600_000);
    await tick();
    expect([...waiting.dismissed, ...late.dismissed]).toEqual([3_600_000, 3_600_000]);
    expect(clock.waiting()).toBe(0);
  });

  it("lets any number of calls wait", async () => {
    const pace = openPace(handClock(), 1);
    const first = askFor(pace, 1);
    await tick();
    const waiting = askFor(pace, 150_000);
    pace.throttled(turnOf(first, 0), 1_000);
    pace.throttled(turnOf(first, 0), 3_600_000);
    await tick();
    expect(waiting.dismissed).toHaveLength(150_000);
  });

  it("keeps at most one timer, and none once no call is waiting", async () => {
    const clock = handClock();
    const pace = openPace(clock, 1);
    const first = askFor(pace, 1);
    await tick();
    pace.throttled(turnOf(first, 0), 5_000);
    const waiting = askFor(pace, 3, 10_000);
    expect(clock.waiting()).toBe(1);
    pace.throttled(turnOf(first, 0), 3_600_000);
    await tick();
    expect(waiting.dismissed).toHaveLength(3);
    expect(clock.waiting()).toBe(0);
  });

  it("adds up consecutive pauses, and dismisses a call that may not wait as long as their sum", async () => {
    const clock = handClock();
    const pace = openPace(clock, 1);
    const first = askFor(pace, 1);
    await tick();
    const patient = askFor(pace, 1, 10_000);
    const impatient = askFor(pace, 1, 9_999);
    pace.throttled(turnOf(first, 0), 5_000);
    clock.advance(5_000);
    pace.throttled(turnOf(first, 0), 5_000);
    await tick();
    expect(impatient.dismissed).toEqual([5_000]);
    pace.leave();
    clock.advance(5_000);
    await tick();
    expect(patient.turns.map(({ pausedMs }) => pausedMs)).toEqual([10_000]);
  });

  it("counts only pauses, not the time between them", async () => {
    const clock = handClock();
    const pace = openPace(clock, 1);
    const first = askFor(pace, 1);
    const waiting = askFor(pace, 1, 10_000);
    await tick();
    pace.throttled(turnOf(first, 0), 3_000);
    clock.advance(60_000);
    pace.throttled(turnOf(first, 0), 4_000);
    pace.leave();
    clock.advance(4_000);
    await tick();
    expect(waiting.turns.map(({ pausedMs }) => pausedMs)).toEqual([7_000]);
  });

  it("never exceeds its limit, and gives every call a turn in the end, whatever happens", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("enter" as const), first: fc.boolean() }),
      fc.record({ kind: fc.constant("leave" as const), ms: fc.integer({ min: 0, max: 3_000 }) }),
      fc.record({ kind: fc.constant("succeed" as const) }),
      fc.record({ kind: fc.constant("advance" as const), ms: fc.integer({ min: 0, max: 5_000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(step, { maxLength: 60 }),
        async (most, steps) => {
          const clock = handClock();
          const pace = openPace(clock, most);
          const running: Turn[] = [];
          let entered = 0;
          let given = 0;
          const give = (turn: unknown): void => {
            given += 1;
            running.push(turn as Turn);
          };
          const leave = (pauseMs: number): void => {
            const turn = running.shift();
            if (turn === undefined) return;
            if (pauseMs > 0) pace.throttled(turn, pauseMs);
            pace.leave();
          };
          for (const one of steps) {
            if (one.kind === "enter") {
              entered += 1;
              void pace.enter(Number.POSITIVE_INFINITY, one.first).then(give);
            } else if (one.kind === "leave") leave(one.ms);
            else if (one.kind === "succeed") pace.succeeded();
            else clock.advance(one.ms);
            await tick();
            expect(running.length).toBeLessThanOrEqual(most);
          }
          for (let n = 0; n <= entered; n += 1) {
            clock.advance(10_000);
            await tick();
            leave(0);
            await tick();
          }
          expect(given).toBe(entered);
        },
      ),
      { numRuns: 50 },
    );
  });
});
