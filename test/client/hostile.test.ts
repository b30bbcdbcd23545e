import { expect, onTestFinished, test } from "vitest";
import { CallError } from "../../provider/client/send";
import { type Fault, startStandIn } from "../../standin";
import * as api from "./api";
import { answer, callTo, newBilling, newKey, token, wireServer } from "./calls";

const existing = "sk_existing_0123456789";
const ws = { workspaceId: "ws_main" };

interface Asking {
  readonly shape: "one" | "new" | "list";
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly run: (call: api.Call, keyId: string) => Promise<unknown>;
}

/** A call of each method, shape of answer and way to send it. Every call reads its answer alike (unit/client/answers). */
const endpoints: Readonly<Record<string, Asking>> = {
  editApiKey: {
    shape: "one",
    method: "PATCH",
    run: (call, keyId) => api.editApiKey(call, { ...ws, keyId }, { name: "b" }),
  },
  readApiKey: { shape: "one", method: "GET", run: (call, keyId) => api.readApiKey(call, { ...ws, keyId }) },
  listApiKeys: { shape: "list", method: "GET", run: (call) => api.listApiKeys(call, ws) },
  migrateApiKey: {
    shape: "new",
    method: "POST",
    run: (call) => api.migrateApiKey(call, { ...newKey, key: existing, metadata: {} }),
  },
  deleteApiKey: {
    shape: "one",
    method: "DELETE",
    run: (call, keyId) => api.deleteApiKey(call, { ...ws, keyId }),
  },
  createBilling: { shape: "new", method: "POST", run: (call) => api.createBilling(call, newBilling) },
};

/**
 * What an answer means to the client:
 * - `usable`: the record can be used;
 * - `lost`: a 2xx that can't be used: `ambiguous` for a GET, no record for a write;
 * - `ambiguous`, `refused`: the verdict, whatever the method;
 * - `foreign`: another record: `lost` if the request has an id, otherwise `usable`.
 */
type Meaning = "usable" | "lost" | "ambiguous" | "refused" | "foreign";

/** How the call must end: "record", "lost" (a write without a usable record), or the verdict of its CallError. */
function expected(meaning: Meaning, { shape, method }: Asking): string {
  const lost = method === "GET" ? "ambiguous" : "lost";
  if (meaning === "lost" || (meaning === "foreign" && shape === "one")) return lost;
  return meaning === "usable" || meaning === "foreign" ? "record" : meaning;
}

const echo = `${token}-${existing}`;
const deep = (open: string, value: string, close: string) =>
  open.repeat(100_000) + value + close.repeat(100_000);
const more = (json: string): Fault => ({ kind: "moreFields", json });
const raw = (bytes: string): Fault => ({ kind: "raw", bytes });
const withStatus = (status: string) => raw(`HTTP/1.1 ${status} X\r\ncontent-length: 2\r\n\r\n{}`);
const answering = (status: number, body: string, headers = {}): Fault => ({
  ...{ kind: "status", status, body },
  headers: { "content-type": "application/json", ...headers },
});
const throttling = (retryAfter: string | readonly string[]): Fault => ({
  ...{ kind: "status", status: 429 },
  headers: { "retry-after": retryAfter },
});
const withHeaders = (headers: Readonly<Record<string, string>>): Fault => ({ kind: "headers", headers });

