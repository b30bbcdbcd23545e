import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  backOffMs,
  type CallFailure,
  decide,
  type Policy,
  pauseMs,
  retryLimits,
  type Spent,
} from "../../../provider/client/retry";

const askedMs = fc.option(fc.integer({ min: 0, max: 2_000_000 }), { nil: undefined });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const policy = fc.constantFrom<Policy>("always", "unsent", "never");
const phrase = fc.constant("it failed");
const failure: fc.Arbitrary<CallFailure> = fc.oneof(
  fc.record({ kind: fc.constant("notSent" as const), phrase, lasting: fc.boolean() }),
  fc.record({ kind: fc.constant("ambiguous" as const), phrase, status: fc.constant(503), askedMs }),
  fc.record({ kind: fc.constant("throttled" as const), phrase, askedMs }),
  fc.record({ kind: fc.constant("refused" as const), phrase, status: fc.constant(403) }),
  fc.record({
    kind: fc.constant("unusable" as const),
    phrase,
    status: fc.constant(200),
    lasting: fc.boolean(),
  }),
);
const fresh: Spent = { attempts: 1, throttled: 0, activeMs: 0, pausedMs: 0 };
const spent: fc.Arbitrary<Spent> = fc.record({
  attempts: fc.integer({ min: 0, max: 6 }),
  throttled: fc.integer({ min: 0, max: 300 }),
  activeMs: fc.integer({ min: 0, max: 70_000 }),
  pausedMs: fc.integer({ min: 0, max: 700_000 }),
});
const notSent: CallFailure = { kind: "notSent", phrase: "", lasting: false };
const ambiguous: CallFailure = { kind: "ambiguous", phrase: "", status: undefined, askedMs: undefined };

/** Plays a call whose attempts fail like this, each after its time, as the loop of attempts does. */
function play(how: Policy, events: readonly { failure: CallFailure; tookMs: number; draw: number }[]) {
  const now = { attempts: 0, throttled: 0, activeMs: 0, pausedMs: 0 };
  for (const event of events) {
    const throttled = event.failure.kind === "throttled";
    const tookMs = Math.min(event.tookMs, retryLimits.totalMs - now.activeMs);
    now[throttled ? "throttled" : "attempts"] += 1;
    now[throttled ? "pausedMs" : "activeMs"] += tookMs;
    const decision = decide(how, event.failure, now, event.draw);
    if (decision.act === "stop") break;
    if (decision.act === "pause") now.pausedMs += decision.forMs;
    else now.activeMs += decision.afterMs;
  }
  return now;
}
const events = fc.array(fc.record({ failure, tookMs: fc.integer({ min: 0, max: 61_000 }), draw: random }), {
  minLength: 1,
  maxLength: 400,
});

describe("the retry decision", () => {
  it("makes at most 4 attempts, within 60 s of work and 10 minutes of pauses, whatever happens", () => {
    fc.assert(
      fc.property(policy, events, (how, all) => {
        const { attempts, activeMs, pausedMs } = play(how, all);
        expect(attempts).toBeLessThanOrEqual(4);
        expect(activeMs).toBeLessThanOrEqual(60_000);
        // The last exchange that was answered with 429 may have taken up to 60 s itself.
        expect(pausedMs).toBeLessThanOrEqual(660_000);
      }),
    );
  });

  it("repeats nothing after the fourth attempt, or if less than a second is left for it", () => {
    const actAfter = (used: Partial<Spent>) => decide("always", ambiguous, { ...fresh, ...used }, 0).act;
    expect([3, 4].map((attempts) => actAfter({ attempts }))).toEqual(["repeat", "stop"]);
    expect([59_000, 59_001].map((activeMs) => actAfter({ activeMs }))).toEqual(["repeat", "stop"]);
    const draw = 0.5;
    expect(decide("always", ambiguous, fresh, draw)).toEqual({ act: "repeat", afterMs: backOffMs(1, draw) });
  });

  it("repeats a POST of a key or scope only if it was not sent or was throttled", () => {
    fc.assert(
      fc.property(failure, spent, random, (what, used, draw) => {
        if (decide("unsent", what, used, draw).act !== "stop") {
          expect(["notSent", "throttled"]).toContain(what.kind);
        }
      }),
    );
  });

  it("repeats a POST of credits only if it was not sent, not if it was throttled", () => {
    fc.assert(
      fc.property(failure, spent, random, (what, used, draw) => {
        if (decide("never", what, used, draw).act !== "stop") expect(what.kind).toBe("notSent");
      }),
    );
  });

  it("never repeats a request that was refused, or that would fail the same way again", () => {
    fc.assert(
      fc.property(policy, failure, spent, random, (how, what, used, draw) => {
        if (what.kind === "refused" || ("lasting" in what && what.lasting)) {
          expect(decide(how, what, used, draw).act).toBe("stop");
        }
      }),
    );
  });

  it.each<{ policy: Policy; failure: CallFailure }>([
    { policy: "always", failure: notSent },
    { policy: "always", failure: ambiguous },
    {
      policy: "always",
      failure: { kind: "unusable", phrase: "", status: 200, lasting: false },
    },
    { policy: "unsent", failure: notSent },
    { policy: "never", failure: notSent },
  ])(
    "under the policy $policy is to repeat after a failure of the kind $failure.kind",
    ({ policy, failure }) => {
      expect(decide(policy, failure, fresh, 0.5).act).toBe("repeat");
    },
  );

  it("pauses for as long as a 429 asks, up to 10 minutes for the whole call", () => {
    const throttled = (ms: number): CallFailure => ({ kind: "throttled", phrase: "", askedMs: ms });
    expect(decide("never", { kind: "throttled", phrase: "", askedMs: undefined }, fresh, 0)).toEqual({
      act: "stop",
    });
    expect(decide("unsent", throttled(600_000), fresh, 0)).toEqual({ act: "pause", forMs: 600_000 });
    const stop = { act: "stop", why: "asked to wait 601 s" };
    expect(decide("unsent", throttled(601_000), fresh, 0)).toEqual(stop);
    expect(decide("unsent", throttled(300_000), { ...fresh, pausedMs: 300_001 }, 0).act).toBe("stop");
  });

  it("says how long a 503 asked to wait if there is no time for that", () => {
    const busy: CallFailure = { ...ambiguous, status: 503, askedMs: 90_000 };
    expect(decide("always", busy, fresh, 0)).toEqual({ act: "stop", why: "asked to wait 90 s" });
    expect(decide("always", { ...busy, askedMs: 20_000 }, fresh, 0)).toEqual({
      act: "repeat",
      afterMs: 20_000,
    });
  });

  it("backs off exponentially with full jitter from 250 ms to 8 s", () => {
    const most = [1, 2, 3, 6, 7, 1000].map((failures) => backOffMs(failures, 1));
    expect(most).toEqual([250, 500, 1000, 8000, 8000, 8000]);
    expect(backOffMs(5, 0)).toBe(0);
  });

  it("pauses for up to 8 s, longer each time, after a 429 that asks for no wait", () => {
    expect([1, 2, 3].map((throttled) => pauseMs(undefined, throttled, 0))).toEqual([125, 250, 500]);
    fc.assert(
      fc.property(
        fc.constantFrom(undefined, 0),
        fc.integer({ min: 1, max: 500 }),
        random,
        (asked, n, draw) => {
          expect(pauseMs(asked, n, draw)).toBeGreaterThanOrEqual(125);
          expect(pauseMs(asked, n, draw)).toBeLessThanOrEqual(8_000);
        },
      ),
    );
  });
});
