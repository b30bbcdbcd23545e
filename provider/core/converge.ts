/** Writes an object, and checks that the service applied the write (R4). */
import { CallError, recordOf, type Written } from "../client/send";
import { mask } from "../client/words";
import type { Session } from "./definition";
import { explain, Failure, InconclusiveError, ifElsewhere } from "./errors";
import { lookAfterRefusal, pollUntil } from "./existence";
import type { UpdatableField } from "./fields";
import { isSecret } from "./secrecy";
import {
  asLastSeen,
  type ComparedField,
  caseFolded,
  failedKey,
  fromEntries,
  observedKey,
  type Properties,
  rewritten,
  same,
} from "./state";
import { sentences } from "./text";

/**
 * The values that fields should have after a write. One that does not change may stay as the service rewrote it, and one that
 * is neither in the program nor in state stays as it is. `now`: what the service has before.
 */
function aimsOf({ fields, declared, state }: Change, now: Properties): Properties {
  const last = asLastSeen(state);
  const stays = (field: UpdatableField) => {
    const { name, exact, isInOwnForm } = field;
    const isSame = same(field, state[name], declared[name]) && same(field, last[name], now[name]);
    const mayStay = isSame && (!exact || isInOwnForm?.(declared[name], now[name]) === true);
    return mayStay || (declared[name] ?? state[name]) === undefined;
  };
  return Object.fromEntries(fields.map((one) => [one.name, (stays(one) ? now : declared)[one.name]]));
}

type Change = Pick<Writing<unknown>, "fields" | "declared" | "state">;

export interface Writing<T> {
  readonly fields: readonly UpdatableField[];
  readonly declared: Properties;
  /** Empty for an object that is new in state. */
  readonly state: Properties;
  /** The object before the write or, if a POST created it, in its answer. */
  readonly before: T;
  readonly observe: (record: T) => Properties;
  /** `body`: all fields (K1). A value that is no longer declared is cleared. */
  readonly write: (body: Properties, seen: T, isAgain: boolean) => Promise<Written<T>>;
  /**
   * Whether the answer to a write shows the object, if it matches: it has all fields, and no read must confirm it. `before`:
   * the object as it was seen last.
   */
  readonly isShown: (answer: T, body: Properties, before: T) => boolean;
  /** The object; `undefined` if it is not found. */
  readonly read: () => Promise<T | undefined>;
  /** Called if the object is not found, or a write of it is refused: returns it after all, or throws the reason. */
  readonly explainMissing: () => Promise<T>;
}

export interface Settled<T> {
  /** The object as it was seen last. */
  readonly record: T;
  /** The fields that are not as they should be. */
  readonly missed: readonly Missed[];
  /** Lines about changes made outside Pulumi. */
  readonly overwritten?: readonly string[];
  /** The error that stopped it after something was sent. */
  readonly error?: unknown;
}

