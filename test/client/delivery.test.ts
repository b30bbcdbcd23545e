import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as api from "./api";
import { callTo, errorOf, keyAnswer, keyPath, newBilling, newKey, quickPauses, wireServer } from "./calls";
import { answer } from "./wireServer";

const scopeBody = { name: "Docs", representation: "docs", description: "" };
const migrated = { ...newKey, key: "sk_existing_value", metadata: {} };
const posts: [string, (call: api.Call) => Promise<unknown>][] = [
  ["create", (call) => api.createApiKey(call, newKey)],
  ["migrate", (call) => api.migrateApiKey(call, migrated)],
  ["scope", (call) => api.createScope(call, keyPath, scopeBody)],
  ["billing", (call) => api.createBilling(call, newBilling)],
];
const repeatable: [string, (call: api.Call) => Promise<unknown>][] = [
  ["GET", (call) => api.readApiKey(call, keyPath)],
  ["PATCH", (call) => api.editApiKey(call, keyPath, { name: "a" })],
  ["DELETE", (call) => api.deleteApiKey(call, keyPath)],
];
const statuses = [408, 500, 502, 503, 504];

/** An address on 127.0.0.1 that refuses connections. */
async function refusing(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

it("a call whose attempts have taken a minute begins no further one", async () => {
  let now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const server = await wireServer(() => {
    now += 40_000;
    return answer(503);
  });
  await errorOf(api.readApiKey(callTo(server.url), keyPath));
  expect(server.requests).toHaveLength(2);
});

describe("a POST", () => {
  const broken: [string, Parameters<typeof wireServer>[0], string][] = [
    [
      "the connection closes without an answer",
      (_request, socket) => void socket.end(),
      "the connection was closed before the service answered",
    ],
    [
      "the connection is reset without an answer",
      (_request, socket) => void socket.resetAndDestroy(),
      "the connection was reset before the service answered",
    ],
    ["the answer is not HTTP", () => "hello\r\n\r\n", "the connection failed before the service answered"],
  ];
  it.each(posts.flatMap(([name, run]) => broken.map((how) => [name, ...how, run] as const)))(
    "(%s) is sent once if %s",
    async (_name, _how, respond, message, run) => {
      const server = await wireServer(respond);
      expect(await errorOf(run(callTo(server.url)))).toMatchObject({
        verdict: "ambiguous",
        status: undefined,
        message,
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each(posts)(
    "(%s) is tried 4 times if no connection can be opened, and fails as notSent",
    async (_name, run) => {
      const lines: string[] = [];
      const call = callTo(await refusing(), { log: (line) => lines.push(line) });
      const error = await errorOf(run(call));
      expect([error.verdict, error.status]).toEqual(["notSent", undefined]);
      expect(error.message).toBe("the connection was refused");
      expect(lines).toHaveLength(4);
    },
  );

  it.each(posts)(
    "(%s) is sent at most once on a connection that the service is closing",
    async (_name, run) => {
      // The close reaches the client while it writes, or just before. The request may be lost, but never sent twice.
      const server = await wireServer(({ method }, socket) => {
        if (method === "POST") return void socket.destroy();
        socket.write(answer(200, { workspaces: [] }), () => socket.destroy());
        return undefined;
      });
      const call = callTo(server.url);
      for (let n = 0; n < 10; n += 1) {
        await api.listWorkspaces(call);
        await errorOf(run(call));
      }
      expect(server.posts()).toHaveLength(10);
    },
  );
});

describe("a GET, PATCH or DELETE", () => {
  it.each(repeatable.flatMap(([name, run]) => statuses.map((status) => [name, status, run] as const)))(
    "(%s) is repeated if the service answers %i",
    async (_name, status, run) => {
      const server = await wireServer(({ n }) => (n < 3 ? answer(status) : answer(200, keyAnswer)));
      await run(callTo(server.url));
      expect(server.requests).toHaveLength(3);
    },
  );

  it.each(repeatable)(
    "(%s) is repeated if the connection breaks, with at most 4 attempts",
    async (_name, run) => {
      const server = await wireServer(
        ({ n }, socket) => void (n % 2 ? socket.resetAndDestroy() : socket.end()),
      );
      const error = await errorOf(run(callTo(server.url)));
      expect([error.verdict, error.status]).toEqual(["ambiguous", undefined]);
      expect(server.requests).toHaveLength(4);
      const [first, ...others] = server.requests.map(({ path, method, body }) => ({ path, method, body }));
      for (const other of others) expect(other).toEqual(first);
    },
  );

  it.each(repeatable)("(%s) is not repeated if the service refuses it", async (_name, run) => {
    const server = await wireServer(() => answer(404, { message: "no such key" }));
    const error = await errorOf(run(callTo(server.url)));
    expect([error.verdict, error.status]).toEqual(["refused", 404]);
    expect(server.requests).toHaveLength(1);
  });

  it("waits between attempts for random times that grow", async () => {
    const server = await wireServer(() => answer(500));
    const { waits, pause } = quickPauses();
    for (const random of [0, 1]) {
      vi.spyOn(Math, "random").mockReturnValue(random);
      await errorOf(api.readApiKey(callTo(server.url, { pause }), keyPath));
    }
    vi.restoreAllMocks();
    expect(waits).toEqual([125, 250, 500, 250, 500, 1_000]);
  });

  it("waits as long as a 503 asks, and fails at once if that is too long", async () => {
    const busy = await wireServer(({ n }) =>
      n === 1 ? answer(503, "", "retry-after: 20") : answer(200, keyAnswer),
    );
    const { waits, pause } = quickPauses();
    await api.readApiKey(callTo(busy.url, { pause }), keyPath);
    expect(waits).toEqual([20_000]);

    const closed = await wireServer(() => answer(503, "", "retry-after: 3600"));
    const error = await errorOf(api.readApiKey(callTo(closed.url), keyPath));
    expect(error.message).toBe("the service answered 503 and asked to wait 3600 s");
    expect(closed.requests).toHaveLength(1);
  });
});

describe("the verdict on a write", () => {
  it.each<[string, readonly number[]]>([
    ["ambiguous", [408, 499, 500, 501, 502, 503, 504, 507, 520, 599]],
    ["refused", [300, 301, 307, 308, 400, 401, 403, 404, 405, 410, 413, 422, 451]],
  ])("is %s after each of %j, and a POST is sent once", async (verdict, statuses) => {
    for (const status of statuses) {
      const server = await wireServer(() => answer(status, { message: "oops" }));
      for (const [, run] of posts) {
        const message = `the service answered ${status} "oops"`;
        expect(await errorOf(run(callTo(server.url)))).toMatchObject({ verdict, status, message });
      }
      expect(server.requests).toHaveLength(posts.length);
    }
  });

  it.each([
    [409, "a proxy may have repeated the POST", ["ambiguous", "refused", "refused", "refused"]],
    [302, "many services redirect after a successful POST", ["ambiguous", "refused", "refused", "refused"]],
    [303, "it points to a result", ["ambiguous", "ambiguous", "ambiguous", "refused"]],
  ])("depends on the method after a %i, because %s", async (status, _why, expected) => {
    const server = await wireServer(() => answer(status));
    const call = callTo(server.url);
    const verdicts = [];
    for (const run of [
      () => api.createApiKey(call, newKey),
      () => api.editApiKey(call, keyPath, {}),
      () => api.deleteApiKey(call, keyPath),
      () => api.readApiKey(call, keyPath),
    ])
      verdicts.push((await errorOf(run())).verdict);
    expect(verdicts).toEqual(expected);
  });
});

describe("a write whose first attempt may have been applied", () => {
  it("stays ambiguous if a later attempt is not sent", async () => {
    const server = await wireServer(({ n }, socket) => {
      if (n === 1) void server.close();
      socket.destroy();
      return undefined;
    });
    const error = await errorOf(
      api.editApiKey(callTo(server.url, { pause: undefined }), keyPath, { name: "a" }),
    );
    expect(error.verdict).toBe("ambiguous");
    expect(error.message).toBe("the connection was refused; an earlier attempt may have succeeded");
  });

  it.each([403, 404, 410])("stays ambiguous if a later attempt is answered with %i", async (status) => {
    const server = await wireServer(({ n }) => (n === 1 ? answer(500) : answer(status)));
    const error = await errorOf(api.editApiKey(callTo(server.url), keyPath, { name: "a" }));
    expect([error.verdict, error.status]).toEqual(["ambiguous", status]);
  });

  it("stays ambiguous if it may not be sent again", async () => {
    const server = await wireServer(() => answer(500));
    const run = {
      closed: new AbortController().signal,
      reasonAgainst: () => (server.requests.length > 0 ? "the test ended the run" : undefined),
    };
    const error = await errorOf(api.editApiKey({ ...callTo(server.url), run }, keyPath, { name: "a" }));
    expect([error.verdict, error.message]).toEqual([
      "ambiguous",
      "the request was not sent again, because the test ended the run; an earlier attempt may have succeeded",
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it("stays ambiguous if the service asks another call to wait for too long", async () => {
    const server = await wireServer(({ method }) =>
      method === "PATCH" ? answer(500) : answer(429, "", "retry-after: 3600"),
    );
    let resume = () => {};
    const pause = () => new Promise<void>((resolve) => (resume = resolve));
    const call = callTo(server.url, { pause });
    const failed = errorOf(api.editApiKey(call, keyPath, { name: "a" }));
    await expect.poll(() => server.requests.length).toBe(1);
    await errorOf(api.createApiKey(call, newKey));
    resume();
    expect(await failed).toMatchObject({
      verdict: "ambiguous",
      message: expect.stringMatching(/^the service asked to wait another 3600 s; an earlier attempt may/),
    });
    expect(server.requests.map(({ method }) => method)).toEqual(["PATCH", "POST"]);
  });

  it("is ambiguous, but a failed GET is not", async () => {
    const server = await wireServer(({ n }) => (n === 1 ? answer(500) : answer(403)));
    const error = await errorOf(api.readApiKey(callTo(server.url), keyPath));
    expect([error.verdict, error.message]).toEqual(["refused", "the service answered 403"]);
  });
});
