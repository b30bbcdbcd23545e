import { eachBounded } from "../../core/bounded";
import type { Session } from "../../core/definition";
import { capitalised, Failure, inBounds, listed, oneLine } from "../../core/errors";

/** Work on many keys at once: one that fails never stops the others, and users are told each reason once. */

/** How many of many reasons, names of a reason, or warnings are told. */
const mostTold = 20;
/** So many characters of each, or more where fewer are told: the last words say what to do. */
const longestTold = 300;
/** What may have been left behind in the service is named in it: the ids of ten keys, which must not be cut out. */
const longestUnresolved = 2_000;
const mostUnresolved = 10;
const longestName = 60;
const longestId = 100;
const longestPage = 3_500;
const progressMs = 3_000;

interface Told {
  readonly name: string;
  readonly message: string;
}

interface Trouble extends Told {
  /** Whether something may stand in the service that no state holds. */
  readonly unresolved: boolean;
  /** The message without what names the key, but for what was found of it. */
  readonly reason: (found: string) => string;
  readonly found: string;
  /** The ids that it speaks of, if it is a warning. */
  readonly about?: readonly string[];
}

/** A line of an error or a warning, and what it tells of. */
interface Line {
  readonly text: string;
  readonly of: readonly Trouble[];
  readonly unresolved: boolean;
}

/** One of many, by the name that messages call it, and by its id if it has one. */
export type Named<T = unknown> = T & { readonly name: string; readonly id?: string | undefined };
type Act<T> = (session: Session, one: T) => Promise<void>;

export interface Batch {
  /** Works on each, bounded; `verb` is what it has come to, for the user who waits: "created". */
  each<T extends Named>(verb: string, all: readonly T[], act: Act<T>): Promise<void>;
  readonly failures: readonly Told[];
  /** What may stand in the service and in no state. */
  readonly unresolved: readonly string[];
  /** A line for each reason, of those that most keys failed for first. */
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
  const inOrder = <T extends Told>(all: readonly T[]) =>
    all.toSorted((a, b) => (indexes.get(a.name) ?? 0) - (indexes.get(b.name) ?? 0));
  const unresolvedLines = () =>
    linesOf(inOrder(failures.filter(({ unresolved }) => unresolved))).map(({ text }) => text);

  async function attempt<T extends Named>(one: T, act: Act<T>): Promise<void> {
    const { name, id = name } = one;
    const part = session.part(name, (message, about = [], general = message) => {
      warnings.push({ name, message, about, unresolved: false, reason: () => general, found: "" });
    });
    try {
      await act(part, one);
    } catch (error) {
      const failure = error instanceof Failure ? error : new Failure(unforeseen(error), { unresolved: true });
      const { headline, unresolved, reason = () => headline, found } = failure;
      const said = (all: string) => oneLine(part.masked(reason(all)));
      const unnamed = (all: string) => (found === "" ? without(said(all), [name, id]) : said(all));
      failures.push({
        name,
        message: part.masked(headline),
        unresolved,
        reason: unnamed,
        found: part.masked(found),
      });
    }
  }
  return {
    failures,
    get unresolved() {
      return unresolvedLines();
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
    lines: () => firstOf(linesOf(inOrder(failures))),
    close: () => {
      const warned = warningLines(inOrder(warnings));
      for (const line of [...firstOf(warned), ...idsOf(warned)]) session.warn(line);
      const lines = new Set(firstOf(linesOf(inOrder(failures))));
      for (const line of unresolvedLines()) if (!lines.has(line)) session.warn(line);
    },
  };
}

function told({ name, message }: Told): string {
  return `${JSON.stringify(name)}: ${message}`;
}

/** A line for each reason; if something may have been left behind, as many as it takes to name each key. */
function linesOf(failures: readonly Trouble[]): readonly Line[] {
  const groups = Map.groupBy(failures, ({ unresolved, reason }) => `${unresolved} ${reason("")}`);
  return [...groups.values()]
    .toSorted((a, b) => b.length - a.length || Number(b[0]?.unresolved) - Number(a[0]?.unresolved))
    .flatMap((group) => (group[0]?.unresolved ? partsOf(group) : [group]).map(lineOf));
}

/** Parts that a line can name each key of, and all that was found of it, without a cut. */
function partsOf(group: readonly Trouble[]): readonly (readonly Trouble[])[] {
  const parts: Trouble[][] = [];
  for (const one of group) {
    const last = parts.at(-1) ?? [];
    const isFull = last.length === 0 || last.length === mostUnresolved;
    if (isFull || lineOf([...last, one]).text.length > longestUnresolved) parts.push([one]);
    else last.push(one);
  }
  return parts;
}

function lineOf(group: readonly Trouble[]): Line {
  const [first, ...others] = group as [Trouble, ...Trouble[]];
  const { unresolved } = first;
  if (others.length === 0) return { text: told(first), of: group, unresolved };
  const names = listed(
    group.map(({ name }) => inBounds(JSON.stringify(name), longestName)),
    mostTold,
  );
  const found = listed([...new Set(group.map((one) => one.found))]);
  const text = `For each of ${group.length.toLocaleString("en")} keys (${names}): ${first.reason(found)}`;
  return { text, of: group, unresolved };
}

function firstOf(all: readonly Line[]): readonly string[] {
  const room = roomFor(all.length);
  const lines = all
    .slice(0, mostTold)
    .map(({ text, unresolved }) => inBounds(text, unresolved ? longestUnresolved : room));
  const more = all.slice(mostTold).reduce((sum, line) => sum + line.of.length, 0);
  return more === 0 ? lines : [...lines, `and ${more.toLocaleString("en")} more`];
}

/** How long a line may be. */
function roomFor(count: number): number {
  return Math.min(longestUnresolved, Math.floor((mostTold * longestTold) / Math.min(count, mostTold)));
}

/** Each by itself, if there is room for all words: a cut may take the condition and leave the advice. */
function warningLines(warnings: readonly Trouble[]): readonly Line[] {
  const apart = warnings.map((one) => lineOf([one]));
  const room = apart.length > mostTold ? 0 : roomFor(apart.length);
  return apart.some(({ text }) => text.length > room) ? linesOf(warnings) : apart;
}

/** The ids of the warnings that don't name them whole: without them nobody could find what was left. */
function idsOf(lines: readonly Line[]): readonly string[] {
  const room = roomFor(lines.length);
  const short = lines.filter(
    ({ text, of }, index) => of.length > 1 || index >= mostTold || text.length > room,
  );
  const pages: string[] = [];
  for (const id of short.flatMap(({ of }) => of.flatMap(({ about = [] }) => about))) {
    const [page = "", text] = [pages.at(-1), inBounds(id, longestId)];
    if (page === "" || page.length + text.length > longestPage) pages.push(`affected ids: ${text}`);
    else pages[pages.length - 1] = `${page}, ${text}`;
  }
  return pages;
}

/** The text without names that the service itself may have put into its words. */
function without(text: string, names: readonly string[]): string {
  const spelled = names.map((name) => name.replace(/\W/g, "\\$&")).join("|");
  return text.replace(new RegExp(`(?<![\\w-])(${spelled})(?![\\w-])`, "g"), "…");
}

/** Its message may hold anything. The others' results must not be lost to it. */
function unforeseen(error: unknown): string {
  const kind = error instanceof Error ? error.name : typeof error;
  return `unexpected error (${kind}), a bug in pulumi-apikeys: please report it. If the key was being created, look for a key with this name and customer that is not in state.`;
}
