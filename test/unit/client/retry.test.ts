import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Known, retryDecision, type Verdict, verdictAfter } from "../../../provider/client/retry";
import type { Method } from "../../../provider/client/wire";

/** What follows for a GET, a PATCH, a DELETE, a POST and a POST of credits: W(ait), A(gain), or -. */
function next(known: Partial<Known> & { readonly status?: number | undefined }): string {
  const { status } = known;
  const requests: readonly (readonly [Method, boolean])[] = [
    ["GET", false],
    ["PATCH", false],
    ["DELETE", false],
    ["POST", false],
    ["POST", true],
  ];
  return requests
    .map(([method, isOnce]) => {
      const verdict = status === undefined ? "ambiguous" : verdictAfter(method, status);
      const all = { verdict, status, asksToWait: false, wasBusy: false, ...known };
      return { wait: "W", again: "A", "give up": "-" }[retryDecision(method, isOnce, all).next];
    })
    .join("");
}

describe("what follows an attempt that failed", () => {
  it.each<[string, Partial<Known>, string]>([
    ["not sent", { verdict: "notSent" }, "AAAAA"],
    ["no answer", {}, "AAA--"],
    ["408", { status: 408 }, "AAA--"],
    ["499", { status: 499 }, "AAA--"],
    ["500", { status: 500 }, "AAA--"],
    ["503", { status: 503 }, "AAA--"],
    ["599", { status: 599 }, "AAA--"],
    ["500 that asks to wait", { status: 500, asksToWait: true }, "AAA--"],
    ["503 that asks to wait", { status: 503, asksToWait: true }, "WWW--"],
    ["429", { status: 429 }, "WWWW-"],
    ["429 that asks to wait", { status: 429, asksToWait: true }, "WWWW-"],
    ["403", { status: 403 }, "-----"],
    ["403 that asks to wait", { status: 403, asksToWait: true }, "WWWW-"],
    ["404 that asks to wait", { status: 404, asksToWait: true }, "-----"],
    ["409", { status: 409 }, "-----"],
    ["409 among other writes", { status: 409, wasBusy: true }, "-AA--"],
    ["400 among other writes", { status: 400, wasBusy: true }, "-----"],
    ["303", { status: 303 }, "-----"],
  ])("after: %s", (_after, known, expected) => {
    expect(next(known)).toBe(expected);
  });

  const methods = fc.constantFrom<Method>("GET", "PATCH", "DELETE", "POST");
  const facts = fc.record({
    status: fc.option(fc.integer({ min: 300, max: 599 }), { nil: undefined }),
    asksToWait: fc.boolean(),
    wasBusy: fc.boolean(),
  });
  const known = (method: Method, { status, ...rest }: Omit<Known, "verdict">): Known => {
    const verdict: Verdict = status === undefined ? "ambiguous" : verdictAfter(method, status);
    return { verdict, status, ...rest };
  };

  it("B3 credits are never granted again once a byte was sent, and no other POST if it may have been carried out", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const attempt = known("POST", given);
        expect(retryDecision("POST", true, attempt).next).toBe("give up");
        const { next } = retryDecision("POST", false, attempt);
        expect(attempt.verdict === "refused" || next === "give up").toBe(true);
      }),
    );
  });

  it("a request is never waited for, unless all others to the service wait too", () => {
    fc.assert(
      fc.property(methods, fc.boolean(), facts, (method, isOnce, given) => {
        const { next, isForAll } = retryDecision(method, isOnce, known(method, given));
        expect(isForAll || next !== "wait").toBe(true);
      }),
    );
  });
});
