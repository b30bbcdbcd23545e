/** Many API keys of a workspace as one resource, each managed as an ApiKey with the same inputs would be. */

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  define,
  type Former,
  type Outcome,
  type PlanArgs,
  type Resource,
  type Session,
} from "../../core/definition";
import { Failure } from "../../core/errors";
import { fieldsOf, isUnknown, unknown } from "../../core/fields";
import { changesAnything, compareFields, type Plan } from "../../core/plan";
import type { SecretPath } from "../../core/secrecy";
import { failedKey, fromEntries, isRecord, type Properties } from "../../core/state";
import { listed, numeral, spelled } from "../../core/text";
import type { KeyInputs, OwnedKey } from "../apiKey/model";
import { comparedKey, existing, isLost, needsNewKey, secretAfter } from "../apiKey/model";
import { fixedByExisting, identities } from "../apiKey/rules";
import { unsaved } from "../apiKey/write";
import type { OwnedKeys, Step, Steps } from "../keys/operations";
import * as keys from "../keys/operations";
import * as entries from "./entries";
import {
  entriesIn,
  label,
  ownedKeys,
  type SetDraft,
  type SetInputs,
  type SetState,
  type Shape,
  stateOf,
} from "./entries";

const setFields = fieldsOf(entries.shape.inputs);

export const apiKeySet = define({
  kind: "ApiKeySet",
  shape: { ...entries.shape, secretPaths },
  objects: {
    kind: "ApiKey",
    // Without what else is known of each key, which takes longer to put together.
    of: (_id, state) => [
      ...Object.values(state.ids ?? {}).map((id) => ({ workspaceId: state.workspaceId, id })),
      ...keys.objectsOf({ ...keys.noKeys, toDelete: keys.toDeleteIn(state) }),
    ],
    identities: (declared) =>
      entriesIn(declared).flatMap(([alias, entry]) =>
        entries.isReleased(entry)
          ? []
          : identities(entries.withDefaults(declared, alias, entry), ["keys", alias]),
      ),
  },
  rules: entries.rules,
  announce,
  plan,
  create: write,
  ifUnsaved: (inputs) => unsaved(label(inputs)),
  read,
  update: (session, { id }, declared, plan) => write(session, declared, plan, id),
  delete: (session, { state }, ownerOf) => keys.removeKeys(session, label(state), ownedKeys(state), ownerOf),
});

type SetOutcome = Outcome<SetState>;
type SetPlan = Plan & Steps;

/** A secret in one entry is secret in all. A default can be in `keys` too: the entry of a key that differs has all of it. */
function secretPaths(path: SecretPath): readonly SecretPath[] {
  const [name, alias, ...rest] = path;
  if (name === "defaults") return [path, ["keys", "*", ...path.slice(1)]];
  return [name === "keys" && alias !== undefined ? [name, "*", ...rest] : path];
}

/** Without `id`, creates the set: it is not saved if none of its keys was created. */
async function write(session: Session, declared: SetInputs, plan: SetPlan, id?: string): Promise<SetOutcome> {
  const doing = `${id === undefined ? "Creating" : "Updating"} the ${label(declared)}`;
  const { owned, failure } = await keys.applySteps(session, doing, plan);
  if (failure !== undefined && id === undefined && owned.byAlias.size === 0) throw failure;
  return { id: id ?? `keys-${randomUUID()}`, state: stateOf(declared, owned), failure };
}

async function read(session: Session, { id, state }: Resource<Shape>): Promise<SetOutcome> {
  const before = ownedKeys(state);
  const now = await keys.readKeys(session, label(state), before);
  return { id, state: now === before ? state : stateOf(state, now) };
}

// ---- Plan ----------------------------------------------------------------------------------------------------------

