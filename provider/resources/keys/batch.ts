import type { Session } from "../../core/definition";
import { Failure } from "../../core/errors";
import { eachBounded } from "../../core/run";
import { capitalised, inBounds, listed, oneLine } from "../../core/text";

/** Work on many keys at once. A failing key doesn't stop the others, and each reason is told once. */

/** The most lines, and the most names in a line. */
const maxCount = 20;
/** The average length of a line, if there are so many. The end of a line is kept, because it says what to do. */
const averageLength = 300;
/** The length of a line that names keys which may be left behind: room for ten ids, because none may be cut out. */
const maxLength = 2_000;
const maxLeftBehind = 10;
const maxNameLength = 60;
const maxIdLength = 100;
const maxIdsLength = 3_500;
const progressMs = 3_000;

interface Message {
  readonly name: string;
  readonly message: string;
}

/** What went wrong with one key: an error or a warning. */
interface Trouble extends Message {
  /** Whether the service may have a key that is not in state. */
  readonly unresolved: boolean;
  /** The message without the key's name, so that messages about many keys can be grouped. `found`: keys that it lists. */
  readonly reason: (found: string) => string;
  readonly found: string;
  /** Of a warning: the ids in it. */
  readonly ids?: readonly string[];
}

/** A line for the user about one key, or about all with the same reason. */
interface Line {
  readonly text: string;
  readonly about: readonly Trouble[];
  readonly unresolved: boolean;
}

/** One of many things to do. `name` is what messages call it; `id` is the key's, if it has one. */
export type Item<T = unknown> = T & { readonly name: string; readonly id?: string | undefined };
type Act<T> = (session: Session, one: T) => Promise<void>;

export interface Batch {
  /** Works on a few at a time. `verb` is for the progress message: "5 of 10 created". */
  each<T extends Item>(verb: string, all: readonly T[], act: Act<T>): Promise<void>;
  readonly failures: readonly Message[];
  /** "3 of 200 failed". */
  readonly summary: string;
  /** The lines about keys that the service may have but state has not. */
  readonly unresolved: readonly string[];
  /** A line for each reason of failures, the most frequent first. */
  lines(): readonly string[];
  /** Prints the warnings, and the lines of `unresolved` that `lines` leaves out. */
  close(): void;
}

/** After Ctrl-C, what has not begun is left to the next run. */
export function failIfCancelled({ closed }: Session): void {
  if (closed.aborted) throw new Failure("Skipped: the run was canceled.");
}