interface Missed {
  readonly field: UpdatableField;
  readonly value: unknown;
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
export async function converge<T>(session: Session, writing: Writing<T>, created?: Written<T>) {
  const { fields, state, observe, write, isShown, read, explainMissing } = writing;
  const poll = async (isDone: (record: T) => boolean) =>
    (await pollUntil(session, read, (one) => one !== undefined && isDone(one))) ?? (await explainMissing());
  const changedIn = (record: T) => driftIn(writing, observe(record));
  let seen = writing.before;
  // A service may lag behind our last write.
  if (changedIn(seen).length > 0) seen = await poll((record) => changedIn(record).length === 0);
  const before = observe(seen);
  const overwritten = expectAsPreviewed(writing, changedIn(seen), before);
  const aims = aimsOf(writing, before);
  const valueFor = ({ name, empty = null }: UpdatableField) =>
    aims[name] ?? (state[name] === undefined ? undefined : empty);
  const body = fromEntries(fields.map((field) => [field.name, valueFor(field)]));
  const old = created === undefined ? before : undefined;
  const missedBy = (record: T): readonly Missed[] => {
    const now = observe(record);
    return fields.flatMap((field): Missed[] => {
      const [value, has] = [aims[field.name], now[field.name]];
      if (same(field, value, has) || field.isInOwnForm?.(value, has) === true) return [];
      // A free value may differ in form.
      if (!field.exact && caseFolded(value) === caseFolded(has)) return [];
      const isUnchanged = old !== undefined && same(field, old[field.name], has);
      return [{ field, value, has, isRewritten: !field.exact && !isUnchanged }];
    });
  };
  const settledAt = (record: T): Settled<T> => ({ record, missed: missedBy(record), overwritten });
  let isSent = created !== undefined;

  /** Sets `seen` to the result of the write. `was`: the object as it was, if waiting for a change is worthwhile. */
  async function observeResult(written: Written<T>, was?: Properties): Promise<void> {
    const answer = recordOf(written);
    const isChanged = (record: T) => {
      if (was === undefined || missedBy(record).length === 0) return true;
      const now = observe(record);
      return !fields.every((field) => same(field, was[field.name], now[field.name]));
    };
    const isEnough = answer !== undefined && isShown(answer, body, seen) && missedBy(answer).length === 0;
    seen = isEnough ? answer : await poll(isChanged);
  }
  try {
    const written = created ?? (await write(body, seen, false));
    isSent = true;
    await observeResult(written, old);
    if (missedBy(seen).some(({ field }) => field.exact))
      await observeResult(await write(body, seen, true), observe(seen));
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

/** The fields in state that the service has neither as after our last write nor as declared, in any form. */
export function driftIn({ fields, declared, state }: Change, now: Properties): Change["fields"] {
  // A write that failed halfway may have changed any.
  if (state[failedKey]) return [];
  const last = asLastSeen(state);
  return fields.filter((field) => {
    const { name, exact, isInOwnForm } = field;
    const [was, has] = [last[name], now[name]];
    const isForm = exact ? isInOwnForm?.(was, has) : caseFolded(was) === caseFolded(has);
    const isKnown = state[name] === undefined || same(field, was, has) || same(field, declared[name], has);
    return !isForm && !isKnown;
  });
}

/** Lines about drift that an update overwrites. Throws if it would revert rights, which no preview shows (K1). */
function expectAsPreviewed({ declared, state }: Change, changed: Change["fields"], now: Properties) {
  const show = (values: Properties, name: string) => showValue([declared, state], name, values[name]);
  const wordsOf = ({ name }: UpdatableField, has = "has") =>
    `${name}: the service ${has} ${show(now, name)}, state ${has} ${show(asLastSeen(state), name)}`;
  const reverted = changed.filter((one) => one.exact && same(one, state[one.name], declared[one.name]));
  if (reverted.length === 0)
    return changed.map((one) => `${wordsOf(one, "had")}; the update has overwritten it.`);
  const reason = "nothing was sent, because rights were changed outside Pulumi";
  const advice = `${reverted.map((one) => wordsOf(one)).join("; ")}. Run \`pulumi up --refresh\`: its preview shows the difference, and its update reverts it, unless the program declares the service's value`;
  throw new InconclusiveError("changedOutside", reason, advice);
}

/** State after a write: the declared values or, where the service did not apply them, its own (R1). */
export function stateAfter<T, State extends Properties>(
  fields: readonly ComparedField[],
  declared: State,
  settled: Settled<T>,
  observe: (record: T) => Properties,
): State & { readonly [observedKey]: Properties | undefined } {
  const observed = observe(settled.record);
  const truth = Object.fromEntries(notApplied(settled).map(({ field, has }) => [field.name, has]));
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
  const wordsOf = ({ field, value, has }: Missed) =>
    `${field.name}: should be ${showValue(secretIn, field.name, value)}, the service has ${showValue(secretIn, field.name, has)}`;
  const subject = `${doing}:`;
  const open = notApplied(settled).map(wordsOf).join("; ");
  if (error === undefined) {
    const others = settled.missed.filter(({ isRewritten }) => isRewritten).map(wordsOf);
    const rewritten = others.map((words) => `${words}; it may have rewritten the value.`);
    for (const line of [...(settled.overwritten ?? []), ...rewritten]) session.warn(`${subject} ${line}`);
    if (open === "") return undefined;
    const reason = sentences("the service did not apply the change", open);
    return new Failure("notApplied", [reason, ifOpen, ifElsewhere(session)], { subject, state });
  }
  const notDone = "It is not known whether the change was applied";
  const advice = "Run `pulumi up` again, which sends the values in the program";
  return explain(error, session, { doing, notDone, state, advice, unclear: sentences(notDone, advice) });
}
