/**
 * An API key that an update replaces by a new one when it is old enough, or when an input needs a new key. The previous
 * key stays valid for the overlap, so that its users have time to change.
 */

import { randomUUID } from "node:crypto";
import { define, type Former, type Outcome, type Session } from "../../core/definition";
import { Failure } from "../../core/errors";
import { certainlyChanged, containsUnknown, unknown } from "../../core/fields";
import { compareFields, type Plan } from "../../core/plan";
import { applyDrift, defined, failedKey, type Properties } from "../../core/state";
import { capitalised, listed } from "../../core/text";
import {
  adoptedId,
  adoptionNote,
  comparing,
  isLost,
  type KeyInputs,
  type OwnedKey,
  observe,
  secretAfter,
  updatable,
} from "../apiKey/model";
import { pathOf, readKeyOrFail } from "../apiKey/read";
import { identities } from "../apiKey/rules";
import { create as createKey, unsaved } from "../apiKey/write";
import type { OwnedKeys, Step } from "../keys/operations";
import * as keys from "../keys/operations";
import {
  dayMs,
  edited,
  fields,
  iso,
  label,
  msOf,
  needsNewKey,
  ownedKeys,
  type RotatingDraft,
  type RotatingInputs,
  type RotatingPlanArgs,
  type RotatingResource,
  type RotatingState,
  rules,
  type Shape,
  shape,
  stateOf,
  type Times,
  timesOf,
} from "./properties";

export const rotatingApiKey = define({
  kind: "RotatingApiKey",
  shape,
  objects: {
    kind: "ApiKey",
    of: (_id, state) => keys.objectsOf(ownedKeys(state)),
    identities,
  },
  rules,
  announce,
  plan,
  create: write,
  ifUnsaved: (inputs) => unsaved(label(inputs)),
  read,
  update: (session, { id }, declared, plan) => write(session, declared, plan, id),
  delete: (session, { state }, ownerOf) => keys.removeKeys(session, label(state), ownedKeys(state), ownerOf),
});

type RotatingOutcome = Outcome<RotatingState>;

/**
 * Makes the existing keys match the program, deletes those that are to be deleted, and only then creates a key, so that there
 * are never more than two. Without `id`, creates the resource with its first key.
 */
async function write(
  session: Session,
  declared: RotatingInputs,
  plan: RotatingPlan,
  id?: string,
): Promise<RotatingOutcome> {
  const { does } = plan;
  const doing = `Updating the ${label(declared)}`;
  let { rotatedAt, overlapFrom } = plan;
  const isRetiring = does === "retire" && (await mayRetire(session, plan, doing));
  if (does === "retire" && !isRetiring) overlapFrom = plan.time;
  const steps = Array.from(plan.owned.byAlias, ([alias, key]): Step => {
    const at = { alias, stateAlias: alias };
    if (isRetiring && alias === "previous") return { ...at, op: "delete", key };
    if (!mayDiffer(key, declared)) return { ...at, op: "same", key };
    return { ...at, op: "update", key, declared: edited(key, declared) };
  });
  let { owned, failure } = await keys.applySteps(session, doing, { owned: plan.owned, steps });
  if (failure === undefined && (does === "create" || does === "rotate")) {
    const another = { ...declared, existingKey: undefined, existingId: undefined };
    try {
      ({ owned, failure } = await makeKey(session, owned, id === undefined ? declared : another));
    } catch (error) {
      if (id === undefined || !(error instanceof Failure)) throw error;
      failure = error;
    }
    if (owned.byAlias.get("current")?.id !== plan.current?.id) {
      [rotatedAt, overlapFrom] = [plan.time, Number.NaN];
    }
  }
  // The overlap begins once the current key was seen to match the program.
  if (failure === undefined && Number.isNaN(overlapFrom)) {
    // If the clock is behind, the overlap would otherwise be over as soon as the clock is set right.
    overlapFrom = Math.max(plan.time, plan.rotatedAt || 0);
  }
  const next = stateOf(declared, owned, { rotatedAt, overlapFrom });
  const numbers = ["generation", "previousGeneration"] as const;
  const isMisnumbered = numbers.some((name) => next[name] !== declared[name]);
  const state = isMisnumbered ? { ...next, __misnumbered: true as const } : next;
  return { id: id ?? `rotating-${randomUUID()}`, state, failure };
}

/** Creates a key. Without its secret it doesn't become the current one: the next update deletes it (K6). */
async function makeKey(
  session: Session,
  { byAlias, toDelete }: OwnedKeys,
  declared: KeyInputs,
): Promise<{ readonly owned: OwnedKeys; readonly failure: Failure | undefined }> {
  const { failure, ...made } = await createKey(session, declared);
  if (isLost(made.state)) return { owned: { byAlias, toDelete: [...toDelete, made] }, failure };
  const rotated = keys.keysByAlias([
    ["current", failure ? { ...made, state: { ...made.state, [failedKey]: true as const } } : made],
    ["previous", byAlias.get("current") ?? byAlias.get("previous")],
  ]);
  return { owned: { byAlias: rotated, toDelete }, failure };
}

