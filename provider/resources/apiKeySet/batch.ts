import { eachBounded } from "../../core/bounded";
import type { Session } from "../../core/definition";
import { capitalised, Failure, inBounds, moreThan } from "../../core/errors";

/** Work on many keys at once: one that fails never stops the others, and users are told of the first of many. */

/** How many of many failures, or warnings, are told. */
const mostTold = 20;
/** So many characters of each, or more where fewer are told: the last words say what to do. */
const longestTold = 300;
/** What may have been left behind in the service is named in it: the ids of ten keys, which must not be cut out. */
const longestUnresolved = 2_000;
const longestId = 100;
const longestPage = 3_500;
const progressMs = 3_000;

interface Trouble {
  readonly name: string;
  readonly message: string;
  /** Whether something may stand in the service that no state holds. */
  readonly unresolved: boolean;
  /** The ids that it speaks of. */
  readonly about?: readonly string[] | undefined;
}

/** One of many, by the name that messages call it. */
export type Named<T = unknown> = T & { readonly name: string };
/** Gives what is wrong with it, if it was done all the same. */
type Act<T> = (session: Session, one: T) => Promise<string | undefined>;

export interface Batch {
  /** Works on each, bounded; `verb` is what it has come to, for the user who waits: "created". */
  each<T extends Named>(verb: string, all: readonly T[], act: Act<T>): Promise<void>;
  readonly failures: readonly Trouble[];
  /** What may stand in the service and in no state. */
  readonly unresolved: readonly string[];
  /** A line for each of the first that failed. */
  lines(): readonly string[];
  /** Tells the warnings, and what may stand in the service where the lines don't. */
  close(): void;
}

/** Of many things, those that are not begun when the run is cancelled are left for the next. */
export function expectOpen({ closed }: Session): void {
  if (closed.aborted) throw new Failure("Skipped: the run was cancelled.");
}

export function openBatch(session: Session, subject: string): Batch {
  const failures: Trouble[] = [];
  const warnings: Trouble[] = [];
  /** In the order of the keys, whichever was done first: so the same trouble is told in the same way each time. */
  const indexes = new Map<string, number>();
  const inOrder = (troubles: readonly Trouble[]) =>
    troubles.toSorted((a, b) => (indexes.get(a.name) ?? 0) - (indexes.get(b.name) ?? 0));

  async function attempt<T extends Named>(one: T, act: Act<T>): Promise<void> {
    const { name } = one;
    const part = session.part(name, (message, about) => {
      warnings.push({ name, message, unresolved: false, about });
    });
    try {
      const failure = await act(part, one);
      if (failure !== undefined) failures.push({ name, message: part.masked(failure), unresolved: false });
    } catch (error) {
      const isFailure = error instanceof Failure;
      const message = isFailure ? part.masked(error.headline) : unforeseen(error);
      failures.push({ name, message, unresolved: !isFailure || error.unresolved });
    }
  }
  return {
    failures,
    get unresolved() {
      return inOrder(failures.filter(({ unresolved }) => unresolved)).map(told);
    },
    async each(verb, all, act) {
      for (const { name } of all) if (!indexes.has(name)) indexes.set(name, indexes.size);
      const failedBefore = failures.length;
      let ended = 0;
      const progress = () => {
        const failed = failures.length - failedBefore;
        const done = `${(ended - failed).toLocaleString("en")} of ${all.length.toLocaleString("en")} ${verb}`;
        const rest = failed === 0 ? "" : `, ${failed.toLocaleString("en")} failed`;
        session.tell(`${capitalised(subject)}: ${done}${rest}.`);
      };
      const timer = setInterval(progress, progressMs);
      try {
        await eachBounded(session.parallel, all, async (one) => {
          await attempt(one, act);
          ended += 1;
        });
      } finally {
        clearInterval(timer);
      }
    },
    lines: () => firstOf(inOrder(failures)),
    close: () => {
      const [warned, failed] = [inOrder(warnings), inOrder(failures)];
      for (const line of [...firstOf(warned), ...othersOf(warned)]) session.warn(line);
      const lines = new Set(firstOf(failed));
      for (const line of failed.filter(({ unresolved }) => unresolved).map(told)) {
        if (!lines.has(line)) session.warn(line);
      }
    },
  };
}

function told({ name, message }: Trouble): string {
  return `${JSON.stringify(name)}: ${message}`;
}

/** Those that may have left something come first. */
function firstOf(troubles: readonly Trouble[]): readonly string[] {
  const ordered = troubles.toSorted((a, b) => Number(b.unresolved) - Number(a.unresolved));
  const room = roomFor(troubles.length);
  const lines = ordered
    .slice(0, mostTold)
    .map((one) => inBounds(told(one), one.unresolved ? longestUnresolved : room));
  const more = moreThan(troubles, mostTold);
  return more === undefined ? lines : [...lines, more];
}

/** How long a line may be. */
function roomFor(count: number): number {
  return Math.min(longestUnresolved, Math.floor((mostTold * longestTold) / Math.min(count, mostTold)));
}

/** The ids that those speak of that are told in short, or not at all: without them nobody could find what was left. */
function othersOf(troubles: readonly Trouble[]): readonly string[] {
  const room = roomFor(troubles.length);
  const short = troubles.filter((one, index) => index >= mostTold || told(one).length > room);
  const pages: string[] = [];
  for (const id of short.flatMap(({ about = [] }) => about)) {
    const [page = "", text] = [pages.at(-1), inBounds(id, longestId)];
    if (page === "" || page.length + text.length > longestPage) pages.push(`other affected ids: ${text}`);
    else pages[pages.length - 1] = `${page}, ${text}`;
  }
  return pages;
}

/** Its message may hold anything. The others' results must not be lost to it. */
function unforeseen(error: unknown): string {
  const kind = error instanceof Error ? error.name : typeof error;
  return `unexpected error (${kind}), a bug in pulumi-apikeys: please report it. If the key was being created, look for a key with this name and customer that is not in state.`;
}
