import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { retryPauses, singleWrites, usualLimits } from "../../provider/client/send";
import * as api from "./api";
import {
  answer,
  callTo,
  errorOf,
  keyAnswer,
  keyPath,
  newBilling,
  newKey,
  quickPauses,
  wireServer,
} from "./calls";

/** A service that answers 429 a number of times, and then succeeds. */
const busyFor = (times: number, ...headers: string[]) =>
  wireServer(({ n }) =>
    n <= times ? answer(429, { message: "slow down" }, ...headers) : answer(200, keyAnswer),
  );

const runUntil = ({ signal }: AbortController) => ({ closed: signal, reasonAgainst: () => undefined });

test.each<[string, string | undefined, number]>([
  ["seconds", "retry-after: 7", 7_000],
  ["a date", `retry-after: ${new Date(Date.now() + 60_999).toUTCString()}`, 60_000],
  ["none", undefined, 188],
  ["zero", "retry-after: 0", 188],
])("a 429 (Retry-After: %s) pauses and repeats the call, even a POST", async (_name, header, ms) => {
  const server = await busyFor(1, ...(header === undefined ? [] : [header]));
  const { waits, pause } = quickPauses();
  const written = await api.createApiKey(callTo(server.url, { pause }), newKey);
  expect(written.record?.id).toBe("k");
  expect(server.requests).toHaveLength(2);
  expect(waits).toEqual([expect.closeTo(ms, -3.4)]);
});

/** A service that carries out one write at a time, and answers 409 to all others. */
async function oneAtATime() {
  let isBusy = false;
  const server = await wireServer((_request, socket) => {
    if (isBusy) return answer(409, { message: "another change is running" });
    isBusy = true;
    void pause(30).then(() => {
      isBusy = false;
      socket.write(answer(200, keyAnswer));
    });
    return undefined;
  });
  return { server, call: callTo(server.url) };
}
const times = <T>(count: number, run: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => run(n)));

test("R4 a service that refuses several writes at a time gets one at a time, each PATCH and DELETE again", async () => {
  const { server, call } = await oneAtATime();
  await Promise.all([
    times(2, (n) => api.editApiKey(call, keyPath, { name: `a${n}` })),
    times(2, (n) => api.deleteApiKey(call, { ...keyPath, keyId: `k${n}` })),
  ]);
  const sent = server.requests.length;
  expect(sent).toBeGreaterThan(4);
  await times(4, () => api.createApiKey(call, newKey));
  expect(server.requests).toHaveLength(sent + 4);
});

test("R4 a POST that was refused among other writes is alone when it is sent again, however many have succeeded", async () => {
  const { server, call } = await oneAtATime();
  const create = (n: number) => api.createApiKey(call, { ...newKey, name: `k${n}` });
  const first = await Promise.allSettled(Array.from({ length: 4 }, (_, n) => create(n)));
  const refused = first.flatMap(({ status }, n) => (status === "rejected" ? [n] : []));
  expect(refused.length).toBeGreaterThan(1);
  for (let n = 0; n < singleWrites; n += 1) await api.editApiKey(call, keyPath, { name: "a" });
  const sent = server.requests.length;
  await Promise.all(refused.map(create));
  expect(server.requests).toHaveLength(sent + refused.length);
});

/** The most writes that a service got at once. */
async function observed(answerTo: (n: number) => string) {
  const seen = { most: 0 };
  let open = 0;
  const server = await wireServer(({ n }, socket) => {
    open += 1;
    seen.most = Math.max(seen.most, open);
    void pause(30).then(() => {
      open -= 1;
      socket.write(answerTo(n));
    });
    return undefined;
  });
  const call = callTo(server.url);
  return { seen, call, create: (n: number) => api.createApiKey(call, { ...newKey, name: `k${n}` }) };
}

