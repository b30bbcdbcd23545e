import type { Outcome, Session } from "./definition";
import { type Account, account, type Failure, sentences } from "./errors";
import type { Properties } from "./state";

/** What an operation ends with; it failed if any of the lines is there. */
export function outcome(id: string, state: Properties, ...failed: readonly (string | undefined)[]): Outcome {
  const failure = sentences(...failed);
  return failure === "" ? { id, state } : { id, state, failure };
}

/** The line that the user reads of what a call threw. */
export function told(session: Session, error: unknown, about: Omit<Account, "tokenAdvice">): Failure {
  return account(error, { ...about, tokenAdvice: session.tokenAdvice });
}

export function capitalised(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}
