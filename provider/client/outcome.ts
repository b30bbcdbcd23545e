import { errorText, plainText } from "./errorText";
import { retryAfterMs } from "./retryAfter";

/** What one exchange on the wire came to. */
export type Exchange =
  | {
      readonly kind: "failed";
      /** Whether the first byte of the request had been handed to a connection. */
      readonly started: boolean;
      /** Why there is no answer, in words fit for a CallError. */
      readonly phrase: string;
      /** True when another attempt would fail in the same way. */
      readonly lasting: boolean;
    }
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: Buffer | Unreadable;
    };

/** A body that could not be read to its end. */
export interface Unreadable {
  readonly problem: string;
  /** True when another attempt would get the same. */
  readonly lasting: boolean;
}

/** What an exchange means for the call. */
export type CallOutcome =
  | { readonly kind: "done"; readonly status: number; readonly body: Buffer | Unreadable }
  | { readonly kind: "notSent"; readonly phrase: string; readonly lasting: boolean }
  | {
      readonly kind: "ambiguous";
      readonly phrase: string;
      readonly status: number | undefined;
      /** How long the service asked to wait (503), in milliseconds. */
      readonly askedMs: number | undefined;
    }
  | { readonly kind: "throttled"; readonly phrase: string; readonly askedMs: number | undefined }
  | { readonly kind: "refused"; readonly phrase: string; readonly status: number };

/** What `classify` needs to know of the request. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  /** Masked in whatever the service said. */
  readonly secrets: readonly string[];
  /** Names of the body's fields: an error may speak of them. */
  readonly fieldNames: readonly string[];
  /** Milliseconds since the epoch, for a Retry-After that is a date. */
  readonly wallNow: number;
}

/** Whether the service may have carried the request out although its answer is no 2xx. */
function mayBeDone(method: string, status: number): boolean {
  // "It exists already": something on the way may have repeated the request, and this is the answer to the repetition.
  if (status === 409 && method === "POST") return true;
  // 303 says "the result is over there", and many a service says it with 302 after a POST: as much as "done".
  const elsewhere = (status === 303 && method !== "GET") || (status === 302 && method === "POST");
  // 499: a gateway stopped waiting for the service.
  return status === 408 || status === 499 || status >= 500 || elsewhere;
}

export function classify(exchange: Exchange, asked: Asked): CallOutcome {
  if (exchange.kind === "failed") {
    const { phrase, lasting } = exchange;
    return exchange.started
      ? { kind: "ambiguous", phrase, status: undefined, askedMs: undefined }
      : { kind: "notSent", phrase, lasting };
  }
  const { status, headers, body } = exchange;
  if (status >= 200 && status < 300) return { kind: "done", status, body };
  const askedMs = retryAfterMs(headers["retry-after"], headers["date"], asked.wallNow);
  const phrase = redirected(exchange, asked) ?? answered(exchange, asked);
  if (status === 429) return { kind: "throttled", phrase, askedMs };
  if (mayBeDone(asked.method, status)) {
    return { kind: "ambiguous", phrase, status, askedMs: status === 503 ? askedMs : undefined };
  }
  return { kind: "refused", phrase, status };
}

type Answered = Extract<Exchange, { kind: "answered" }>;

function answered({ status, body }: Answered, { secrets, fieldNames }: Asked): string {
  const said = Buffer.isBuffer(body) ? errorText(body.toString("utf8"), secrets, fieldNames) : undefined;
  return said === undefined ? `the service answered ${status}` : `the service answered ${status} "${said}"`;
}

/** `undefined` for what is no redirect, or says not where to. */
function redirected({ status, headers }: Answered, { url, secrets }: Asked): string | undefined {
  const { location } = headers;
  if (status >= 400 || typeof location !== "string" || !URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  if (!/^https?:$/.test(target.protocol)) return undefined;
  // Origin and path only: a query may hold anything.
  const where = plainText(target.origin + target.pathname, secrets);
  return `the service answered ${status} and redirected to ${where}; redirects are not followed`;
}