/** Counts up each entry's generation with every change that needs a new key, as far as inputs show it. */
function announce(inputs: SetDraft, { before, state }: Former<Shape>): SetDraft {
  if (before === undefined || !isRecord(inputs.keys)) return {};
  const former = new Map(entriesIn(before));
  const hasSameDefaults = isDeepStrictEqual(before.defaults, inputs.defaults);
  const all = entriesIn(inputs).map(([alias, entry]) => {
    const from = former.has(alias) ? alias : (entries.formerAlias(entry) ?? alias);
    const last = former.get(from);
    if (!isRecord(last) || !isRecord(entry)) return [alias, entry];
    const { generation: count = 1, isLost, ...declared } = last;
    // Most entries are the same, and take no longer than this.
    const isSame = hasSameDefaults && isDeepStrictEqual(declared, entry);
    const isBack = entries.isReleased(last) && !entries.isReleased(entry);
    // Only state shows that an entry names its own key.
    const own = { existingId: state?.ids?.[from], existingKey: state?.secrets?.[from] };
    const needsNew = () =>
      needsNewKey(
        entries.inputsOfEntry(before, from, last),
        entries.inputsOfEntry(inputs, alias, entry),
        own,
      );
    const isNew = isLost === true || isBack || (!isSame && needsNew());
    const generation = Number(count) + (isNew ? 1 : 0);
    return [alias, generation === 1 ? entry : { ...entry, generation }];
  });
  return { keys: Object.fromEntries(all) };
}

/** Decides for each key whether it stays, changes, is replaced, released or deleted. */
export function plan(args: PlanArgs<Shape>): SetPlan {
  const { state, inputs } = args;
  const owned = state === undefined ? keys.noKeys : ownedKeys(state);
  const steps = stepsOf(owned, inputs);
  // Whether no key and no alias changes, although the inputs may be spelled differently.
  const changesNothing = steps.every((step) => step.op === "same" && step.stateAlias === step.alias);
  const isOpen = ({ state }: OwnedKey) => isLost(state) || state[failedKey] === true;
  const released = steps.flatMap((step) => (step.op === "release" ? [step.key.id] : []));
  const compared = compareFields(setFields, args, {
    isSame: (name) => name !== "workspaceId" && changesNothing,
  });
  const isReplaced = compared.replaces.length > 0;
  return {
    ...{ owned, steps },
    ...compared,
    isPending: owned.toDelete.length > 0 || [...owned.byAlias.values()].some(isOpen),
    // The engine itself shows that all keys are replaced.
    note: isReplaced ? undefined : noteAbout(inputs, { owned, steps }),
    refusal: isReplaced ? undefined : refusalOf(steps),
    preview: () => preview(inputs, steps),
    objects: keys.objectsOf(owned).filter(({ id }) => !released.includes(id)),
  };
}

function stepsOf({ byAlias }: OwnedKeys, inputs: SetDraft): readonly Step[] {
  const all = entriesIn(inputs);
  const declared = new Set(all.map(([alias]) => alias));
  // Only state shows which key has a value (K5).
  const named = new Map(
    [...byAlias].flatMap(([alias, { id, state }]) => [
      [state.key, alias],
      [id, alias],
    ]),
  );
  const taken = new Set<string>();
  /** The alias in state of an entry's key: the entry's own, its former one, or that of the existing key that it names. */
  const aliasInState = (alias: string, entry: unknown, wanted: KeyInputs): string => {
    const own = byAlias.get(alias);
    const value = wanted.existingId ?? wanted.existingKey;
    if (own !== undefined && [own.state.key, own.id, undefined].includes(value)) return alias;
    const others = [own === undefined ? entries.formerAlias(entry) : undefined, value && named.get(value)];
    const isFree = (one: string | undefined) =>
      one !== undefined && byAlias.has(one) && !declared.has(one) && !taken.has(one);
    return others.find(isFree) ?? alias;
  };
  const kept = all.flatMap(([alias, entry]): readonly Step[] => {
    const wanted = entries.inputsOfEntry(inputs, alias, entry);
    const stateAlias = aliasInState(alias, entry, wanted);
    const key = byAlias.get(stateAlias);
    taken.add(stateAlias);
    if (entries.isReleased(entry))
      return key === undefined ? [] : [{ alias, stateAlias, op: "release", key }];
    return [{ alias, stateAlias, ...stepFor(key, wanted) }];
  });
  const removed = [...byAlias].filter(([alias]) => !taken.has(alias));
  return [...kept, ...removed.map(([alias, key]): Step => ({ alias, stateAlias: alias, op: "delete", key }))];
}

/** Whether an entry's key is the same after the update. */
const keepsKey = (step: Step): step is Step & { readonly key: OwnedKey } =>
  step.op === "same" || step.op === "update";

