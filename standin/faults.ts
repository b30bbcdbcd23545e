/** Headers by name; several values make several headers. */
type Headers = Readonly<Record<string, string | readonly string[]>>;

/**
 * A fault in one exchange. "Carried out" means that the request is processed as usual, and a write changes the store. A
 * request that is not carried out never reaches the store.
 */
export type Fault =
  /** Not carried out; the connection is reset. */
  | { kind: "resetBefore" }
  /** Carried out; the connection is reset without an answer. */
  | { kind: "resetAfter" }
  /** Carried out; answered with an error. Default status: 500. */
  | { kind: "errorAfter"; status?: number }
  /**
   * Not carried out; answered with this status. A string is sent as plain text, anything else as JSON. Default body: an
   * error.
   */
  | { kind: "status"; status: number; body?: unknown; headers?: Headers }
  /** Carried out; the headers and half of the body arrive, then the connection is reset. */
  | { kind: "truncated" }
  /** Carried out; 200 with a body that starts like JSON and contains the answer, but is not JSON. */
  | { kind: "garbled" }
  /** No answer, ever. Default: not carried out. */
  | { kind: "hang"; carriedOut?: boolean }
  /** Carried out; the body arrives slowly. */
  | { kind: "drip"; bytesPerSecond: number }
  /** Not carried out; 429, with `Retry-After` as given (a number of seconds, or a string as it is), or without one. */
  | { kind: "rateLimited"; retryAfter?: number | string }
  /** Not carried out; redirected. Default status: 307. */
  | { kind: "redirect"; to: string; status?: 301 | 302 | 303 | 307 | 308 }
  /**
   * Carried out; the answer is padded to about so many bytes, Infinity allowed. Default: chunked, no Content-Length.
   */
  | { kind: "hugeBody"; bytes: number; contentLength?: boolean }
  /** Not carried out; a web page, as a proxy or a login wall would send it. Default status: 200. */
  | { kind: "html"; status?: number }
  /**
   * Carried out; the answer has a different record: another one of the same tenant or, without any, an invented one.
   */
  | { kind: "otherRecord" }
  /** Carried out; the answer of create or migrate lacks the key. */
  | { kind: "withoutKey" }
  /** Carried out; the keys in the answer are marked as deleted. */
  | { kind: "markedDeleted" }
  /**
   * Not carried out, but answered as if it were; an invalid request is still refused. The answer is the record after
   * the change | the record as it is (not for POST) | no body | `{}`. Default: the dialect's own answer, and its
   * status.
   */
  | { kind: "withoutEffect"; answer?: "after" | "before" | "nothing" | "emptyObject"; status?: number }
  /** Carried out; answered without a body. Default status: 200. */
  | { kind: "emptyBody"; status?: number }
  /** Carried out; these headers are added to the answer, or replace its own. */
  | { kind: "headers"; headers: Headers }
  /** Carried out; this string follows the fields of each record, as in `"id":1,"id":2`. It need not be valid JSON. */
  | { kind: "moreFields"; json: string }
  /** Carried out; these bytes are sent before and after the answer on the connection. Default: none. */
  | { kind: "surrounded"; before?: string; after?: string }
  /** Carried out; these bytes are sent instead of an answer, then the connection is closed. */
  | { kind: "raw"; bytes: string }
  /**
   * Carried out; the Content-Length, or the length of the only chunk, is too large by so much (too small, if it is
   * negative). Then the connection is closed.
   */
  | { kind: "wrongLength"; by: number; chunked?: boolean }
  /** Carried out; the answer's headers, or 1xx answers before it, never end. */
  | { kind: "endless"; what: "headers" | "interim" }
  /** Carried out; a small body, marked as gzip, that unpacks to the answer padded to so many bytes. */
  | { kind: "gzipBomb"; bytes: number };
