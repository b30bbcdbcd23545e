/** Writes an object, and checks that the service applied the write (R4). */
import { CallError, recordOf, type Written } from "../client/send";
import { mask } from "../client/words";
import type { Session } from "./definition";
import { explain, Failure, ifElsewhere } from "./errors";
import { lookAfterRefusal, pollUntil } from "./existence";
import type { UpdatableField } from "./fields";
import { isSecret } from "./secrecy";
import {
  type ComparedField,
  caseFolded,
  hiddenIn,
  observedKey,
  type Properties,
  rewritten,
  same,
} from "./state";
import { sentences } from "./text";

/** The value that a field should have after a write. */
export interface Aim {
  readonly field: ComparedField;
  readonly value: unknown;
  /** Whether the service must have exactly this value. Otherwise it may rewrite a new value: trim it, for example. */
  readonly exact: boolean;
}

/** The aims of a write. A field that does not change may stay as the service rewrote it. `now`: what the service has before. */
export function aimsOf(
  fields: readonly UpdatableField[],
  declared: Properties,
  state: Properties,
  now: Properties,
): readonly Aim[] {
  const settled = { ...state, ...hiddenIn(state, observedKey) };
  return fields.map((field): Aim => {
    const { name, exact, isInOwnForm } = field;
    const stays = same(field, state[name], declared[name]) && same(field, settled[name], now[name]);
    const mayStay = stays && (!exact || isInOwnForm?.(declared[name], now[name]) === true);
    return { field, value: mayStay ? now[name] : declared[name], exact };
  });
}

export interface Writing<T> {
  /** The object before the write or, if a POST created it, in its answer. */
  readonly before: T;
  /** One for each field that the service shows. */
  readonly aims: readonly Aim[];
  readonly observe: (record: T) => Properties;
  readonly write: (seen: T, isAgain: boolean) => Promise<Written<T>>;
  /**
   * Whether the answer to a write shows the object, if it matches: it has all fields, and no read must confirm it. `before`:
   * the object as it was seen last.
   */
  readonly isShown: (answer: T, before: T) => boolean;
  /** The object; `undefined` if it is not found. */
  readonly read: () => Promise<T | undefined>;
  /** Called if the object is not found, or a write of it is refused: returns it after all, or throws the reason. */
  readonly explainMissing: () => Promise<T>;
}

export interface Settled<T> {
  /** The object as it was seen last. */
  readonly record: T;
  /** The aims that the record does not match. */
  readonly missed: readonly Missed[];
  /** The error that stopped it after something was sent. */
  readonly error?: unknown;
}

interface Missed {
  readonly aim: Aim;
  readonly has: unknown;
  /** Whether the service applied the change in its own way. Otherwise it did not apply it. */
  readonly isRewritten: boolean;
}

/** For an object that was not written, or that is not to be read again. */
export function settledAs<T>(record: T): Settled<T> {
  return { record, missed: [] };
}

/**
 * Writes the object, unless a POST has (`created`), and once more if an exact field does not match. Throws only if nothing was
 * sent, or the first request was refused: a later error must not lose an object that exists.
 */
