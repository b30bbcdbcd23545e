import type { Fault } from "../../standin";

/** The faults that one request may meet. */
export const yearFaults: readonly Fault[] = [
  { kind: "resetBefore" },
  { kind: "resetAfter" },
  { kind: "errorAfter", status: 502 },
  ...[400, 401, 403, 404, 409, 410, 429, 500, 503].map((status): Fault => ({ kind: "status", status })),
  { kind: "truncated" },
  { kind: "garbled" },
  { kind: "hang" },
  { kind: "hang", carriedOut: true },
  { kind: "drip", bytesPerSecond: 20_000 },
  { kind: "status", status: 429, headers: { "retry-after": "1" } },
  { kind: "status", status: 307, headers: { location: "http://127.0.0.1:9/" } },
  { kind: "hugeBody", bytes: 4_300_000 },
  { kind: "html", status: 200 },
  { kind: "otherRecord" },
  { kind: "withoutKey" },
  { kind: "markedDeleted" },
  { kind: "emptyBody" },
  { kind: "withoutEffect", answer: "nothing" },
  { kind: "moreFields", json: '"more":[1]' },
  { kind: "raw", bytes: "nonsense" },
  { kind: "raw", bytes: "HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{}" },
];
