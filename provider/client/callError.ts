/**
 * What is known of a call that failed:
 * - `notSent`: no byte of it reached the service;
 * - `refused`: the service answered 3xx or 4xx, and nothing was done;
 * - `ambiguous`: it may or may not have been carried out;
 * - `invalidAnswer`: a GET whose answer could not be used, after all attempts.
 */
export type Verdict = "notSent" | "refused" | "ambiguous" | "invalidAnswer";

/**
 * The only error that leaves the client. Its message is one phrase that can follow
 * `Creating key "ci": `, with every secret masked. There is no `cause`, and the stack is the message: what the
 * libraries below throw can hold headers and bodies.
 */
export class CallError extends Error {
  readonly verdict: Verdict;
  /** The status of the last answer; `undefined` when there was none. */
  readonly status: number | undefined;
  /** Whether a 2xx to a GET has no record in it. */
  readonly noRecord: boolean;

  constructor(verdict: Verdict, message: string, status?: number, { noRecord = false } = {}) {
    super(message);
    this.verdict = verdict;
    this.status = status;
    this.noRecord = noRecord;
    this.stack = message;
  }
}

/** Whether the service says that there is no such object: by 404, by 410, or by a 2xx with null in its place. */
export function isNotFound(error: unknown): error is CallError {
  return error instanceof CallError && (error.status === 404 || error.status === 410 || error.noRecord);
}