test("a single 409, such as that of a name that is taken, makes only the next few writes wait for each other", async () => {
  const { seen, create } = await observed((n) => (n === 2 ? answer(409) : answer(200, keyAnswer)));
  const outcomes = await Promise.allSettled([create(1), create(2)]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  seen.most = 0;
  await times(singleWrites - 1, create);
  expect(seen.most).toBe(1);
  await create(0);
  await times(4, create);
  expect(seen.most).toBeGreaterThan(1);
});

test("a 409 to a write that was alone makes no other wait", async () => {
  const { seen, create } = await observed((n) => (n === 1 ? answer(409) : answer(200, keyAnswer)));
  expect((await errorOf(create(1))).status).toBe(409);
  await times(4, create);
  expect(seen.most).toBeGreaterThan(1);
});

test("writes that wait for each other wait for the end of a pause, too", async () => {
  const times: number[] = [];
  const server = await wireServer(({ n }, socket) => {
    times.push(Date.now());
    if (n === 2) return answer(409);
    if (n === 4) return answer(429, "", "retry-after: 1");
    void pause(5).then(() => socket.write(answer(200, keyAnswer)));
    return undefined;
  });
  const call = callTo(server.url, { pause: async (ms) => void (await pause(ms)) });
  const edit = () => api.editApiKey(call, keyPath, { name: "a" });
  await Promise.all([edit(), edit()]);
  await Promise.all([edit(), edit(), api.createBilling(call, newBilling)]);
  expect(times).toHaveLength(7);
  expect((times[4] ?? 0) - (times[3] ?? 0)).toBeGreaterThan(900);
});

test("a PATCH that is answered with 409 is sent again only if another write was under way", async () => {
  const server = await wireServer(() => answer(409));
  const call = callTo(server.url);
  const edit = (name: string) => errorOf(api.editApiKey(call, keyPath, { name }));
  await edit("a");
  expect(server.requests).toHaveLength(1);
  await Promise.all([edit("b"), edit("c")]);
  expect(server.requests).toHaveLength(1 + 2 * 2);
});

test("a PATCH that is answered with 503 and then with 409 is sent a third time", async () => {
  const server = await wireServer(({ n }) => answer([503, 409][n - 1] ?? 200, keyAnswer));
  expect((await api.editApiKey(callTo(server.url), keyPath, { name: "a" })).record?.id).toBe("k");
});

test("a 429 does not count as an attempt", async () => {
  const server = await wireServer(({ n }) =>
    n <= 50 ? answer(429) : n <= 53 ? answer(500) : answer(200, keyAnswer),
  );
  await api.readApiKey(callTo(server.url), keyPath);
  expect(server.requests).toHaveLength(54);
});

test("a 429 counts as an attempt once the run has ended", async () => {
  const server = await wireServer(() => answer(429, { message: "slow down" }, "retry-after: 60"));
  const ending = new AbortController();
  const ofRun = () => ({ ...callTo(server.url), run: runUntil(ending) });
  const before = ofRun();
  ending.abort();
  for (const call of [before, ofRun()]) {
    const asked = server.requests.length;
    const { status, verdict } = await errorOf(api.deleteApiKey(call, keyPath));
    expect({ status, verdict, requests: server.requests.length - asked }).toEqual({
      status: 429,
      verdict: "refused",
      requests: usualLimits.maxAttempts,
    });
    expect((await errorOf(api.createBilling(call, newBilling))).verdict).toBe("refused");
    expect(server.requests.length - asked).toBe(usualLimits.maxAttempts + 1);
  }
});

test.each([429, 503])("a %i with Retry-After is not waited for once the run ends", async (status) => {
  const server = await wireServer(() => answer(status, { message: "later" }, "retry-after: 50"));
  for (const isEnded of [true, false]) {
    const ending = new AbortController();
    const call = { ...callTo(server.url, { pause: undefined }), run: runUntil(ending) };
    const before = server.requests.length;
    if (isEnded) ending.abort();
    const failed = errorOf(api.readApiKey(call, keyPath));
    if (!isEnded) await expect.poll(() => server.requests.length).toBe(before + 1);
    ending.abort();
    expect(await failed).toMatchObject({ status });
  }
});

test("a 429 that is waited for is named if the run ends before the request is sent again", async () => {
  const server = await wireServer(() => answer(429, "", "retry-after: 25"));
  const ending = new AbortController();
  const reasonAgainst = () => (ending.signal.aborted ? "the run was canceled" : undefined);
  const run = { closed: ending.signal, reasonAgainst };
  const failed = errorOf(api.createApiKey({ ...callTo(server.url, { pause: undefined }), run }, newKey));
  await expect.poll(() => server.requests.length).toBe(1);
  ending.abort();
  expect(await failed).toMatchObject({
    verdict: "refused",
    status: 429,
    message:
      "the service answered 429 and asked to wait 25 s; nothing more was sent, because the run was canceled",
  });
});

test("a 503 that asks to wait is waited for as a 429 is, but a POST may have been carried out", async () => {
  const server = await wireServer(({ method, n }) =>
    n <= 20 || method === "POST" ? answer(503, "", "retry-after: 2") : answer(200, keyAnswer),
  );
  const { waits, pause } = quickPauses();
  const call = callTo(server.url, { pause });
  await api.editApiKey(call, keyPath, { name: "a" });
  expect(server.requests).toHaveLength(21);
  for (const post of [api.createApiKey, api.createBilling])
    expect((await errorOf(post(call, newKey))).verdict).toBe("ambiguous");
  expect(server.requests).toHaveLength(23);
  expect(waits).toHaveLength(21);
  await api.readApiKey(call, keyPath);
  expect(waits).toHaveLength(22);
});

test("a call has as many attempts as the settings say, and so many requests run at once", async () => {
  let open = 0;
  let most = 0;
  const server = await wireServer((_request, socket) => {
    open += 1;
    most = Math.max(most, open);
    void pause(10).then(() => {
      open -= 1;
      socket.write(answer(500));
    });
    return undefined;
  });
  const { transport, credentials } = callTo(server.url);
  const call = { transport, credentials: { ...credentials, maxAttempts: 2, concurrency: 3 } };
  await times(9, () => errorOf(api.readApiKey(call, keyPath)));
  expect([server.requests.length, most]).toEqual([18, 3]);
});

test("a wait of more than two seconds is told once for all calls that wait, and named by a call that the run ends", async () => {
  const server = await wireServer(({ n }) => (n === 1 ? answer(429, "busy", "retry-after: 50") : undefined));
  const ending = new AbortController();
  const lines: string[] = [];
  const run = {
    closed: ending.signal,
    reasonAgainst: () => (ending.signal.aborted ? "it is late" : undefined),
    onWait: (line: string) => void lines.push(line),
  };
  const call = { ...callTo(server.url, { pause: undefined }), run };
  const first = errorOf(api.deleteApiKey(call, keyPath));
  await expect.poll(() => lines).toHaveLength(1);
  const second = errorOf(api.deleteApiKey(call, keyPath));
  ending.abort();
  expect((await first).message).toBe(
    'the service answered 429 "busy" and asked to wait 50 s; nothing more was sent, because it is late',
  );
  expect((await second).message).toBe("nothing more was sent, because it is late");
  expect(server.requests).toHaveLength(1);
  expect(lines).toEqual([
    'DELETE /api/v1/workspace/ws_main/api-key/k waits 50 s: the service answered 429 "busy" and asked to wait 50 s',
  ]);
});

test("a 429 is not repeated if the run allows no further request", async () => {
  const server = await busyFor(1);
  const run = {
    closed: new AbortController().signal,
    reasonAgainst: (method: string) =>
      method === "POST" && server.requests.length > 0 ? "it is late" : undefined,
  };
  const call = { ...callTo(server.url), run };
  const error = await errorOf(api.createApiKey(call, newKey));
  expect(error).toMatchObject({
    verdict: "refused",
    status: 429,
    message: 'the service answered 429 "slow down"; nothing more was sent, because it is late',
  });
  expect(server.requests).toHaveLength(1);
  expect((await api.readApiKey(call, keyPath)).id).toBe("k");
});

test("a 429 fails a call whose pauses have taken too long", async () => {
  const server = await wireServer(() => answer(429, { message: "slow down" }, "retry-after: 60"));
  const { waits, pause } = quickPauses();
  const error = await errorOf(api.createApiKey(callTo(server.url, { pause }), newKey));
  expect([error.verdict, error.status]).toEqual(["refused", 429]);
  expect(error.message).toBe('the service answered 429 "slow down" and asked to wait 60 s');
  expect(waits.length * 60_000).toBe(retryPauses.allMs);
});

test("a 403 with Retry-After counts as a 429, but not for credits", async () => {
  const server = await wireServer(({ n }) =>
    n === 1 ? answer(403, "", "retry-after: 7") : answer(200, keyAnswer),
  );
  const { waits, pause } = quickPauses();
  await api.createApiKey(callTo(server.url, { pause }), newKey);
  expect(waits).toEqual([expect.closeTo(7_000, -2)]);
  const refusing = await wireServer(() => answer(403, "", "retry-after: 7"));
  await errorOf(api.createBilling(callTo(refusing.url, { pause }), newBilling));
  expect(refusing.requests).toHaveLength(1);
});

test("a 429 with a Retry-After of an hour fails at once, and keeps other calls from being sent", async () => {
  const server = await busyFor(1, "retry-after: 3600");
  const call = callTo(server.url);
  expect(await errorOf(api.createApiKey(call, newKey))).toMatchObject({
    verdict: "refused",
    status: 429,
    message: 'the service answered 429 "slow down" and asked to wait 3600 s',
  });
  const error = await errorOf(api.readApiKey(call, keyPath));
  expect([error.verdict, error.message]).toEqual(["notSent", "the service asked to wait another 3600 s"]);
  expect(server.requests).toHaveLength(1);
});

test("a 429 to a grant of credits is never repeated, but pauses the next calls", async () => {
  const server = await wireServer(({ n }) =>
    n === 1 ? answer(429, "", "retry-after: 5") : answer(200, keyAnswer),
  );
  const { waits, pause } = quickPauses();
  const call = callTo(server.url, { pause });
  const error = await errorOf(api.createBilling(call, newBilling));
  expect([error.verdict, error.status]).toEqual(["refused", 429]);
  expect(error.message).toBe("the service answered 429 and asked to wait 5 s");
  await api.readApiKey(call, keyPath);
  expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(waits).toEqual([expect.closeTo(5_000, -2)]);
});

test("a 429 pauses other calls to the same origin, but not to another one", async () => {
  const busy = await busyFor(1, "retry-after: 30");
  const free = await wireServer(() => answer(200, keyAnswer));
  const held: (() => void)[] = [];
  const pause = () => new Promise<void>((resolve) => held.push(resolve));
  const call = callTo(busy.url, { pause });
  const other: api.Call = { ...call, credentials: { ...call.credentials, baseUrl: free.url } };
  const throttled = api.readApiKey(call, keyPath);
  await expect.poll(() => held.length).toBe(1);
  const waiting = api.readApiKey(call, keyPath);
  await api.readApiKey(other, keyPath);
  expect([busy.requests.length, held.length]).toEqual([1, 2]);
  for (const resume of held) resume();
  await Promise.all([throttled, waiting]);
  expect(busy.requests).toHaveLength(3);
});

test("at most a fixed number of requests run at once", async () => {
  const waiting: (() => void)[] = [];
  const server = await wireServer((_request, socket) => {
    waiting.push(() => socket.write(answer(200, keyAnswer)));
    return undefined;
  });
  const call = callTo(server.url);
  const reads = Array.from({ length: 80 }, () => api.readApiKey(call, keyPath));
  const { concurrency } = usualLimits;
  for (const count of [concurrency, concurrency, 80 - 2 * concurrency]) {
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThanOrEqual(count), 10_000);
    // One more would come now.
    await pause(50);
    expect(waiting).toHaveLength(count);
    for (const write of waiting.splice(0)) write();
  }
  await Promise.all(reads);
});
