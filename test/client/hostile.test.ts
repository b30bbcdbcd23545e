import { expect, test } from "vitest";
import { CallError } from "../../provider/client/send";
import * as api from "./api";
import { answer, callTo, keyPath, newBilling, newKey, token, wireServer } from "./calls";

const existing = "sk_existing_0123456789";

interface Asking {
  readonly shape: "one" | "new" | "list";
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly run: (call: api.Call) => Promise<unknown>;
}

/** A call of each method, shape of answer and way to send it. Every call reads its answer alike (unit/client/answers). */
const endpoints: Readonly<Record<string, Asking>> = {
  editApiKey: {
    shape: "one",
    method: "PATCH",
    run: (call) => api.editApiKey(call, keyPath, { name: "b" }),
  },
  readApiKey: { shape: "one", method: "GET", run: (call) => api.readApiKey(call, keyPath) },
  listApiKeys: { shape: "list", method: "GET", run: (call) => api.listApiKeys(call, keyPath) },
  migrateApiKey: {
    shape: "new",
    method: "POST",
    run: (call) => api.migrateApiKey(call, { ...newKey, key: existing, metadata: {} }),
  },
  deleteApiKey: { shape: "one", method: "DELETE", run: (call) => api.deleteApiKey(call, keyPath) },
  createBilling: { shape: "new", method: "POST", run: (call) => api.createBilling(call, newBilling) },
};

/** The body of an answer of any endpoint. Each record ends with these fields, whether or not that is valid JSON. */
function bodyWith(fields: string): string {
  const record = `{"id":"${keyPath.keyId}",${fields}}`;
  return `{"apiKey":${record},"apiKeys":[${record}],"billing":${record}}`;
}

/**
 * The meaning of an answer to the client:
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
const answering = (status: number, body: string, ...headers: string[]) =>
  answer(status, body, "content-type: application/json", "connection: close", ...headers);
const more = (fields: string) => answering(200, bodyWith(fields));
const withHeaders = (...headers: string[]) => answering(200, bodyWith('"name":"a"'), ...headers);
const withStatus = (status: string) => `HTTP/1.1 ${status} X\r\ncontent-length: 2\r\n\r\n{}`;

type Hostile = [
  name: string,
  meaning: Meaning,
  bytes: string | ((elsewhere: string) => string),
  says?: RegExp,
];

/** The bytes that a hostile or broken service sends. `elsewhere` is an origin that must get no request. */
const answers: readonly Hostile[] = [
  ["one header of 1 MB", "ambiguous", withHeaders(`x-long: ${"y".repeat(1_000_000)}`)],
  ["an error of 10 MB", "refused", answering(400, "x".repeat(10_000_000))],
  ["an error of unclosed tags", "refused", answering(400, "<a".repeat(500_000))],
  ["an error with a deep message", "ambiguous", answering(500, `{"message":${deep('{"a":', "0", "}")}}`)],
  ["an error with NUL bytes", "refused", answering(400, "a\0\0b\u001b[2J")],
  ["deep lists", "usable", more(`"more":${deep("[", "", "]")}`)],
  ["an id of deep lists", "lost", more(`"id":${deep("[", "", "]")}`)],
  ["secrets in string fields", "usable", more(`"name":"${echo}","maskedKey":"${echo}"`)],
  ["a secret as id", "foreign", more(`"id":"${echo}"`)],
  ["another record", "foreign", more('"id":"another"')],
  [
    "HTML called JSON",
    "lost",
    answering(200, "<html>sign in</html>"),
    /the answer is a page of HTML, not JSON$/,
  ],
  ["JSON called HTML", "usable", answer(200, bodyWith('"name":"a"'), "content-type: text/html")],
  ["nothing", "lost", answering(200, ""), /the answer is empty$/],
  ["a body marked as compressed", "usable", withHeaders("content-encoding: br")],
  ["status 999", "ambiguous", withStatus("999")],
  ["status 0", "ambiguous", withStatus("000")],
  ["a status of letters", "ambiguous", withStatus("two")],
  ["another protocol", "ambiguous", "HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"],
  ["100 and the end", "ambiguous", "HTTP/1.1 100 Continue\r\n\r\n"],
  ["no HTTP", "ambiguous", `${echo}\r\n\r\n`],
  ["a chunk too short", "lost", "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{}\r\n0\r\n\r\n"],
  ["a truncated body", "lost", "HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{}"],
  ["NUL in a header", "ambiguous", `HTTP/1.1 200 X\r\nx-${echo}: a\0b\r\ncontent-length: 0\r\n\r\n`],
  ["Retry-After of 400 digits", "refused", answering(429, "", `retry-after: ${"9".repeat(400)}`)],
  ["Retry-After twice", "refused", answering(429, "", "retry-after: 1", "retry-after: 999999999")],
  ...[301, 307].map(
    (status): Hostile => [
      `${status} to another origin`,
      "refused",
      (elsewhere: string) => answering(status, "", `location: ${elsewhere}/in?${echo}`),
      /with a redirect, which is not followed$/,
    ],
  ),
  [
    "200 with a Location",
    "usable",
    (elsewhere) => withHeaders(`location: ${elsewhere}`, `refresh: 0; url=${elsewhere}`),
  ],
];

function expectFit(text: string, says = /^/): void {
  expect(text).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
  expect(text.length).toBeLessThan(600);
  for (const secret of [token, encodeURIComponent(token), existing]) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/sk_[a-z0-9]/i);
  expect(text).toMatch(says);
}

test.each<Hostile>(answers)(
  "a hostile answer (%s) ends each call as it must, and leaks nothing",
  async (_, meaning, bytes, says) => {
    const elsewhere = await wireServer(() => answer(200, {}));
    const service = await wireServer((_request, socket) => {
      socket.end(typeof bytes === "string" ? bytes : bytes(elsewhere.url));
      return undefined;
    });
    for (const [name, asking] of Object.entries(endpoints)) {
      const outcome = await asking.run(callTo(service.url)).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome, name).toBeInstanceOf(CallError);
        expect((outcome as CallError).verdict, name).toBe(expected(meaning, asking));
        expectFit(outcome.message, says);
        continue;
      }
      const written = outcome as api.Written<unknown>;
      const { all = outcome } = (outcome ?? {}) as { readonly all?: unknown };
      const { record, problem } = asking.method === "GET" ? { record: all } : written;
      expect(record === undefined ? "lost" : "record", name).toBe(expected(meaning, asking));
      if (problem !== undefined) expectFit(problem, says);
      for (const one of [record ?? []].flat() as { id: unknown }[])
        expect(typeof one.id, name).toBe("string");
    }
    expect(elsewhere.requests).toEqual([]);
  },
);
