/**
 * What goes wrong in one exchange. "Carried out" means that the request was processed as usual, and a write changed
 * the store; the others never reach the store.
 */
export type Fault =
  /** Not carried out; the connection is reset. */
  | { kind: "resetBefore" }
  /** Carried out; the connection is reset without an answer. */
  | { kind: "resetAfter" }
  /** Carried out; answered with an error. Default status: 500. */
  | { kind: "errorAfter"; status?: number }
  /** Not carried out; answered with this status. Text is sent as text, anything else as JSON; default: an error. */
  | { kind: "status"; status: number; body?: unknown; headers?: Readonly<Record<string, string>> }
  /** Carried out; the headers and half of the body arrive, then the connection is reset. */
  | { kind: "truncated" }
  /** Carried out; 200 with a body that is not JSON, although it begins like it and holds the answer. */
  | { kind: "garbled" }
  /** No answer, ever. Default: not carried out. */
  | { kind: "hang"; carriedOut?: boolean }
  /** Carried out; the body trickles. */
  | { kind: "drip"; bytesPerSecond: number }
  /** Not carried out; 429, with `Retry-After` as given (seconds, or text as is), or without one. */
  | { kind: "rateLimited"; retryAfter?: number | string }
  /** Not carried out; redirected. Default status: 307. */
  | { kind: "redirect"; to: string; status?: 301 | 302 | 303 | 307 | 308 }
  /** Carried out; the answer is padded to about so many bytes. Default: chunked, without a Content-Length. */
  | { kind: "hugeBody"; bytes: number; contentLength?: boolean }
  /** Not carried out; a web page, as a proxy or a login wall would send it. Default status: 200. */
  | { kind: "html"; status?: number }
  /** Carried out; the answer's record is another one: one of the same tenant where there is one, else invented. */
  | { kind: "otherRecord" }
  /** Carried out; the answer of create or migrate lacks the key. */
  | { kind: "withoutKey" }
  /** Carried out; answered without a body. Default status: 200. */
  | { kind: "emptyBody"; status?: number };
