import { eachBounded } from "../bounded";
import type { Session } from "../definition";
import { Failure, inBounds } from "../errors";

/** Work on many keys at once: one that fails never stops the others, and users are told of the first of many. */

/** How many of many failures, or warnings, are told. */
const mostTold = 20;
const longestTold = 300;
const progressMs = 3_000;

interface Trouble {
  readonly name: string;
  readonly message: string;
}

export interface Crowd {
  /** Works on each, bounded; `verb` is what it has come to, for the user who waits: "created". */
  each<T extends { readonly name: string }>(
    verb: string,
    all: readonly T[],
    act: (session: Session, one: T) => Promise<string | undefined>,
  ): Promise<void>;
  fail(name: string, message: string): void;
  readonly failures: readonly Trouble[];
  /** What may stand in the service and in no state. */
  readonly unresolved: readonly string[];
  /** A line for each of the first that failed. */
  lines(): readonly string[];
  /** Tells the warnings. */
  close(): void;
}

/** `subject` is what the keys belong to: "the keys of workspace ws_1". */
export function openCrowd(session: Session, subject: string): Crowd {
  const failures: Trouble[] = [];
  const warnings: Trouble[] = [];
  const unresolved: string[] = [];
  const fail = (name: string, message: string) => void failures.push({ name, message });

  async function attempt<T extends { readonly name: string }>(
    one: T,
    act: (session: Session, one: T) => Promise<string | undefined>,
  ): Promise<void> {
    const { name } = one;
    const part = session.part(name, (message) => void warnings.push({ name, message }));
    try {
      const failure = await act(part, one);
      if (failure !== undefined) fail(name, part.masked(failure));
    } catch (error) {
      const message = error instanceof Failure ? part.masked(error.headline) : unforeseen(error);
      fail(name, message);
      if (error instanceof Failure && error.unresolved) unresolved.push(message);
    }
  }
  return {
    fail,
    failures,
    unresolved,
    async each(verb, all, act) {
      let done = 0;
      const progress = () =>
        session.tell(
          `${subject}: ${done.toLocaleString("en")} of ${all.length.toLocaleString("en")} ${verb}.`,
        );
      const timer = setInterval(progress, progressMs);
      try {
        await eachBounded(session.parallel, all, async (one) => {
          await attempt(one, act);
          done += 1;
        });
      } finally {
        clearInterval(timer);
      }
    },
    lines: () => firstOf(failures),
    close: () => {
      for (const line of firstOf(warnings)) session.warn(line);
      warnings.length = 0;
    },
  };
}

function firstOf(troubles: readonly Trouble[]): readonly string[] {
  const told = troubles
    .slice(0, mostTold)
    .map(({ name, message }) => inBounds(`${JSON.stringify(name)}: ${message}`, longestTold));
  const rest = troubles.length - told.length;
  return rest === 0 ? told : [...told, `and ${rest.toLocaleString("en")} more`];
}

/** Its message may hold anything. The others' results must not be lost to it. */
function unforeseen(error: unknown): string {
  const kind = error instanceof Error ? error.name : typeof error;
  return `unforeseen (${kind}), a defect of pulumi-apikeys; please report it.`;
}