/** Whether the previous key can be deleted. Throws unless the current one is as in state: the other may be the only one that works. */
async function mayRetire(
  session: Session,
  { inputs, current, previous, overlapFrom }: Decision,
  doing: string,
): Promise<boolean> {
  if (current === undefined || previous === undefined) return false;
  const now = await readKeyOrFail(session, pathOf(current.state, current.id), doing);
  if (now === undefined || applyDrift(updatable, current.state, observe(now)) !== current.state) {
    const reason = `nothing was changed, because ${current.id}, the current key, was changed or deleted outside Pulumi. The previous key, ${previous.id}, would be deleted. Run \`pulumi up --refresh\`.`;
    throw new Failure("gone", reason, { subject: `${doing}:` });
  }
  if (inputs.retire === "afterOverlap") return true;
  const record = await readKeyOrFail(session, pathOf(previous.state, previous.id), doing);
  if (record === undefined) return true;
  const { lastUsedAt = "" } = record;
  const lastUse = /^\d{4}-\d\d-\d\d/.test(lastUsedAt) ? Date.parse(lastUsedAt) : Number.NaN;
  // Some services count the use of a key by days, and some tell the time without its zone.
  const isExact = /(Z|[+-]\d\d:\d\d)$/.test(lastUsedAt) && lastUse % dayMs !== 0;
  if (lastUse + (isExact ? 0 : dayMs) <= overlapFrom) return true;
  session.warn(
    `${capitalised(label(inputs))}: the previous key, ${previous.id}, is not deleted, because the service does not show that it was unused in its overlap (lastUsedAt: ${lastUsedAt || "none"}). It stays for another overlap; to delete it after that in any case, set retire to "afterOverlap".`,
  );
  return false;
}

/** Neither rotates nor deletes. A key that is gone leaves state; without the current key, the next update creates one. */
async function read(session: Session, { id, state }: RotatingResource): Promise<RotatingOutcome | undefined> {
  const owned = await keys.readKeys(session, label(state), ownedKeys(state));
  if (owned.byAlias.size === 0 && owned.toDelete.length === 0) return undefined;
  return { id, state: stateOf(state, owned, timesOf(state)) };
}

// ---- Plan ----------------------------------------------------------------------------------------------------------

type Decision = ReturnType<typeof decide>;
type RotatingPlan = Plan & Decision;

const newKeyFields = fields.filter(({ name }) => needsNewKey.some((one) => one === name));

function plan(args: RotatingPlanArgs): RotatingPlan {
  const { state, inputs } = args;
  const decision = decide(args);
  const adopted = state === undefined ? adoptedId(inputs) : undefined;
  const ofAdopted = adopted === undefined ? {} : { keyId: adopted, key: inputs.existingKey };
  const compared = compareFields(fields, args, comparing([...decision.owned.byAlias.values()], inputs));
  const isReplaced = compared.replaces.length > 0;
  const note = state === undefined ? adoptionNote(inputs) : noteAbout(decision);
  return {
    ...decision,
    ...compared,
    isPending: isPending(decision),
    note: isReplaced ? undefined : note,
    refusal: decision.does === "fail" && !isReplaced ? refusal(decision) : undefined,
    preview: () => ({ ...preview(decision), ...ofAdopted }),
  };
}

/**
 * The step of an update besides edits in place: one at a time, so that there are never more than two live keys. `create`
 * creates a key, because there is no current one. `rotate` creates one, and the current key becomes the previous. `retire`
 * deletes the previous key, and changes wait for the next update. `fail`: a change needs a new key while the previous one
 * still exists.
 */
type Does = "keep" | "create" | "rotate" | "retire" | "fail";

function decide({ state = {}, inputs, time }: RotatingPlanArgs) {
  const owned = ownedKeys(state);
  const [current, previous] = [owned.byAlias.get("current"), owned.byAlias.get("previous")];
  const { rotatedAt, overlapFrom } = timesOf(state);
  // The inputs whose change needs a new key.
  const renewing = certainlyChanged(newKeyFields, state, inputs);
  const has = { current: current !== undefined, previous: previous !== undefined };
  const does = stepDue(inputs, time, { rotatedAt, overlapFrom }, has, renewing.length > 0);
  return { state, inputs, time, rotatedAt, overlapFrom, owned, current, previous, does, renewing };
}

function stepDue(
  { rotateEvery, overlap }: RotatingDraft,
  time: number,
  { rotatedAt, overlapFrom }: Times,
  has: { readonly current: boolean; readonly previous: boolean },
  isRenewed: boolean,
): Does {
  if (!has.current) return "create";
  if (!has.previous) return isRenewed || time >= rotatedAt + msOf(rotateEvery) ? "rotate" : "keep";
  // An overlap of no length is over, whatever the clock says.
  const isOver = msOf(overlap) === 0 ? !Number.isNaN(overlapFrom) : time >= overlapFrom + msOf(overlap);
  return isOver ? "retire" : isRenewed ? "fail" : "keep";
}

