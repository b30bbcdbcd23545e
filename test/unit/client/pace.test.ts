import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openPace, type Turn } from "../../../provider/client/pace";
import { handClock } from "../../client/handClock";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A pace with a clock of its own. */
function open(limit: number) {
  const clock = handClock();
  const pace = openPace(clock, limit);
  /** Asks for this many turns, and records which were given, in which order. */
  const ask = (count: number, allowanceMs = 600_000) => {
    const turns: (Turn & { who: number })[] = [];
    const dismissed: number[] = [];
    for (let who = 0; who < count; who += 1) {
      void pace.enter(allowanceMs, false).then((turn) => {
        if ("dispatchedAt" in turn) turns.push({ ...turn, who });
        else dismissed.push(turn.pauseLeftMs);
      });
    }
    return { turns, dismissed, pauses: () => turns.map(({ pausedMs }) => pausedMs) };
  };
  const advance = async (ms: number) => {
    clock.advance(ms);
    await tick();
  };
  return { clock, pace, ask, advance };
}

/** A pace with one call under way. `throttle`: it is answered with a 429 that asks for this wait. */
async function openBusy(limit: number) {
  const opened = open(limit);
  const { turns } = opened.ask(1);
  await tick();
  const throttle = (ms: number) => opened.pace.throttled(turnOf(turns, 0), ms);
  return { ...opened, throttle };
}

/** A pace whose only call was answered with a 429 that asks for this wait. */
async function openPaused(limit: number, ms: number) {
  const opened = await openBusy(limit);
  opened.throttle(ms);
  opened.pace.leave();
  return opened;
}

function turnOf(turns: readonly Turn[], at: number): Turn {
  const turn = turns[at];
  if (turn === undefined) throw new Error(`no turn ${at} was given`);
  return turn;
}

describe("the pace of the requests to an origin", () => {
  it("lets as many calls through as its limit, and the next ones in order as turns are returned", async () => {
    const { pace, ask } = open(2);
    const asked = ask(4);
    await tick();
    expect(asked.turns.map(({ who }) => who)).toEqual([0, 1]);
    pace.leave();
    pace.leave();
    await tick();
    expect(asked.turns.map(({ who }) => who)).toEqual([0, 1, 2, 3]);
  });

  it("lets a call that has already had a turn go before those that have not", async () => {
    const { pace } = await openBusy(1);
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
    const { ask, advance } = await openPaused(8, 5_000);
    const next = ask(3);
    await advance(4_999);
    expect(next.turns).toHaveLength(0);
    await advance(1);
    expect(next.pauses()).toEqual([5_000, 5_000, 5_000]);
  });

  it("does not count the wait for a free turn as a pause", async () => {
    const { pace, ask, clock } = await openBusy(1);
    const next = ask(1);
    clock.advance(30_000);
    pace.leave();
    await tick();
    expect(next.pauses()).toEqual([0]);
  });

  it("ends a pause when told to skip pauses, and makes no call wait for a later one", async () => {
    const { pace, ask, advance } = await openPaused(4, 60_000);
    const next = ask(1);
    await advance(1_000);
    expect(next.turns).toEqual([]);
    pace.skipPauses();
    await tick();
    expect(next.pauses()).toEqual([1_000]);
    pace.throttled(turnOf(next.turns, 0), 60_000);
    pace.leave();
    const last = ask(1);
    await tick();
    expect(last.turns).toHaveLength(1);
  });

  it("also ends the waits of single calls when told to skip pauses, and then makes no call wait", async () => {
    const { pace, advance, clock } = open(4);
    const rested: number[] = [];
    const rest = (ms: number) => void pace.rest(ms).then(() => rested.push(ms));
    rest(5_000);
    rest(50_000);
    await advance(5_000);
    expect(rested).toEqual([5_000]);
    pace.skipPauses();
    rest(60_000);
    await tick();
    expect(rested.toSorted()).toEqual([5_000, 50_000, 60_000]);
    expect(clock.waiting()).toBe(0);
  });

  it("halves its limit once for requests that were throttled together, and raises it again step by step", async () => {
    const { pace, ask, clock } = open(8);
    const first = ask(8);
    await tick();
    clock.advance(10);
    for (let n = 0; n < 8; n += 1) pace.throttled(turnOf(first.turns, n), 100);
    for (let n = 0; n < 8; n += 1) pace.leave();
    clock.advance(100);
    const second = ask(20);
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
    const { pace, ask, clock } = open(4);
    for (let round = 0; round < 5; round += 1) {
      const { turns } = ask(1);
      await tick();
      pace.throttled(turnOf(turns, 0), 10);
      pace.leave();
      clock.advance(20);
    }
    const asked = ask(3);
    await tick();
    expect(asked.turns).toHaveLength(1);
  });

  it("dismisses at once each call that may not wait as long as the pause, and keeps no timer for them", async () => {
    const { ask, clock, throttle } = await openBusy(1);
    throttle(5_000);
    const waiting = ask(150_000);
    expect(clock.waiting()).toBe(1);
    throttle(3_600_000);
    const late = ask(1);
    await tick();
    expect(waiting.dismissed).toHaveLength(150_000);
    expect([waiting.dismissed[0], late.dismissed[0]]).toEqual([3_600_000, 3_600_000]);
    expect(clock.waiting()).toBe(0);
  });

  it("adds up consecutive pauses, and dismisses a call that may not wait as long as their sum", async () => {
    const { pace, ask, clock, advance, throttle } = await openBusy(1);
    const patient = ask(1, 10_000);
    const impatient = ask(1, 9_999);
    throttle(5_000);
    clock.advance(5_000);
    throttle(5_000);
    await tick();
    expect(impatient.dismissed).toEqual([5_000]);
    pace.leave();
    await advance(5_000);
    expect(patient.pauses()).toEqual([10_000]);
  });

  it("counts only pauses, not the time between them", async () => {
    const { pace, ask, clock, advance, throttle } = await openBusy(1);
    const waiting = ask(1, 10_000);
    throttle(3_000);
    clock.advance(60_000);
    throttle(4_000);
    pace.leave();
    await advance(4_000);
    expect(waiting.pauses()).toEqual([7_000]);
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
