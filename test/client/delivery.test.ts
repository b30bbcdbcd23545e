import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { usualLimits } from "../../provider/client/send";
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
  type Respond,
  wireServer,
} from "./calls";

afterEach(() => void vi.restoreAllMocks());

const { maxAttempts: attempts } = usualLimits;
const scopeBody = { name: "Docs", representation: "docs", description: "" };
const migrated = { ...newKey, key: "sk_existing_value", metadata: {} };
const posts: readonly (readonly [string, (call: api.Call) => Promise<unknown>])[] = [
  ["create", (call) => api.createApiKey(call, newKey)],
  ["migrate", (call) => api.migrateApiKey(call, migrated)],
  ["scope", (call) => api.createScope(call, keyPath, scopeBody)],
  ["billing", (call) => api.createBilling(call, newBilling)],
];
const edit = (call: api.Call) => api.editApiKey(call, keyPath, { name: "a" });
const repeatable: readonly (readonly [string, (call: api.Call) => Promise<unknown>])[] = [
  ["GET", (call) => api.readApiKey(call, keyPath)],
  ["PATCH", edit],
  ["DELETE", (call) => api.deleteApiKey(call, keyPath)],
];

/** An address on 127.0.0.1 that refuses connections. */
async function refusing(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const broken: readonly (readonly [string, Respond, string])[] = [
  ["the connection closes without an answer", (_, socket) => void socket.end(), "closed"],
  ["the connection is reset without an answer", (_, socket) => void socket.resetAndDestroy(), "reset"],
];
test.each(posts.flatMap(([name, run]) => broken.map((how) => [name, ...how, run] as const)))(
  "a POST (%s) is sent once if %s",
  async (_name, _how, respond, word, run) => {
    const server = await wireServer(respond);
    const error = await errorOf(run(callTo(server.url)));
    expect([error.verdict, error.status]).toEqual(["ambiguous", undefined]);
    expect(error.message).toBe(`the connection was ${word}`);
    expect(server.requests).toHaveLength(1);
  },
);

test.each(posts)(
  "a POST (%s) is tried again if no connection can be opened, and fails as notSent",
  async (_name, run) => {
    const lines: string[] = [];
    const error = await errorOf(run(callTo(await refusing(), { log: (line) => lines.push(line) })));
    expect([error.verdict, error.message]).toEqual(["notSent", "the connection was refused"]);
    expect(lines).toHaveLength(attempts);
  },
);

test.each(posts)(
  "a POST (%s) is sent at most once on a connection that the service is closing",
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
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(10);
  },
);

test.each(repeatable)("a %s is repeated after a failure of the service", async (_name, run) => {
  for (const status of [408, 500, 502, 503, 504]) {
    const server = await wireServer(({ n }) => (n < 3 ? answer(status) : answer(200, keyAnswer)));
    await run(callTo(server.url));
    expect(server.requests).toHaveLength(3);
  }
});

test.each(repeatable)(
  "a %s is repeated unchanged if the connection breaks, up to a limit",
  async (_, run) => {
    const server = await wireServer(
      ({ n }, socket) => void (n % 2 ? socket.resetAndDestroy() : socket.end()),
    );
    const error = await errorOf(run(callTo(server.url)));
    expect([error.verdict, error.status]).toEqual(["ambiguous", undefined]);
    const [first, ...others] = server.requests.map(({ path, method, body }) => ({ path, method, body }));
    expect(others).toEqual(Array.from({ length: attempts - 1 }, () => first));
  },
);

test("attempts of a call are random and growing times apart", async () => {
  const server = await wireServer(() => answer(500));
  const { waits, pause } = quickPauses();
  for (const random of [0, 1]) {
    vi.spyOn(Math, "random").mockReturnValue(random);
    await errorOf(api.readApiKey(callTo(server.url, { pause }), keyPath));
  }
  expect(waits).toEqual([125, 250, 500, 250, 500, 1_000]);
});

