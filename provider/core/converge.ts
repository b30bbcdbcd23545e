/** Writes an object, and checks that the service applied the write (R4). */
import { CallError, recordOf, type Written } from "../client/send";
import { mask } from "../client/words";
import type { Session } from "./definition";
import { InconclusiveError, reasonOf } from "./errors";
import { caseFolded, type ManagedField, observedKey, type Properties, rewritten, same } from "./state";
import { sentences } from "./text";

/** The value that a field should have after a write. */
export interface Aim {
  readonly field: ManagedField;
  readonly value: unknown;
  /** Whether the service must have exactly this value. Otherwise it may rewrite a new value: trim it, for example. */
  readonly exact: boolean;
  /** Whether the value is one that should stay, instead of one that the program declares. */
  readonly kept?: boolean;
}

/** A write of one object. */
export interface Convergence<T, Body> {
  /** For the progress line "Waiting for …": "key key_1 to match the program". */
  readonly waitingFor: string;
  /** The object before the write or, if the write created it, in its answer. */
  readonly last: T;
  /** Whether the object existed before. */
  readonly isEdit: boolean;
  /** All fields that the service shows, managed or not. */
  readonly fields: readonly ManagedField[];
  readonly observe: (record: T) => Properties;
  readonly aims: readonly Aim[];
  /** What an attempt sends; `undefined` to give up. */
  readonly body: (attempt: number, seen: T) => Body | undefined;
  readonly send: (body: Body) => Promise<Written<T>>;
  /**
   * Whether the answer to a write shows the object, if it matches: it has all fields, and no read must confirm it. `before`:
   * the object as it was seen last.
   */
  readonly isShown: (answer: T, before: T) => boolean;
  /** The object; `undefined` if it is not found. */
  readonly read: () => Promise<T | undefined>;
  /** Called if the object is not found: returns it after all, or throws the reason. */
  readonly explainMissing: () => Promise<T>;
  readonly say: Say;
}

/** A field's value in the words of a message, unless it is secret. */
export type Say = (field: string, value: unknown) => string;

export interface Settled<T> {
  /** What was seen last. */
  readonly record: T;
  readonly notApplied: readonly NotApplied[];
  readonly warnings: readonly string[];
  /** What stopped it after something was sent. */
  readonly error?: unknown;
  /** Whether the object has not been seen since the write. */
  readonly unseen?: true;
  /** Why the answer to the last write does not show the object. */
  readonly problem?: string | undefined;
}

/** For an object that was not written, or that is not to be read again. */
export function settledAs<T>(record: T): Settled<T> {
  return { record, notApplied: [], warnings: [] };
}

interface NotApplied {
  readonly field: string;
  readonly words: string;
}

/**
 * Sends writes until the object matches the aims, or there is nothing left to send. Throws only if nothing was sent, or the
 * first request was refused: a later error must not lose an object that exists.
 */
export async function converge<T, Body>(
  session: Session,
  convergence: Convergence<T, Body>,
  created?: Written<T>,
): Promise<Settled<T>> {
  const { last, isEdit, observe, aims, body, send } = convergence;
  const exactAims = aims.filter(({ exact }) => exact);
  const matches = (record: T, which = aims) => {
    const now = observe(record);
    return which.every(({ field, value }) => same(field, value, now[field.name]));
  };
  let seen = last;
  let isSent = created !== undefined;
  let isSeen = created !== undefined;
  /** Whether a wait ended with the object still as it was: then later attempts don't wait again. */
  let hasWaitedInVain = false;
  let problem: string | undefined;

  /** Sets `seen` to what the write came to. `before`: the object as it was, if waiting for a change is worthwhile. */
  async function observeResult(written: Written<T>, before: T | undefined): Promise<void> {
    const answer = recordOf(written);
    problem = written.deferred ? "the service answered 202" : written.problem;
    if (answer !== undefined && convergence.isShown(answer, seen) && matches(answer)) {
      seen = answer;
      return;
    }
    const isStill = (record: T) =>
      before !== undefined && isSame(convergence.fields, observe(before), observe(record));
    const found = await pollUntil(session, {
      waitingFor: convergence.waitingFor,
      look: convergence.read,
      isDone: (record) => record !== undefined && (matches(record) || !isStill(record)),
    });
    seen = found ?? (await convergence.explainMissing());
    hasWaitedInVain ||= before !== undefined && isSame(convergence.fields, observe(last), observe(seen));
  }
  try {
    if (created !== undefined) await observeResult(created, undefined);
    for (let attempt = created === undefined ? 0 : 1; ; attempt += 1) {
      if (attempt > 0 && matches(seen, exactAims)) break;
      const next = body(attempt, seen);
      if (next === undefined) break;
      const written = await send(next);
      isSent = true;
      await observeResult(written, hasWaitedInVain ? undefined : seen);
      isSeen = true;
    }
    return { record: seen, ...compareWithAims(convergence, seen), problem };
  } catch (error) {
    if (!isSent && !(error instanceof CallError && error.verdict === "ambiguous")) throw error;
    if (!isSeen && isEdit) {
      // It is not known which changes were applied, so state keeps the values from before.
      const before = observe(last);
      const open = aims.filter(({ field, value }) => !same(field, value, before[field.name]));
      const notApplied = open.map(({ field }) => ({ field: field.name, words: "" }));
      return { record: last, notApplied, warnings: [], unseen: true, error };
    }
    return { record: seen, ...compareWithAims(convergence, seen), error };
  }
}