/** Numbers the keys, so that the diff shows a new key, and the deletion of the previous one. */
function announce(inputs: RotatingDraft, { before = {}, time, isPreview }: Former<Shape>): RotatingDraft {
  const former = before as RotatingState;
  const { generation, previousGeneration, __schedule } = former;
  const times = timesOf({ ...former, ...__schedule });
  const has = { current: generation !== undefined, previous: previousGeneration !== undefined };
  const isChanged = certainlyChanged(newKeyFields, before, inputs).length > 0;
  const isRenewed = isChanged || __schedule?.["isWaiting"] === true;
  const does = stepDue(inputs, time, times, has, isRenewed);
  const isNew = does === "create" || does === "rotate";
  const rotatedAt = isNew ? time : times.rotatedAt;
  const overlapFrom = isNew ? Math.max(time, times.rotatedAt || 0) : times.overlapFrom;
  const schedule = {
    rotatedAt: iso(rotatedAt),
    retiresAt: iso(overlapFrom + msOf(inputs.overlap)),
    // A change that needs a new key waits for the deletion, and is no change of inputs any more.
    isWaiting: (does === "retire" && isRenewed) || undefined,
  };
  return {
    generation: isNew ? Number(generation ?? __schedule?.["last"] ?? 0) + 1 : generation,
    previousGeneration: does === "rotate" ? generation : does === "retire" ? undefined : previousGeneration,
    // A plan that is saved would else fix the time of the preview.
    __schedule: isPreview === undefined ? undefined : isPreview && isNew ? unknown : defined(schedule),
  };
}

/** Whether a key differs from the program in state, or may differ in the service, because its last write failed. */
function mayDiffer(key: OwnedKey, inputs: RotatingDraft): boolean {
  const { state } = key;
  const isGiven = secretAfter(key, inputs) !== state.key;
  return isGiven || state[failedKey] === true || certainlyChanged(updatable, state, inputs).length > 0;
}

/** A change that has waited for a deletion is already in the engine's inputs, so that the engine sees no change. */
function isPending({ inputs, does, previous, owned, overlapFrom }: Decision): boolean {
  if (does !== "keep" || owned.toDelete.length > 0) return true;
  return previous !== undefined && (Number.isNaN(overlapFrom) || mayDiffer(previous, inputs));
}

function noteAbout({ inputs, does, renewing, owned, current, previous }: Decision): string | undefined {
  const why = renewing.length > 0 ? `${listed(renewing)} changed` : `${current?.id} is due`;
  const condition =
    inputs.retire === "whenUnused" ? " if the service shows that it was unused in its overlap" : "";
  const steps: Readonly<Partial<Record<Does, string>>> = {
    create: "it has no current key: a new key will be created",
    rotate: `${why}: a new key will be created, and ${current?.id} stays valid for the overlap`,
    retire: `the overlap of ${previous?.id} is over: ${previous?.id} will be deleted${condition}`,
  };
  const parts = owned.toDelete
    .map(({ id }) => `${id}, whose secret is not in state, will be deleted`)
    .concat(steps[does] ?? []);
  return parts.length === 0 ? undefined : `${parts.join("; ")}.`;
}

function refusal({ renewing, previous }: Decision): Failure {
  const reason = `the change of ${listed(renewing)} needs a new key, and there are never more than two. The previous key, ${previous?.id}, still exists. Undo that change until an update has deleted it; to delete it without waiting, set overlap to "0d" and retire to "afterOverlap" until then.`;
  return new Failure("notRotated", reason, { subject: "The resource can't be updated:" });
}

/** The inputs that decide whether there will be a step. */
const deciding = [...needsNewKey, "rotateEvery", "overlap"] as const;

/** The outputs after an update that are not as after an edit of one key (R18). Those of a new key are unknown. */
function preview({ state, inputs, does, current, previous, rotatedAt, overlapFrom }: Decision): Properties {
  const ofNewKey = Object.fromEntries(Object.keys(shape.outputs).map((name) => [name, unknown]));
  const isOpen = does === "keep" && deciding.some((name) => containsUnknown(inputs[name]));
  if (does === "fail" || isOpen) return ofNewKey;
  const isNew = does === "create" || does === "rotate";
  const next = isNew ? (current ?? previous) : does === "retire" ? undefined : previous;
  const retiresAt = isNew ? undefined : iso(overlapFrom + msOf(inputs.overlap));
  const ofPrevious = {
    previousKey: next && secretAfter(next, inputs),
    previousKeyId: next?.id,
    retiresAt: next && (retiresAt ?? unknown),
  };
  if (isNew) return { ...ofNewKey, ...ofPrevious };
  // Changes that need a new key wait for the deletion.
  const waiting = does === "retire" ? needsNewKey : [];
  return {
    ...Object.fromEntries(waiting.map((name) => [name, state[name]])),
    key: current && secretAfter(current, inputs),
    rotatesAt: iso(rotatedAt + msOf(inputs.rotateEvery)) ?? unknown,
    ...(does === "retire" && inputs.retire !== "afterOverlap" ? {} : ofPrevious),
  };
}