test("a GET waits as long as a 503 asks, and fails at once if that is too long", async () => {
  const busy = await wireServer(({ n }) =>
    n === 1 ? answer(503, "", "retry-after: 20") : answer(200, keyAnswer),
  );
  const { waits, pause } = quickPauses();
  await api.readApiKey(callTo(busy.url, { pause }), keyPath);
  expect(waits).toEqual([expect.closeTo(20_000, -2)]);

  const closed = await wireServer(() => answer(503, "", "retry-after: 3600"));
  const error = await errorOf(api.readApiKey(callTo(closed.url), keyPath));
  expect(error.message).toBe("the service answered 503 and asked to wait 3600 s");
  expect(closed.requests).toHaveLength(1);
});

test.each<[string, readonly number[], typeof posts]>([
  ["ambiguous", [408, 499, 500, 501, 502, 503, 504, 507, 520, 599], posts],
  ["refused", [300, 301, 307, 308, 400, 401, 403, 404, 405, 410, 413, 422, 451], [...posts, ...repeatable]],
])("a call is sent once, and %s, after each of %j", async (verdict, statuses, calls) => {
  for (const status of statuses) {
    const server = await wireServer(() => answer(status, { message: "oops" }));
    for (const [, run] of calls) {
      const message = `the service answered ${status} "oops"`;
      expect(await errorOf(run(callTo(server.url)))).toMatchObject({ verdict, status, message });
    }
    expect(server.requests).toHaveLength(calls.length);
  }
});

test.each([
  [409, "a proxy may have repeated the POST", ["ambiguous", "refused", "refused", "refused"], [1, 1, 1, 1]],
  [302, "many services redirect after a POST", ["ambiguous", "refused", "refused", "refused"], [1, 1, 1, 1]],
  [303, "it points to a result", ["ambiguous", "refused", "refused", "refused"], [1, 1, 1, 1]],
])("the verdict after a %i depends on the method, because %s", async (status, _why, expected, times) => {
  const server = await wireServer(() => answer(status));
  const verdicts: string[] = [];
  const sent: number[] = [];
  for (const [, run] of [...posts.slice(0, 1), ...repeatable]) {
    const before = server.requests.length;
    verdicts.push((await errorOf(run(callTo(server.url)))).verdict);
    sent.push(server.requests.length - before);
  }
  expect([verdicts, sent]).toEqual([expected, times]);
});

test("a write that may have been applied stays ambiguous if a later attempt is not sent", async () => {
  const server = await wireServer(({ n }, socket) => {
    if (n === 1) void server.close();
    socket.destroy();
    return undefined;
  });
  const error = await errorOf(edit(callTo(server.url, { pause: undefined })));
  expect(error.verdict).toBe("ambiguous");
  expect(error.message).toBe("the connection was refused; an earlier attempt may have succeeded");
});

test("a write that may have been applied stays ambiguous if a later attempt is refused, but a GET doesn't", async () => {
  const server = await wireServer(({ n }) => (n % 2 === 1 ? answer(500) : answer(404)));
  const call = callTo(server.url);
  expect(await errorOf(edit(call))).toMatchObject({ verdict: "ambiguous", status: 404 });
  expect(await errorOf(api.readApiKey(call, keyPath))).toMatchObject({ verdict: "refused", status: 404 });
});

test("a write that may have been applied stays ambiguous if the run ends before its next attempt", async () => {
  const server = await wireServer(() => answer(500));
  const run = {
    closed: new AbortController().signal,
    reasonAgainst: () => (server.requests.length > 0 ? "the test ended the run" : undefined),
  };
  const error = await errorOf(edit({ ...callTo(server.url), run }));
  expect(error.verdict).toBe("ambiguous");
  expect(error.message).toBe(
    "the service answered 500; nothing more was sent, because the test ended the run",
  );
  expect(server.requests).toHaveLength(1);
});
