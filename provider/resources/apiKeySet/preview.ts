import { distance } from "fastest-levenshtein";
import { capitalised } from "../../core/outcome";
import type { Properties } from "../../core/state";
import { isUnknown } from "../../core/unknown";
import { type Entry, holdingOf, label, listed, strays } from "./entries";
import { entriesIn, formerAlias } from "./inputs";
import { plan, type Step } from "./plan";

/** What a set's preview says besides the fields that change, since the engine shows no more than these. */

/** The keys that an update ends, or makes although nothing changes; and what it will refuse. */
export function foretold(state: Properties, inputs: Properties): string | undefined {
  // A map that is not known yet has no entries to be seen, and none is known to go.
  if (isUnknown(inputs["keys"])) return undefined;
  const holding = holdingOf(state);
  const steps = plan(holding, inputs);
  const { replace = [], remove = [], add = [] } = Object.groupBy(steps, ({ does }) => does);
  const without = new Set(strays(state).keys);
  const made = aliasesOf(add).filter((alias) => without.has(alias));
  const left = holding.left.map(({ name }) => name);
  const parts = [
    counted(aliasesOf(replace), "to be replaced, with a new secret"),
    counted(aliasesOf(remove), "to be deleted"),
    counted(left, "replaced before and still to be deleted"),
    counted(made, "without an id in state, to be created"),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const line = `${capitalised(label(inputs))}: ${parts.join("; ")}.`;
  const refusal = misnamed(steps, inputs);
  return refusal === undefined ? line : `${line} The update will be refused: ${refusal}`;
}

/**
 * What is wrong where a `renamedFrom` would not keep the key that it means, or seems to mean, which would be deleted.
 * check can't tell, since it has no state.
 */
export function misnamed(steps: readonly Step[], inputs: Properties): string | undefined {
  const going = new Map(
    steps.flatMap((step) => (step.does === "remove" ? [[step.alias, step.entry] as const] : [])),
  );
  if (going.size === 0) return undefined;
  const entries = new Map(entriesIn(inputs));
  const slips: string[] = [];
  const owners: string[] = [];
  for (const step of steps) {
    const former = formerAlias(entries.get(step.alias));
    if (step.does === "remove" || former === undefined) continue;
    const subject = `renamedFrom of ${listed([step.alias])}`;
    if (step.does === "add") {
      const meant = [...going.keys()].find((one) => isSlip(former, one));
      if (meant !== undefined) slips.push(`${subject} (${listed([meant])} is meant?)`);
    } else if (isUnseen(step, going.get(former))) {
      owners.push(`${subject} (${listed([former])})`);
    }
  }
  const problems = [
    inFull(
      slips,
      "names no key of this set, while the one that it seems to mean would be deleted. Name the right alias; or leave renamedFrom out, which makes a new key.",
    ),
    inFull(
      owners,
      "names a key that would be deleted, since this entry has one of its own after an up that failed halfway. Leave renamedFrom out, or give that key an alias that is new.",
    ),
  ].filter((problem) => problem !== undefined);
  return problems.length === 0 ? undefined : problems.join(" ");
}

type Standing = { readonly alias: string; readonly entry: Entry };

/**
 * Whether the entry came to its key, or the one that goes to its alias, by an update that failed halfway: of all others
 * check knows. What such an update made no program means by a `renamedFrom`, which may have stood there long before.
 */
function isUnseen({ alias, entry }: Standing, meant: Entry | undefined): boolean {
  if (meant === undefined || meant.was === "") return false;
  return meant.was !== undefined || (entry.was ?? alias) !== alias;
}

function inFull(subjects: readonly string[], problem: string): string | undefined {
  return subjects.length === 0 ? undefined : `${subjects.slice(0, 5).join(", ")} ${problem}`;
}

/** Whether somebody may have written the one for the other. Numbers tell keys apart that are named alike. */
function isSlip(written: string, meant: string): boolean {
  const [one, other] = [written.toLowerCase(), meant.toLowerCase()];
  const digits = (text: string) => text.replace(/\D/g, "");
  if (digits(one) !== digits(other)) return false;
  return distance(one, other) <= Math.min(2, Math.floor(Math.max(one.length, other.length) / 2));
}

function aliasesOf(steps: readonly Step[]): readonly string[] {
  return steps.map(({ alias }) => alias);
}

function counted(names: readonly string[], what: string): string | undefined {
  return names.length === 0 ? undefined : `${names.length.toLocaleString("en")} ${what}: ${listed(names)}`;
}