/** Why the update fails: an entry names the key of another that keeps it, or its own beside a change that needs a new key (K5, K11). */
function refusalOf(steps: readonly Step[]): Failure | undefined {
  const kept = new Set(steps.filter(keepsKey).flatMap(({ key }) => [key.id, key.state.key]));
  const problems = steps.flatMap((step) => {
    if (step.op !== "create" && step.op !== "replace") return [];
    const { alias, declared } = step;
    const at = (name: string) => spelled(["keys", alias, name]);
    if (step.op === "replace") {
      const { id, state } = step.key;
      const fixed = fixedByExisting(declared, { ...state, existingKey: state.key, existingId: id });
      if (fixed.length > 0) return fixed.map(({ path: [name], message }) => `${at(name)}: ${message}`);
    }
    const named = existing.find((name) => declared[name] !== undefined && kept.has(declared[name]));
    return named === undefined ? [] : [`${at(named)}: ${entries.twice}`];
  });
  if (problems.length === 0) return undefined;
  const more = problems.length > 10 ? `and ${numeral(problems.length - 10)} more` : undefined;
  const subject = "The resource can't be updated:";
  return new Failure("wrongInput", [...problems.slice(0, 10), more], { subject });
}

/** Decides as for an ApiKey. */
function stepFor(key: OwnedKey | undefined, wanted: KeyInputs) {
  if (key === undefined) return { op: "create", declared: wanted } as const;
  const { id, state } = key;
  const compared = comparedKey({ id, state, inputs: wanted });
  // Leaving existingKey or existingId out, or adding the key's own, goes into state without a request.
  const { existingKey, existingId, generation } = wanted;
  const same = { id, state: { ...state, existingKey, existingId, generation } };
  if (!changesAnything(compared) && state[failedKey] === undefined) return { op: "same", key: same } as const;
  return { op: compared.replaces.length === 0 ? "update" : "replace", key, declared: wanted } as const;
}

function noteAbout(inputs: SetDraft, { owned, steps }: Steps): string | undefined {
  if (isUnknown(inputs.keys)) return undefined;
  const isAdopted = (step: Step) => keys.adoptedBy(step) !== undefined;
  const isGiven = (step: Step) => "declared" in step && step.declared.existingKey !== undefined;
  const adopted = new Set(steps.map(keys.adoptedBy));
  const aliases = (is: (step: Step) => boolean) => steps.filter(is).map(({ alias }) => alias);
  const outcomes: Readonly<Record<string, readonly string[]>> = {
    "to keep under a new alias": aliases((step) => keepsKey(step) && step.stateAlias !== step.alias),
    "to adopt, with the given secret": aliases((step) => isAdopted(step) && isGiven(step)),
    "to adopt, without a secret": aliases((step) => isAdopted(step) && !isGiven(step)),
    "to replace, with a new secret": aliases((step) => step.op === "replace" && !isAdopted(step)),
    "to delete": aliases(
      (step) =>
        (step.op === "delete" || (step.op === "replace" && isAdopted(step))) && !adopted.has(step.key.id),
    ),
    "to release and leave in the service": aliases(({ op }) => op === "release"),
    "already replaced, still to delete": owned.toDelete.map(({ id }) => id).filter((id) => !adopted.has(id)),
  };
  const parts = Object.entries(outcomes).filter(([, names]) => names.length > 0);
  const words = parts.map(
    ([outcome, names]) =>
      `${numeral(names.length)} ${outcome}: ${listed(names.map((name) => JSON.stringify(name)))}`,
  );
  return words.length === 0 ? undefined : `${words.join("; ")}.`;
}

/** The outputs after an update, as far as they are known. */
function preview(inputs: SetDraft, steps: readonly Step[]): Properties {
  if (!isRecord(inputs.keys)) return {};
  const after = steps.flatMap((step) =>
    step.op === "delete" || step.op === "release" ? [] : [{ alias: step.alias, ...outputsOf(step) }],
  );
  const outputOf = (name: "id" | "maskedKey" | "key") =>
    fromEntries(after.map((key) => [key.alias, key[name]]));
  return { ids: outputOf("id"), maskedKeys: outputOf("maskedKey"), secrets: outputOf("key") };
}

function outputsOf(step: Exclude<Step, { readonly op: "delete" | "release" }>) {
  if (keepsKey(step)) {
    const { id, state } = step.key;
    const key = "declared" in step ? secretAfter(step.key, step.declared) : state.key;
    return { id, maskedKey: state.maskedKey ?? unknown, key };
  }
  const id = keys.adoptedBy(step);
  const key = id === undefined ? unknown : step.declared.existingKey;
  return { id: id ?? unknown, maskedKey: unknown, key };
}
