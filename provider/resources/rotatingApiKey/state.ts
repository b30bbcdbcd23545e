import { canonicalInputs, parsed } from "../../core/fields";
import { isSecret, type SecretPath } from "../../core/secrecy";
import {
  defined,
  failedKey,
  hiddenIn,
  nonEmpty,
  observedKey,
  type Properties,
  pick,
  secretsKey,
} from "../../core/state";
import {
  existing,
  type KeyInputs,
  type KeyState,
  fields as keyFields,
  shape as keyShape,
  updatable,
} from "../apiKey/properties";
import { follows as followsOfKey, isNamed, workspaceIn } from "../apiKey/state";
import { type KeyToDelete, type OwnedKey, toDeleteIn } from "../keys/owned";
import { msOf } from "./duration";
import type { RotatingDraft, RotatingInputs, RotatingState } from "./properties";

/** Turns a rotating key's state into ApiKey states, and back. */

export interface Keys {
  /** The key to use. There is none if it was deleted outside Pulumi, or its secret was lost. */
  readonly current?: OwnedKey | undefined;
  /** The key before it, which stays valid for the overlap. */
  readonly previous?: OwnedKey | undefined;
  /** Keys that were created without a secret. */
  readonly toDelete: readonly KeyToDelete[];
}

/** In ms since 1970, by the clock of the machine that the provider ran on. */
export interface Times {
  /** When the current key was created. */
  readonly rotatedAt?: number | undefined;
  /** The start of the overlap: when the current key was seen to match the program. */
  readonly overlapFrom?: number | undefined;
}

const outputNames = Object.keys(keyShape.outputs);
/** Only the first key can be one that exists already. */
const ofFirst: readonly string[] = existing;
const ofEachKey = keyFields
  .map(({ name }) => name)
  .filter((name) => name !== "workspaceId" && !ofFirst.includes(name));
const ofResource = ["workspaceId", ...ofFirst, "rotateEvery", "overlap", "retire", secretsKey];
const ofCurrent = [...ofEachKey, ...outputNames, observedKey];
/** Inputs that the previous key keeps, beside those that change on both keys. */
const keptOfPrevious = ["customerId", "expiresAt"];
const previousInputs = keyFields.filter(
  ({ name, onChange }) => onChange === "update" || keptOfPrevious.includes(name),
);
const ofPrevious = [...previousInputs.map(({ name }) => name), ...outputNames, observedKey, failedKey];

/** What messages call the resource. */
export function label(properties: RotatingDraft): string {
  const name = isNamed(properties) ? ` "${properties.name}"` : "";
  return `rotating key${name} in ${workspaceIn(properties)}`;
}

export function keysOf(state: RotatingState): Keys {
  const { keyId, previousKeyId, key, previousKey, existingKey, existingId } = state;
  const ofBoth = pick(state, ["workspaceId", secretsKey]);
  const entry = (id: string | undefined, own: Properties): OwnedKey | undefined =>
    id === undefined ? undefined : { id, state: { ...defined(own), ...ofBoth } as KeyState };
  const previous = hiddenIn(state, "__previous");
  return {
    current: entry(keyId, {
      ...pick(state, [...ofCurrent, failedKey]),
      existingKey: existingKey === key ? existingKey : undefined,
      existingId: existingId === keyId ? existingId : undefined,
    }),
    previous: entry(previousKeyId, {
      ...canonicalInputs(previousInputs, previous),
      ...parsed(keyShape.outputs, previous),
      [observedKey]: nonEmpty(hiddenIn(previous, observedKey)),
      [failedKey]: previous[failedKey],
      key: previousKey,
    }),
    toDelete: toDeleteIn(state.__toDelete, isSecret(state, "name")),
  };
}

export function timesOf(state: RotatingState): Times {
  const [rotatedAt, retiresAt] = [msAt(state.rotatedAt), msAt(state.retiresAt)];
  const overlap = msOf(state.overlap);
  const isRunning = state.previousKeyId !== undefined && retiresAt !== undefined && overlap !== undefined;
  return { rotatedAt, overlapFrom: isRunning ? retiresAt - overlap : undefined };
}

export function stateOf(
  declared: RotatingInputs | RotatingState,
  { current, previous, toDelete }: Keys,
  times: Times,
  lastUsed?: string,
): RotatingState {
  return defined({
    ...pick(declared, ofResource),
    ...(current === undefined ? pick(declared, ofEachKey) : pick(current.state, ofCurrent)),
    keyId: current?.id,
    previousKeyId: previous?.id,
    previousKey: previous?.state.key,
    ...datesOf(declared, { ...times, overlapFrom: previous && times.overlapFrom }),
    __previous: previous && nonEmpty({ ...pick(previous.state, ofPrevious), key: undefined }),
    __lastUsed: previous && lastUsed,
    __toDelete: nonEmpty(toDelete),
  }) as RotatingState;
}

/** When the current key was created, and what is due when; `undefined` for what is not known. */
export function datesOf({ rotateEvery, overlap }: RotatingDraft, { rotatedAt, overlapFrom }: Times) {
  return {
    rotatedAt: iso(rotatedAt),
    rotatesAt: iso(after(rotatedAt, rotateEvery)),
    retiresAt: iso(after(overlapFrom, overlap)),
  };
}

/** So long after a time; `undefined` where either is not known. */
export function after(ms: number | undefined, length: unknown): number | undefined {
  const added = msOf(length);
  return ms === undefined || added === undefined ? undefined : ms + added;
}

function msAt(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

export function iso(ms = Number.NaN): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The inputs of an existing key: the declared values where they can change, and its own otherwise. */
export function edited({ state }: OwnedKey, declared: RotatingInputs): KeyInputs {
  const own = pick(state, ["workspaceId", ...ofEachKey, ...ofFirst]);
  const wanted = [...updatable.map(({ name }) => name), secretsKey];
  return { ...own, ...pick(declared, wanted) } as unknown as KeyInputs;
}

/** The inputs of a new key. Only the first one is migrated, or adopted. */
export function newKey(declared: RotatingInputs, isFirst: boolean): KeyInputs {
  const existing = isFirst ? ofFirst : [];
  return pick(declared, ["workspaceId", ...ofEachKey, ...existing, secretsKey]) as unknown as KeyInputs;
}

const datesFrom: Readonly<Record<string, string>> = { rotateEvery: "rotatesAt", overlap: "retiresAt" };

/** Where else in state a value that the program made secret may be (R16). */
export function follows(path: SecretPath): readonly SecretPath[] {
  const date = datesFrom[path[0]];
  if (date !== undefined) return [[date]];
  const ofKey = followsOfKey(path);
  return [...ofKey, ...[path, ...ofKey].map((one): SecretPath => ["__previous", ...one])];
}