export function openBatch(session: Session, subject: string): Batch {
  const failures: Trouble[] = [];
  const warnings: Trouble[] = [];
  /** Messages are in the order of the keys, however the work was scheduled. */
  const indexes = new Map<string, number>();
  const inOrder = <T extends Message>(all: readonly T[]) =>
    all.toSorted((a, b) => (indexes.get(a.name) ?? 0) - (indexes.get(b.name) ?? 0));
  const unresolvedLines = () =>
    linesOf(inOrder(failures.filter(({ unresolved }) => unresolved))).map(({ text }) => text);

  async function attempt<T extends Item>(one: T, act: Act<T>): Promise<void> {
    const { name, id = name } = one;
    const part = session.part(name, (message, ids = [], general = message) => {
      warnings.push({ name, message, ids, unresolved: false, reason: () => general, found: "" });
    });
    try {
      await act(part, one);
    } catch (error) {
      const failure = error instanceof Failure ? error : new Failure(unexpected(error), { unresolved: true });
      const { headline, unresolved, reason = () => headline, found } = failure;
      const full = (all: string) => oneLine(part.masked(reason(all)));
      const unnamed = (all: string) => (found === "" ? withoutNames(full(all), [name, id]) : full(all));
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
    get summary() {
      const failed = new Set(failures.map(({ name }) => name)).size;
      return `${failed.toLocaleString("en")} of ${indexes.size.toLocaleString("en")} failed`;
    },
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
        await eachBounded(all, async (one) => {
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

function alone({ name, message }: Message): string {
  return `${JSON.stringify(name)}: ${message}`;
}

/** A line for each reason; if keys may be left behind, as many as it takes to name them all. */
function linesOf(failures: readonly Trouble[]): readonly Line[] {
  const groups = Map.groupBy(failures, ({ unresolved, reason }) => `${unresolved} ${reason("")}`);
  return [...groups.values()]
    .toSorted((a, b) => b.length - a.length || Number(b[0]?.unresolved) - Number(a[0]?.unresolved))
    .flatMap((group) => (group[0]?.unresolved ? partsOf(group) : [group]).map(lineOf));
}

/** Splits a group so that each line has room for all its keys. */
function partsOf(group: readonly Trouble[]): readonly (readonly Trouble[])[] {
  const parts: Trouble[][] = [];
  for (const one of group) {
    const last = parts.at(-1) ?? [];
    const isFull = last.length === 0 || last.length === maxLeftBehind;
    if (isFull || lineOf([...last, one]).text.length > maxLength) parts.push([one]);
    else last.push(one);
  }
  return parts;
}

function lineOf(group: readonly Trouble[]): Line {
  const [first, ...others] = group as [Trouble, ...Trouble[]];
  const { unresolved } = first;
  if (others.length === 0) return { text: alone(first), about: group, unresolved };
  const names = listed(
    group.map(({ name }) => inBounds(JSON.stringify(name), maxNameLength)),
    maxCount,
  );
  const found = listed([...new Set(group.map((one) => one.found))]);
  const text = `For each of ${group.length.toLocaleString("en")} keys (${names}): ${first.reason(found)}`;
  return { text, about: group, unresolved };
}

function firstOf(all: readonly Line[]): readonly string[] {
  const room = roomFor(all.length);
  const lines = all
    .slice(0, maxCount)
    .map(({ text, unresolved }) => inBounds(text, unresolved ? maxLength : room));
  const more = all.slice(maxCount).reduce((sum, line) => sum + line.about.length, 0);
  return more === 0 ? lines : [...lines, `and ${more.toLocaleString("en")} more`];
}

function roomFor(count: number): number {
  return Math.min(maxLength, Math.floor((maxCount * averageLength) / Math.min(count, maxCount)));
}

/** A line for each warning if none has to be cut: a cut may drop the condition and keep the advice. */
function warningLines(warnings: readonly Trouble[]): readonly Line[] {
  const apart = warnings.map((one) => lineOf([one]));
  const room = apart.length > maxCount ? 0 : roomFor(apart.length);
  return apart.some(({ text }) => text.length > room) ? linesOf(warnings) : apart;
}

/** Lines with the ids in warnings that are grouped, cut or left out: nobody could find these keys without them. */
function idsOf(lines: readonly Line[]): readonly string[] {
  const room = roomFor(lines.length);
  const short = lines.filter(
    ({ text, about }, index) => about.length > 1 || index >= maxCount || text.length > room,
  );
  const pages: string[] = [];
  for (const id of short.flatMap(({ about }) => about.flatMap(({ ids = [] }) => ids))) {
    const [page = "", text] = [pages.at(-1), inBounds(id, maxIdLength)];
    if (page === "" || page.length + text.length > maxIdsLength) pages.push(`affected ids: ${text}`);
    else pages[pages.length - 1] = `${page}, ${text}`;
  }
  return pages;
}

/**
 * The service's own message may name the key too. Longer names stay: a regular expression of their size can't be
 * compiled.
 */
function withoutNames(text: string, names: readonly string[]): string {
  const short = names.filter((name) => name.length <= maxLength);
  if (short.length === 0) return text;
  const spelled = short.map((name) => name.replace(/\W/g, "\\$&")).join("|");
  return text.replace(new RegExp(`(?<![\\w-])(${spelled})(?![\\w-])`, "g"), "…");
}

/** The message of an unexpected error may contain anything, a secret too, so it is left out. */
function unexpected(error: unknown): string {
  const kind = error instanceof Error ? error.name : typeof error;
  return `unexpected error (${kind}), a bug in pulumi-apikeys: please report it. If the key was being created, look for a key with this name and customer that is not in state.`;
}
