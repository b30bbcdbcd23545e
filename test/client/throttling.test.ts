import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startStandIn } from "../../standin";
import * as api from "./api";
import { callTo, errorOf, keyAnswer, keyPath, newBilling, newKey, wireServer } from "./calls";
import { handClock } from "./handClock";
import { quickClock } from "./quickClock";
import { answer } from "./wireServer";

/** A service that answers 429 so many times, and then succeeds. */
const busyFor = (times: number, ...headers: string[]) =>
  wireServer(({ n }) =>
    n <= times ? answer(429, { message: "slow down" }, ...headers) : answer(200, keyAnswer),
  );

describe("a 429", () => {
  it.each<[string, string | undefined, number]>([
    ["seconds", "retry-after: 7", 7_000],
    ["a date by this clock", "retry-after: Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
    ["none", undefined, 125],
    ["zero", "retry-after: 0", 125],
  ])("(Retry-After: %s) pauses and repeats the call, even a POST", async (_name, header, ms) => {
    const server = await busyFor(1, ...(header === undefined ? [] : [header]));
    const clock = quickClock();
    const written = await api.createApiKey(callTo(server.url, { clock }), newKey);
    expect(written.record?.id).toBe("k");
    expect(server.requests).toHaveLength(2);
    expect(clock.waits).toEqual([ms]);
  });

  it("with a date in Retry-After counts from the answer's own Date", async () => {
    const dates = ["date: Fri, 01 Jan 2016 00:00:00 GMT", "retry-after: Fri, 01 Jan 2016 00:00:30 GMT"];
    const server = await busyFor(1, ...dates);
    const clock = quickClock();
    await api.readApiKey(callTo(server.url, { clock }), keyPath);
    expect(clock.waits).toEqual([30_000]);
  });

  it("counts neither as an attempt nor against the shared retries", async () => {
    const server = await wireServer(({ n }) =>
      n <= 150 ? answer(429) : n <= 153 ? answer(500) : answer(200, keyAnswer),
    );
    await api.readApiKey(callTo(server.url, { clock: quickClock() }), keyPath);
    expect(server.requests).toHaveLength(154);
  });

  it("counts as an attempt once the run has ended", async () => {
    const server = await wireServer(() => answer(429, { message: "slow down" }, "retry-after: 60"));
    const ending = new AbortController();
    const before = callTo(server.url, { clock: quickClock(), signal: ending.signal });
    ending.abort();
    for (const call of [before, callTo(server.url, { clock: quickClock(), signal: ending.signal })]) {
      const asked = server.requests.length;
      const { status, verdict } = await errorOf(api.deleteApiKey(call, keyPath));
      expect({ status, verdict, requests: server.requests.length - asked }).toEqual({
        status: 429,
        verdict: "ambiguous",
        requests: 4,
      });
      const { verdict: refused } = await errorOf(api.createApiKey(call, newKey));
      expect([refused, server.requests.length - asked]).toEqual(["refused", 5]);
    }
  });

  it.each([
    ["during the wait", 1],
    ["before the call", 0],
  ])("or a 503 with Retry-After does not wait if the run ends %s", async (_name, waiting) => {
    const server = await wireServer(() => answer(503, { message: "later" }, "retry-after: 50"));
    const clock = handClock();
    const ending = new AbortController();
    const call = callTo(server.url, { clock, signal: ending.signal });
    if (waiting === 0) ending.abort();
    const failed = errorOf(api.readApiKey(call, keyPath));
    if (waiting > 0) await expect.poll(() => clock.waiting()).toBe(waiting);
    ending.abort();
    expect(await failed).toMatchObject({ status: 503 });
    expect([server.requests.length > 1, clock.now(), clock.waiting()]).toEqual([true, 0, 0]);
  });

  it("is not repeated if the run allows no further request", async () => {
    const server = await busyFor(1);
    let sent = 0;
    const gate = async (method: string) => (method === "POST" && sent > 0 ? "it is late" : undefined);
    const call = { ...callTo(server.url, { clock: quickClock(), gate }), sending: () => (sent += 1) };
    const error = await errorOf(api.createApiKey(call, newKey));
    expect(error).toMatchObject({
      verdict: "notSent",
      message: "the request was not sent again, because it is late",
    });
    expect([sent, server.requests.length]).toEqual([1, 1]);
    expect((await api.readApiKey(call, keyPath)).id).toBe("k");
  });

  it("fails a call after 10 minutes of pauses", async () => {
    const server = await wireServer(() => answer(429, { message: "slow down" }, "retry-after: 60"));
    const clock = quickClock();
    const error = await errorOf(api.createApiKey(callTo(server.url, { clock }), newKey));
    expect([error.verdict, error.status]).toEqual(["refused", 429]);
    expect(error.message).toBe('the service answered 429 "slow down" and asked to wait 60 s');
    expect(server.requests).toHaveLength(11);
    expect(clock.now()).toBe(600_000);
  });

  it.each(["3600", "31536000", "Thu, 01 Jan 2026 01:00:00 GMT"])(
    "with a Retry-After of %s fails at once, and the error has the requested time",
    async (header) => {
      const server = await busyFor(1, `retry-after: ${header}`);
      const error = await errorOf(api.createApiKey(callTo(server.url, { clock: quickClock() }), newKey));
      expect([error.verdict, error.status]).toEqual(["refused", 429]);
      expect(error.message).toMatch(
        /^the service answered 429 "slow down" and asked to wait (3600|31536000) s$/,
      );
      expect(server.requests).toHaveLength(1);
    },
  );

  it("with a Retry-After of more than a year, such as the time in seconds, is repeated as without it", async () => {
    const server = await busyFor(1, "retry-after: 1767225600");
    const clock = quickClock();
    const call = callTo(server.url, { clock });
    await Promise.all([api.createApiKey(call, newKey), api.readApiKey(call, keyPath)]);
    expect(server.requests).toHaveLength(3);
    expect(clock.now()).toBeLessThan(60_000);
  });

  it("with a Retry-After of an hour keeps other calls from being sent", async () => {
    const server = await busyFor(1, "retry-after: 3600");
    const call = callTo(server.url, { clock: quickClock() });
    await errorOf(api.createApiKey(call, newKey));
    const error = await errorOf(api.readApiKey(call, keyPath));
    expect([error.verdict, error.message]).toEqual(["notSent", "the service asked to wait another 3600 s"]);
    expect(server.requests).toHaveLength(1);
  });

  it("to a grant of credits is never repeated, but pauses the next calls", async () => {
    const server = await wireServer(({ n }) =>
      n === 1 ? answer(429, "", "retry-after: 5") : answer(200, keyAnswer),
    );
    const clock = quickClock();
    const call = callTo(server.url, { clock });
    const error = await errorOf(api.createBilling(call, newBilling));
    expect([error.verdict, error.status]).toEqual(["refused", 429]);
    expect(error.message).toBe("the service answered 429 and asked to wait 5 s");
    await api.readApiKey(call, keyPath);
    expect(server.posts()).toHaveLength(1);
    expect(clock.waits).toEqual([5_000]);
  });

  it("pauses other calls to the same origin, but not to another one", async () => {
    const busy = await busyFor(1, "retry-after: 30");
    const free = await wireServer(() => answer(200, keyAnswer));
    const clock = handClock();
    const call = callTo(busy.url, { clock });
    const other: api.Call = { ...call, credentials: { ...call.credentials, baseUrl: free.url } };
    const throttled = api.readApiKey(call, keyPath);
    await expect.poll(() => clock.waiting()).toBe(1);
    const held = api.readApiKey(call, keyPath);
    await api.readApiKey(other, keyPath);
    expect(busy.requests).toHaveLength(1);
    clock.advance(30_000);
    await Promise.all([throttled, held]);
    expect(busy.requests).toHaveLength(3);
  });
});

describe("the pace of requests", () => {
  it("allows 32 requests at once", async () => {
    const waiting: (() => void)[] = [];
    const server = await wireServer((_request, socket) => {
      waiting.push(() => socket.write(answer(200, keyAnswer)));
      return undefined;
    });
    const call = callTo(server.url);
    const reads = Array.from({ length: 80 }, () => api.readApiKey(call, keyPath));
    for (const count of [32, 32, 16]) {
      await vi.waitFor(() => expect(waiting.length).toBeGreaterThanOrEqual(count), 10_000);
      // One more would come now.
      await pause(50);
      expect(waiting).toHaveLength(count);
      for (const write of waiting.splice(0)) write();
    }
    await Promise.all(reads);
  });

  it("recovers after a 429 with each success", async () => {
    let underWay = 0;
    const seen: number[] = [];
    const server = await wireServer(({ n }, socket) => {
      if (n === 1) return answer(429);
      underWay += 1;
      seen.push(underWay);
      setTimeout(() => {
        underWay -= 1;
        socket.write(answer(200, keyAnswer));
      }, 20);
      return undefined;
    });
    const call = callTo(server.url, { concurrency: 2 });
    await api.readApiKey(call, keyPath);
    expect(server.requests).toHaveLength(2);
    await Promise.all(Array.from({ length: 12 }, () => api.readApiKey(call, keyPath)));
    expect(Math.max(...seen)).toBe(2);
  });

  it("creates 30 keys on a service that allows 10 requests per second, without failures or duplicates", async () => {
    const service = await startStandIn({ variant: { rateLimitPerSecond: 10, retryAfter: "none" } });
    onTestFinished(() => service.close());
    const call = callTo(service.url, { random: Math.random }, service.accessToken);
    const names = Array.from({ length: 30 }, (_, n) => `key ${n}`);
    const made = await Promise.all(names.map((name) => api.createApiKey(call, { ...newKey, name })));
    expect(made.map(({ record }) => record?.name)).toEqual(names);
    expect(service.keys()).toHaveLength(30);
  });
});