/** The faults of a hostile or broken service. `elsewhere` is an origin that must get no request. */
const answers: readonly (readonly [
  name: string,
  meaning: Meaning,
  fault: Fault | ((elsewhere: string) => Fault),
  says?: RegExp,
])[] = [
  ["one header of 1 MB", "ambiguous", withHeaders({ "x-long": "y".repeat(1_000_000) })],
  ["an error of 10 MB", "refused", answering(400, "x".repeat(10_000_000))],
  ["an error of unclosed tags", "refused", answering(400, "<a".repeat(500_000))],
  ["an error with a deep message", "ambiguous", answering(500, `{"message":${deep('{"a":', "0", "}")}}`)],
  ["an error with NUL bytes", "refused", answering(400, "a\0\0b\u001b[2J")],
  ["deep lists", "usable", more(`"more":${deep("[", "", "]")}`)],
  ["an id of deep lists", "lost", more(`"id":${deep("[", "", "]")}`)],
  ["secrets in string fields", "usable", more(`"name":"${echo}","maskedKey":"${echo}"`)],
  ["a secret as id", "foreign", more(`"id":"${echo}"`)],
  ["another record", "foreign", { kind: "otherRecord" }],
  ["a truncated body", "lost", { kind: "truncated" }],
  ["HTML called JSON", "lost", answering(200, "<html>sign in</html>"), /the answer is not JSON$/],
  ["JSON called HTML", "usable", withHeaders({ "content-type": "text/html" })],
  ["nothing", "lost", { kind: "emptyBody" }, /the answer is empty$/],
  ["a body marked as compressed", "usable", withHeaders({ "content-encoding": "br" })],
  ["status 999", "ambiguous", withStatus("999")],
  ["status 0", "ambiguous", withStatus("000")],
  ["a status of letters", "ambiguous", withStatus("two")],
  [
    "another protocol",
    "ambiguous",
    raw("HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"),
  ],
  ["100 and the end", "ambiguous", raw("HTTP/1.1 100 Continue\r\n\r\n")],
  ["no HTTP", "ambiguous", raw(`${echo}\r\n\r\n`)],
  [
    "a chunk too short",
    "lost",
    raw("HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{}\r\n0\r\n\r\n"),
  ],
  ["a Content-Length too large", "lost", raw("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{}")],
  ["NUL in a header", "ambiguous", raw(`HTTP/1.1 200 X\r\nx-${echo}: a\0b\r\ncontent-length: 0\r\n\r\n`)],
  ["Retry-After of 400 digits", "refused", throttling("9".repeat(400))],
  ["Retry-After twice", "refused", throttling(["1", "999999999"])],
  ...[301, 307].map(
    (status) =>
      [
        `${status} to another origin`,
        "refused",
        (elsewhere: string) => answering(status, "", { location: `${elsewhere}/in?${echo}` }),
        /with a redirect, which is not followed$/,
      ] as const,
  ),
  [
    "200 with a Location",
    "usable",
    (elsewhere) => withHeaders({ location: elsewhere, refresh: `0; url=${elsewhere}` }),
  ],
];

function expectFit(text: string, says = /^/): void {
  expect(text).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
  expect(text.length).toBeLessThan(600);
  for (const secret of [token, encodeURIComponent(token), existing]) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/sk_[a-z0-9]/i);
  expect(text).toMatch(says);
}

test.each(answers.map((row) => [row[0], row] as const))(
  "a hostile answer (%s) ends each call as it must, and leaks nothing",
  async (_, row) => {
    const [, meaning, fault, says] = row;
    const elsewhere = await wireServer(() => answer(200, {}));
    const workspaces = [{ id: "ws_main" }, { id: "ws_second" }];
    const standIn = await startStandIn({ tenants: [{ name: "t", accessToken: token, workspaces }] });
    onTestFinished(() => standIn.close());
    for (const [name, asking] of Object.entries(endpoints)) {
      standIn.clearFaults();
      for (const { id } of standIn.keys()) standIn.deleteKey(id);
      // An empty list has no record that could be hostile.
      standIn.addKey({ workspaceId: "ws_main", name: "other" });
      const { id } = standIn.addKey({ workspaceId: "ws_main", name: "a" });
      standIn.inject({
        fault: typeof fault === "function" ? fault(elsewhere.url) : fault,
        times: Number.POSITIVE_INFINITY,
      });
      const outcome = await asking.run(callTo(standIn.url), id).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome, name).toBeInstanceOf(CallError);
        expect((outcome as CallError).verdict, name).toBe(expected(meaning, asking));
        expectFit(outcome.message, says);
        continue;
      }
      const written = outcome as api.Written<unknown>;
      const { record, problem } = asking.method === "GET" ? { record: outcome } : written;
      expect(record === undefined ? "lost" : "record", name).toBe(expected(meaning, asking));
      if (problem !== undefined) expectFit(problem, says);
      for (const one of [record ?? []].flat() as { id: unknown }[])
        expect(typeof one.id, name).toBe("string");
    }
    expect(elsewhere.requests).toEqual([]);
  },
);
