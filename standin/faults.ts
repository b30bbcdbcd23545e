/** Headers by name; several values send several headers. */
export type FaultHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * A fault in one exchange. "Carried out" means that the request is processed as usual, and a write changes the store. A
 * request that is not carried out never reaches the store.
 *
 * @see docs/testing.md
 */
export type Fault =
  | {
      /** Not carried out; the connection is reset. */
      kind: "resetBefore";
    }
  | {
      /** Carried out; the connection is reset without an answer. */
      kind: "resetAfter";
    }
  | {
      /** Carried out; answered with an error. */
      kind: "errorAfter";
      /** The status of the answer. Default: 500. */
      status?: number;
    }
  | {
      /** Not carried out; answered with `status`. */
      kind: "status";
      /** The status of the answer. */
      status: number;
      /** The body: a string is sent as plain text, anything else as JSON. Default: an error. */
      body?: unknown;
      /** Headers that are added to the answer, or replace its own. Default: none. */
      headers?: FaultHeaders;
    }
  | {
      /** Carried out; the headers and half of the body arrive, then the connection is reset. */
      kind: "truncated";
    }
  | {
      /** Carried out; 200 with a body that starts like JSON and contains the answer, but is not JSON. */
      kind: "garbled";
    }
  | {
      /** No answer, ever. */
      kind: "hang";
      /** Whether the request is carried out. Default: false. */
      carriedOut?: boolean;
    }
  | {
      /** Carried out; the body arrives slowly. */
      kind: "drip";
      /** How fast the body arrives. */
      bytesPerSecond: number;
    }
  | {
      /** Not carried out; answered with 429. */
      kind: "rateLimited";
      /** The header `Retry-After`: a number of seconds, or a string that is sent as it is. Default: no such header. */
      retryAfter?: number | string;
    }
  | {
      /** Not carried out; redirected. */
      kind: "redirect";
      /** The header `Location`. */
      to: string;
      /** The status of the answer. Default: 307. */
      status?: 301 | 302 | 303 | 307 | 308;
    }
  | {
      /** Carried out; the answer is padded to about `bytes`. */
      kind: "hugeBody";
      /** The size of the body; can be Infinity. */
      bytes: number;
      /** Whether to send a Content-Length. Default: false, the answer is chunked. */
      contentLength?: boolean;
    }
  | {
      /** Not carried out; a web page, as a proxy or a login page would send it. */
      kind: "html";
      /** The status of the answer. Default: 200. */
      status?: number;
    }
  | {
      /**
       * Carried out; the answer has a different record: another one of the same tenant or, if there is none, an
       * invented one.
       */
      kind: "otherRecord";
    }
  | {
      /** Carried out; the answer of create or migrate lacks the key. */
      kind: "withoutKey";
    }
  | {
      /** Carried out; the keys in the answer are marked as deleted. */
      kind: "markedDeleted";
    }
  | {
      /** Not carried out, but answered as if it were; an invalid request is still refused. */
      kind: "withoutEffect";
      /**
       * The body: the record after the change, the record as it is (not for POST), no body, or `{}`. Default: the
       * variant's own answer.
       */
      answer?: "after" | "before" | "nothing" | "emptyObject";
      /** The status of the answer. Default: the variant's own. */
      status?: number;
    }
  | {
      /** Carried out; answered without a body. */
      kind: "emptyBody";
      /** The status of the answer. Default: 200. */
      status?: number;
    }
  | {
      /** Carried out; the answer has more headers. */
      kind: "headers";
      /** Headers that are added to the answer, or replace its own. */
      headers: FaultHeaders;
    }
  | {
      /** Carried out; each record in the answer has more fields. */
      kind: "moreFields";
      /** The text after the fields of each record, such as `"id":1,"id":2`. It need not be valid JSON. */
      json: string;
    }
  | {
      /** Carried out; `bytes` are sent instead of an answer, then the connection is closed. */
      kind: "raw";
      /** The bytes to send. */
      bytes: string;
    };
