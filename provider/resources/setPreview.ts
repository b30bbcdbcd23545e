import { distance } from "fastest-levenshtein";
import { capitalised } from "../outcome";
import type { Properties } from "../state";
import { isUnknown } from "../unknown";
import { type Holding, holdingOf, label, listed, strays } from "./setEntries";
import { entriesIn, formerAlias } from "./setInputs";
import { plan, type Step } from "./setPlan";

/** What a set's preview says besides the fields that change, since the engine shows no more than these. */

/** The keys that an update ends, or makes although nothing changes; and what it will refuse. */
export function foretold(state: Properties, inputs: Properties): string | undefined {
  // A map that is not known yet has no entries to be seen, and none is known to go.
  if (isUnknown(inputs["keys"])) return undefined;
  const holding = holdingOf(state);
  const { replace = [], remove = [], add = [] } = Object.groupBy(plan(holding, inputs), ({ does }) => does);
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
  const refusal = misnamed(holding, inputs);
  return refusal === undefined ? line : `${line} The update will be refused: ${refusal}`;
}

/**
 * What is wrong where a `renamedFrom` names nothing, and a key goes whose alias it seems to mean: that key would be
 * deleted, and another made. check can't tell, since it has no state.
 */
export function misnamed(holding: Holding, inputs: Properties): string | undefined {
  const { remove = [], add = [] } = Object.groupBy(plan(holding, inputs), ({ does }) => does);
  const entries = new Map(entriesIn(inputs));
  const going = aliasesOf(remove);
  const problems = aliasesOf(add).flatMap((alias) => {
    const former = formerAlias(entries.get(alias));
    const meant = former && going.find((one) => isSlip(former, one));
    return meant ? [`renamedFrom of ${listed([alias])} (${listed([meant])} is meant?)`] : [];
  });
  if (problems.length === 0) return undefined;
  return `${problems.slice(0, 5).join(", ")} names no key of this set, while the one that it seems to mean would be deleted. Name the right alias; or leave renamedFrom out, which makes a new key.`;
}

/** Whether somebody may have written the one for the other. */
function isSlip(written: string, meant: string): boolean {
  const [one, other] = [written.toLowerCase(), meant.toLowerCase()];
  return distance(one, other) <= Math.min(2, Math.floor(Math.max(one.length, other.length) / 2));
}

function aliasesOf(steps: readonly Step[]): readonly string[] {
  return steps.map(({ alias }) => alias);
}

function counted(names: readonly string[], what: string): string | undefined {
  return names.length === 0 ? undefined : `${names.length.toLocaleString("en")} ${what}: ${listed(names)}`;
}