function isSame(fields: readonly ManagedField[], before: Properties, now: Properties): boolean {
  return fields.every((field) => same(field, before[field.name], now[field.name]));
}

type Aimed<T> = Pick<Convergence<T, unknown>, "last" | "isEdit" | "observe" | "aims" | "say">;

/** Finds the fields that were not applied. Warns of values that the service may have rewritten. */
function compareWithAims<T>(
  { last, isEdit, observe, aims, say }: Aimed<T>,
  record: T,
): Pick<Settled<T>, "notApplied" | "warnings"> {
  const [before, now] = [observe(last), observe(record)];
  const notApplied: NotApplied[] = [];
  const warnings: string[] = [];
  for (const { field, value, exact, kept } of aims) {
    const { name } = field;
    if (same(field, value, now[name])) continue;
    const stayed = isEdit && same(field, before[name], now[name]);
    const said = say(name, value);
    const words = `${name}: ${kept ? `should be ${said} again` : `the program has ${said}`}, the service ${stayed && !kept ? "still has" : "has"} ${say(name, now[name])}`;
    if (exact) notApplied.push({ field: name, words });
    else if (kept)
      warnings.push(
        `${name}, which is not declared, was ${said} before the write and is ${say(name, now[name])} now.`,
      );
    else if (caseFolded(value) === caseFolded(now[name])) continue;
    else if (stayed || keepsRemoved(value, before[name], now[name])) notApplied.push({ field: name, words });
    else warnings.push(`${words}; it may have rewritten the value.`);
  }
  return { notApplied, warnings };
}

/** Whether a list still has an entry that the write should have removed: the service merges, or somebody else added to it. */
function keepsRemoved(wanted: unknown, before: unknown, now: unknown): boolean {
  if (!Array.isArray(wanted) || !Array.isArray(before) || !Array.isArray(now)) return false;
  return before.some((entry) => now.includes(entry) && !wanted.includes(entry));
}

/** State after a write: the declared values or, where the service did not apply them, its own (R1). */
export function stateAfter<T, State extends Properties>(
  fields: readonly ManagedField[],
  declared: State,
  { record, notApplied }: Settled<T>,
  observe: (record: T) => Properties,
): State & { readonly [observedKey]: Properties | undefined } {
  const observed = observe(record);
  const truth = Object.fromEntries(notApplied.map(({ field }) => [field, observed[field] ?? ""]));
  const state = { ...declared, ...truth };
  return { ...state, [observedKey]: rewritten(fields, state, observed) };
}

const wordsOf = (notApplied: readonly NotApplied[]) => notApplied.map(({ words }) => words).join("; ");

/** What of a write the service did not apply, and what it said, if it did not answer with the object. */
export function notAppliedWords<T>({ notApplied, problem }: Settled<T>): string {
  const said = problem === undefined ? "" : ` (${problem})`;
  return `the service did not apply the change${said}. ${wordsOf(notApplied)}`;
}

/** Why a write failed after something was sent, if it did: a phrase to follow what was tried. */
export function failureOf<T>(session: Session, settled: Settled<T>): string | undefined {
  const { error, notApplied, unseen } = settled;
  const rest = unseen
    ? "It is not known whether the change was applied: state has the previous values"
    : sentences(wordsOf(notApplied), "State has the values that the service last showed");
  if (error === undefined) {
    if (notApplied.length === 0) return undefined;
    return `${notAppliedWords(settled)}. State has what the service has, and the next preview shows what is left to do.`;
  }
  const again = "Run `pulumi up` again, which sends the values in the program";
  // An unexpected error must not lose an object that exists. Its message may contain secrets.
  if (!(error instanceof CallError || error instanceof InconclusiveError)) {
    return sentences("unexpected error, a bug in pulumi-apikeys", rest, again);
  }
  return reasonOf(error, session, { notDone: rest, again }).reason;
}

/** The words for a field's value, or a mask if the field is secret. */
export function saying(isSecret: (field: string) => boolean, words: Say): Say {
  return (field, value) => (isSecret(field) ? mask : words(field, value));
}

// ---- Polling -------------------------------------------------------------------------------------------------------

/** A service may carry out a write, or show it, a little later. These pauses between two reads take 8.1 s in all. */
export const pausesMs: readonly number[] = [300, 600, 1_200, 2_400, 3_600];

interface Polling<T> {
  /** Completes the progress line "Waiting for …": "key key_1 to be deleted". */
  readonly waitingFor: string;
  readonly look: () => Promise<T>;
  readonly isDone: (seen: T) => boolean;
  readonly pauses?: readonly number[];
}

/** Looks now, and after each pause until it is done. Returns what it saw last, done or not. */
export async function pollUntil<T>(
  session: Pick<Session, "pause" | "over" | "tell">,
  { waitingFor, look, isDone, pauses = pausesMs }: Polling<T>,
): Promise<T> {
  let seen = await look();
  for (const [index, ms] of pauses.entries()) {
    if (isDone(seen) || session.over.aborted) break;
    if (index === 1) session.tell(`Waiting for ${waitingFor}.`);
    await session.pause(ms);
    seen = await look();
  }
  return seen;
}

/** Waits, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resume, ms);
    function resume(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", resume);
      resolve();
    }
    if (signal.aborted) resume();
    else signal.addEventListener("abort", resume);
  });
}
