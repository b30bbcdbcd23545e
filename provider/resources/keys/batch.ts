/** Works on many keys at once. A failing key doesn't stop the others, and each reason is said once. */

import { coded } from "../../core/codes";
import type { Session, Warn } from "../../core/definition";
import { asFailure, Failure } from "../../core/errors";
import { eachBounded } from "../../core/run";
import { listed, numeral, quoted, sentences } from "../../core/text";
import { type KeyInputs, maskKey, type OwnedKey } from "../apiKey/model";

/** One of many things to do, about a key in state or a declared one. `alias` is what messages call it. */
interface Item {
  readonly alias: string;
  readonly key?: OwnedKey;
  readonly declared?: KeyInputs;
}

/** An error or a warning of one key. */
interface Trouble {
  readonly name: string;
  readonly message: string;
  /** The message without the key's name and what state has, so that keys with the same trouble share a line. */
  readonly reason: string;
  /** The keys that the message lists at its end. */
  readonly found: string;
  /** Whether the service may have a key that is not in state. Such a key is always named. */
  readonly unresolved: boolean;
}

const mostLines = 20;
/** With their ids, these fit into a line that is not cut (`inBounds`). */
const mostNames = 10;

/**
 * Does the same with each key, a few at a time, and then prints their warnings. Returns the failure if any has failed, with a
 * line for each reason. `outcome`: what state has then.
 */
export async function eachKey<T extends Item>(
  session: Session,
  { doing, outcome }: { readonly doing: string; readonly outcome: string },
  all: readonly T[],
  act: (part: Session, one: T) => Promise<void>,
): Promise<Failure | undefined> {
  const warnings: Trouble[] = [];
  const failed = new Map<T, Trouble>();
  let done = 0;
  await eachBounded(session.setup.keysAtOnce, all, async (one, aside) => {
    const { alias, key, declared } = one;
    const warn: Warn = (reason, found = "") => {
      const message = sentences(reason, found);
      warnings.push({ name: alias, message, reason, found, unresolved: found !== "" });
    };
    try {
      // After Ctrl-C, what has not begun is left to the next run.
      if (session.closed.aborted) throw new Failure("interrupted", `Skipped: ${session.closed.reason}.`);
      const actOn = (part: Session) => {
        maskKey(part, key?.state ?? {}, declared ?? {});
        return act(part, one);
      };
      await session.part(warn, actOn, aside);
    } catch (error) {
      failed.set(one, troubleOf(alias, error));
    }
    done += 1;
    session.progress(`${doing}: ${numeral(done)} of ${numeral(all.length)}`);
  });
  for (const line of linesOf(warnings)) session.warn(line);
  if (failed.size === 0) return undefined;
  // In the order of the keys, whichever was first.
  const failures = all.flatMap((one) => failed.get(one) ?? []);
  const summary = `${numeral(failures.length)} of ${numeral(all.length)} failed`;
  const parts = [summary, `${outcome}. Do what the lines below say, then run the command again`];
  const unresolved = failures.some((one) => one.unresolved);
  return new Failure("severalKeys", parts, { subject: `${doing}:`, lines: linesOf(failures), unresolved });
}

function troubleOf(name: string, error: unknown): Trouble {
  const { kind, parts, options } = asFailure(error);
  const { headline: message } = new Failure(kind, parts, { ...options, state: undefined });
  const { found = "", unresolved = false } = options;
  return { name, message, reason: coded(kind, sentences(...[parts].flat())), found, unresolved };
}

/** The lines of each reason, the most frequent first: not all if there are too many, but those of all unresolved keys. */
function linesOf(troubles: readonly Trouble[]): readonly string[] {
  const byReason = Map.groupBy(troubles, ({ reason }) => reason);
  const groups = [...byReason.values()].toSorted((a, b) => b.length - a.length);
  const parts = groups.flatMap((group) => {
    if (!group[0]?.unresolved) return [group];
    const count = Math.ceil(group.length / mostNames);
    return Array.from({ length: count }, (_, nth) => group.slice(nth * mostNames, (nth + 1) * mostNames));
  });
  const shown = parts.filter(([first], index) => first?.unresolved || index < mostLines);
  const rest = parts.length - shown.length;
  return [...shown.map(lineOf), ...(rest === 0 ? [] : [`and ${rest} more`])];
}

function lineOf(group: readonly Trouble[]): string {
  const [{ message, reason }] = group as [Trouble];
  const names = group.map(({ name }) => quoted(name));
  if (group.length === 1) return `${names[0]}: ${message}`;
  const found = group.map((one) => one.found).filter((ids) => ids !== "");
  return `For each of ${numeral(group.length)} keys (${listed(names, mostNames)}): ${sentences(reason, found.join(", "))}`;
}
