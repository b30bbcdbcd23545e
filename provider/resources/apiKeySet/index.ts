/**
 * Many API keys of a workspace as one resource, each under its own alias. Each is managed as an ApiKey with the same
 * inputs would be. One update creates, updates and replaces keys, then deletes those that are replaced or no longer
 * declared. Only another workspace replaces the set. Destroy deletes all its keys (interface, sections 2 and 4.1 to 4.5).
 */

import { randomUUID } from "node:crypto";
import { define, type Outcome, type Session } from "../../core/definition";
import { Failure } from "../../core/errors";
import { adopts } from "../apiKey/model";
import { identities } from "../apiKey/rules";
import { ifUnsaved } from "../apiKey/write";
import {
  type Applied,
  applySteps,
  createdKeys,
  failureOf,
  noKeys,
  type Owner,
  readKeys,
  removeKeys,
} from "../keys/operations";
import {
  existingIn,
  follows,
  idsIn,
  inputsOf,
  label,
  ownedKeys,
  type SetInputs,
  type SetState,
  shape,
  stateOf,
  toDelete,
} from "./entries";
import {
  changesNothing,
  isPending,
  keepsExisting,
  type Plan,
  plan,
  preview,
  previewNote,
  type SetUpdate,
} from "./plan";
import { rules } from "./rules";

export const apiKeySet = define({
  kind: "ApiKeySet",
  shape,
  label,
  objectKind: "ApiKey",
  managed: (id, state) => {
    const { workspaceId } = state;
    return [
      ...idsIn(state).map(([, keyId]) => ({ workspaceId, id: keyId, claim: id })),
      ...toDelete(state).map((key) => ({ workspaceId, id: key.id, claim: undefined })),
    ];
  },
  rules,
  identities: (declared) => existingIn(declared).flatMap(identities),
  adopts: (declared) => existingIn(declared).flatMap(adopts),
  plan: ({ state, inputs }) => plan(ownedKeys(state), inputs),
  pending: ({ plan }) => (isPending(plan) ? [] : undefined),
  keepsExisting: (compared) => keepsExisting(compared.plan),
  unchanged: (name, _value, compared) => name !== "workspaceId" && changesNothing(compared.plan),
  follows,
  createNote: (declared) => previewNote(plan(noKeys, declared)),
  updateNote: (compared) => previewNote(compared.plan),
  secretPath: (path) => {
    const [name, alias, ...rest] = path;
    return name === "keys" && alias !== undefined ? [name, "*", ...rest] : path;
  },
  previewCreate: (declared) => preview(plan(noKeys, declared)),
  previewUpdate: (compared) => preview(compared.plan),
  inputsOf,
  create,
  created: (state) => stateOf(state, createdKeys(ownedKeys(state))),
  ifUnsaved: (session, inputs) => ifUnsaved(session, [{}, ...existingIn(inputs)]),
  read,
  update,
  delete: remove,
});

/** The operations on a set. */

type SetOutcome = Outcome<SetState>;

const ownerOf = (set: SetInputs | SetState): Owner => ({
  workspaceId: set.workspaceId,
  label: label(set),
  stays: "The set stays in state: run the command again to delete the rest.",
});

async function create(session: Session, declared: SetInputs): Promise<SetOutcome> {
  const id = `keys-${randomUUID()}`;
  const { owned, batch } = await applyPlan(session, plan(noKeys, declared), id);
  const outcome = { id, state: stateOf(declared, owned) };
  if (batch.failed.size === 0) return outcome;
  const doing = `Creating the ${label(declared)}`;
  if (owned.byAlias.size > 0) return { ...outcome, ...failureOf(doing, batch) };
  const { summary, lines, unresolved } = batch;
  const what = unresolved.length === 0 ? "Nothing was created" : "None of them is in state";
  throw new Failure(`${doing}: ${summary}. ${what}; run \`pulumi up\` again after fixing the cause.`, {
    lines,
    unresolved: unresolved.length > 0,
  });
}

async function update(session: Session, { id, inputs: declared, plan }: SetUpdate): Promise<SetOutcome> {
  const { owned, batch } = await applyPlan(session, plan, id);
  return { id, state: stateOf(declared, owned), ...failureOf(`Updating the ${label(declared)}`, batch) };
}

function applyPlan(session: Session, { owned, inputs, steps }: Plan, claim: string): Promise<Applied> {
  const { workspaceId } = inputs;
  return applySteps(session, { workspaceId, owned, steps }, { claim, subject: label(inputs) });
}

async function read(session: Session, id: string, state: SetState): Promise<SetOutcome> {
  const before = ownedKeys(state);
  const now = await readKeys(session, ownerOf(state), before);
  const isSame =
    // In a state that was imported by hand, `ids` and `keys` may have other aliases.
    [state.ids, state.keys].every((all = {}) => Object.keys(all).length === before.byAlias.size) &&
    now.toDelete.length === before.toDelete.length &&
    Array.from(before.byAlias).every(([alias, key]) => now.byAlias.get(alias)?.state === key.state);
  return { id, state: isSame ? state : stateOf(state, now) };
}

async function remove(session: Session, id: string, state: SetState): Promise<void> {
  await removeKeys(session, id, ownerOf(state), ownedKeys(state));
}