export async function converge<T>(
  session: Session,
  { before, observe, aims, write, isShown, read, explainMissing }: Writing<T>,
  created?: Written<T>,
): Promise<Settled<T>> {
  const old = created === undefined ? observe(before) : undefined;
  const isStill = ({ field }: Aim, was: Properties, now: Properties) =>
    same(field, was[field.name], now[field.name]);
  const missedBy = (record: T): readonly Missed[] => {
    const now = observe(record);
    return aims.flatMap((aim): Missed[] => {
      const { field, value, exact } = aim;
      const has = now[field.name];
      if (same(field, value, has) || field.isInOwnForm?.(value, has) === true) return [];
      // A free value may differ in form.
      if (!exact && caseFolded(value) === caseFolded(has)) return [];
      const isUnchanged = old !== undefined && isStill(aim, old, now);
      return [{ aim, has, isRewritten: !exact && !isUnchanged }];
    });
  };
  const settledAt = (record: T): Settled<T> => ({ record, missed: missedBy(record) });
  let seen = before;
  let isSent = created !== undefined;

  /** Sets `seen` to the result of the write. `was`: the object as it was, if waiting for a change is worthwhile. */
  async function observeResult(written: Written<T>, was?: Properties): Promise<void> {
    const answer = recordOf(written);
    if (answer !== undefined && isShown(answer, seen) && missedBy(answer).length === 0) {
      seen = answer;
      return;
    }
    const isChanged = (record: T) => {
      if (was === undefined || missedBy(record).length === 0) return true;
      const now = observe(record);
      return !aims.every((aim) => isStill(aim, was, now));
    };
    const found = await pollUntil(session, read, (record) => record !== undefined && isChanged(record));
    seen = found ?? (await explainMissing());
  }
  try {
    const written = created ?? (await write(before, false));
    isSent = true;
    await observeResult(written, old);
    if (missedBy(seen).some(({ aim }) => aim.exact))
      await observeResult(await write(seen, true), observe(seen));
    return settledAt(seen);
  } catch (error) {
    const mayBeSent = isSent || (error instanceof CallError && error.verdict === "ambiguous");
    if (!mayBeSent) {
      await lookAfterRefusal(error, explainMissing);
      throw error;
    }
    // If nothing was seen since the write, state keeps the values from before.
    return { ...settledAt(seen), error };
  }
}

/** State after a write: the declared values or, where the service did not apply them, its own (R1). */
export function stateAfter<T, State extends Properties>(
  fields: readonly ComparedField[],
  declared: State,
  settled: Settled<T>,
  observe: (record: T) => Properties,
): State & { readonly [observedKey]: Properties | undefined } {
  const observed = observe(settled.record);
  const truth = Object.fromEntries(notApplied(settled).map(({ aim, has }) => [aim.field.name, has ?? ""]));
  const state = { ...declared, ...truth };
  return { ...state, [observedKey]: rewritten(fields, state, observed) };
}

// ---- Words ---------------------------------------------------------------------------------------------------------

/** A field's value in the words of a message, unless it is secret in any of these properties. */
export function showValue(all: readonly Properties[], field: string, value: unknown): string {
  return all.some((one) => isSecret(one, field)) ? mask : (JSON.stringify(value) ?? "none");
}

function notApplied<T>({ missed }: Settled<T>): readonly Missed[] {
  return missed.filter(({ isRewritten }) => !isRewritten);
}

interface Report {
  /** The attempt and its object: `Updating key "ci" in workspace ws_1`. */
  readonly doing: string;
  /** The properties whose secret fields are masked. */
  readonly secretIn: readonly Properties[];
  /** What state has, and the way out, if changes were not applied. */
  readonly state?: string;
  readonly ifOpen?: string | undefined;
}

/** Warns of values that the service may have rewritten. Returns why the write failed after something was sent, if it did. */
export function report<T>(
  session: Session,
  settled: Settled<T>,
  {
    doing,
    secretIn,
    state = "State has the values that the service last showed",
    ifOpen = "The next preview shows what is left to do; if the service always changes a value so, declare it that way",
  }: Report,
): Failure | undefined {
  const { error } = settled;
  const wordsOf = ({ aim: { field, value }, has }: Missed) =>
    `${field.name}: should be ${showValue(secretIn, field.name, value)}, the service has ${showValue(secretIn, field.name, has)}`;
  const subject = `${doing}:`;
  const open = notApplied(settled).map(wordsOf).join("; ");
  if (error === undefined) {
    for (const one of settled.missed.filter(({ isRewritten }) => isRewritten))
      session.warn(`${subject} ${wordsOf(one)}; it may have rewritten the value.`);
    if (open === "") return undefined;
    const reason = sentences("the service did not apply the change", open);
    return new Failure("notApplied", [reason, ifOpen, ifElsewhere(session)], { subject, state });
  }
  const notDone = "It is not known whether the change was applied";
  const advice = "Run `pulumi up` again, which sends the values in the program";
  return explain(error, session, { doing, notDone, state, advice, unclear: sentences(notDone, advice) });
}
