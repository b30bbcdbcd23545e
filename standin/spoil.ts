import type { Answer } from "./answer";
import type { Dialect } from "./dialect";
import type { Fault } from "./faults";
import { withMoreFields } from "./moreFields";

/** How an exchange ends on the wire. */
export type Delivery =
  | { how: "whole"; answer: Answer }
  | { how: "half"; answer: Answer }
  | { how: "garbled"; answer: Answer }
  | { how: "drip"; answer: Answer; bytesPerSecond: number }
  | { how: "padded"; answer: Answer; bytes: number; contentLength: boolean }
  | { how: "surrounded"; answer: Answer; before: string; after: string }
  | { how: "wrongLength"; answer: Answer; by: number; chunked: boolean }
  | { how: "endless"; answer: Answer; what: "headers" | "interim" }
  | { how: "gzipBomb"; answer: Answer; bytes: number }
  | { how: "raw"; bytes: string }
  | { how: "reset" }
  | { how: "silence" };

/** What a fault can do with an exchange. */
export interface Exchange {
  /** Processes the request as usual. Call it at most once. */
  carryOut(): Answer;
  /** The answer as if the request had been processed, in this dialect. The store stays as it is. */
  pretend(shown: Partial<Dialect>): Answer;
  /** An error answer in the dialect's form. */
  refuse(status: number, message: string, headers?: Answer["headers"]): Answer;
  /** The same answer with a different record. */
  withOtherRecord(answer: Answer): Answer;
}

const page =
  "<!doctype html>\n<html><head><title>Please sign in</title></head><body><h1>Please sign in</h1></body></html>\n";

/** Ends an exchange with the fault or, without a fault, as usual. */
export function spoil(fault: Fault | undefined, exchange: Exchange): Delivery {
  if (fault === undefined) return { how: "whole", answer: exchange.carryOut() };
  switch (fault.kind) {
    case "resetBefore":
      return { how: "reset" };
    case "resetAfter":
      exchange.carryOut();
      return { how: "reset" };
    case "errorAfter":
      exchange.carryOut();
      return { how: "whole", answer: exchange.refuse(fault.status ?? 500, "something went wrong") };
    case "status": {
      const { status, body, headers = {} } = fault;
      if (body === undefined) return { how: "whole", answer: exchange.refuse(status, "injected", headers) };
      return { how: "whole", answer: { status, body, headers } };
    }
    case "truncated":
      return { how: "half", answer: exchange.carryOut() };
    case "garbled":
      return { how: "garbled", answer: { ...exchange.carryOut(), status: 200 } };
    case "hang":
      if (fault.carriedOut) exchange.carryOut();
      return { how: "silence" };
    case "drip":
      return { how: "drip", answer: exchange.carryOut(), bytesPerSecond: fault.bytesPerSecond };
    case "rateLimited": {
      const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      return { how: "whole", answer: exchange.refuse(429, "too many requests", headers) };
    }
    case "redirect":
      return { how: "whole", answer: { status: fault.status ?? 307, headers: { location: fault.to } } };
    case "hugeBody": {
      const { bytes, contentLength = false } = fault;
      return { how: "padded", answer: exchange.carryOut(), bytes, contentLength };
    }
    case "html": {
      const headers = { "content-type": "text/html; charset=utf-8" };
      return { how: "whole", answer: { status: fault.status ?? 200, headers, body: page } };
    }
    case "otherRecord":
      return { how: "whole", answer: exchange.withOtherRecord(exchange.carryOut()) };
    case "withoutKey":
      return { how: "whole", answer: withoutKey(exchange.carryOut()) };
    case "markedDeleted":
      return { how: "whole", answer: markedDeleted(exchange.carryOut()) };
    case "withoutEffect":
      return { how: "whole", answer: withoutEffect(fault, exchange) };
    case "emptyBody": {
      exchange.carryOut();
      return { how: "whole", answer: { status: fault.status ?? 200 } };
    }
    case "headers": {
      const answer = exchange.carryOut();
      return { how: "whole", answer: { ...answer, headers: { ...answer.headers, ...fault.headers } } };
    }
    case "moreFields":
      return { how: "whole", answer: withMoreFields(exchange.carryOut(), fault.json) };
    case "surrounded": {
      const { before = "", after = "" } = fault;
      return { how: "surrounded", answer: exchange.carryOut(), before, after };
    }
    case "raw":
      exchange.carryOut();
      return { how: "raw", bytes: fault.bytes };
    case "wrongLength": {
      const { by, chunked = false } = fault;
      return { how: "wrongLength", answer: exchange.carryOut(), by, chunked };
    }
    case "endless":
      return { how: "endless", answer: exchange.carryOut(), what: fault.what };
    case "gzipBomb":
      return { how: "gzipBomb", answer: exchange.carryOut(), bytes: fault.bytes };
  }
}

const shown = {
  after: { patchAnswer: "after", deleteAnswer: "record" },
  before: { patchAnswer: "before", deleteAnswer: "before" },
} as const;

function withoutEffect(
  { answer: how, status }: Extract<Fault, { kind: "withoutEffect" }>,
  exchange: Exchange,
): Answer {
  const answer = exchange.pretend(how === "after" || how === "before" ? shown[how] : {});
  if (answer.status >= 300) return answer;
  const answered = { ...answer, status: status ?? answer.status };
  if (how === "nothing") return { status: answered.status };
  return how === "emptyObject" ? { ...answered, body: {} } : answered;
}

function markedDeleted(answer: Answer): Answer {
  const { apiKey, apiKeys, ...rest } = Object(answer.body);
  const marked = (key: object) => ({ ...key, deleted: true });
  if (apiKey !== undefined) return { ...answer, body: { ...rest, apiKey: marked(apiKey) } };
  return apiKeys ? { ...answer, body: { ...rest, apiKeys: apiKeys.map(marked) } } : answer;
}

function withoutKey(answer: Answer): Answer {
  const body = answer.body as { apiKey?: Record<string, unknown> } | undefined;
  if (body?.apiKey === undefined) return answer;
  const { key: _, ...rest } = body.apiKey;
  return { ...answer, body: { ...body, apiKey: rest } };
}
