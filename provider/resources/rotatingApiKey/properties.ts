/** The inputs and outputs of a rotating key: an ApiKey's, and when it rotates. */

import * as z from "zod/mini";
import type { DraftOf, InputsOf, PlanArgs, Resource, StateOf } from "../../core/definition";
import {
  aMap,
  aMark,
  announced,
  aString,
  defaulted,
  fieldsOf,
  list,
  map,
  number,
  required,
  secret,
  stable,
  string,
} from "../../core/fields";
import { defined, failedKey, nonEmpty, type Properties, pick, secretsKey } from "../../core/state";
import { quoted } from "../../core/text";
import { apiKey } from "../apiKey";
import type { KeyInputs, KeyState, OwnedKey } from "../apiKey/model";
import * as keyModel from "../apiKey/model";
import { contradictions, fixedByExisting, lineOf } from "../apiKey/rules";
import { keysByAlias, type OwnedKeys, toDeleteIn, toDeleteOf } from "../keys/operations";

export const dayMs = 86_400_000;
const unitMs: Readonly<Record<string, number>> = { h: dayMs / 24, d: dayMs, w: 7 * dayMs };
const form = /^(\d{1,5})([hdw])$/;
const wrongForm = 'must be a whole number of hours, days or weeks, such as "36h", "90d" or "12w"';
const duration = z.string({ error: wrongForm }).check(z.regex(form, { error: wrongForm }));

/** NaN if it is not a length of time, or not known yet. */
export function msOf(length: unknown): number {
  const [, count, unit = ""] = form.exec(String(length)) ?? [];
  return Number(count) * (unitMs[unit] ?? Number.NaN);
}

const update = { onChange: "update" } as const;
const local = { ...update, local: true } as const;
/** Another value replaces the resource. */
const replacing = ["workspaceId", ...keyModel.existing] as const;

/** Inputs that an existing key can't change: another value needs a new key, which is an update of the resource. */
export const needsNewKey = keyModel.fields
  .filter(({ name, onChange }) => onChange === "replace" && !replacing.some((one) => one === name))
  .map(({ name }) => name) as readonly (keyof typeof keyModel.inputs)[];

const inPlace = Object.entries(keyModel.inputs).map(([name, input]) => [
  name,
  needsNewKey.some((one) => one === name) ? { ...input, ...update } : input,
]);

const inputs = {
  ...(Object.fromEntries(inPlace) as typeof keyModel.inputs),
  rotateEvery: required(duration, { ...local, canonical: string }),
  overlap: defaulted(z.nullish(duration), { ...local, canonical: string, default: "7d" }),
  retire: defaulted(z.nullish(z.enum(["afterOverlap", "whenUnused"])), {
    ...local,
    canonical: string,
    default: "afterOverlap",
  }),
};

export const shape = {
  inputs,
  announced: {
    /** The number of the current key, from 1. Without one, it is absent from inputs, and state has the last one's. */
    generation: announced(number),
    /** That of the previous key, while there is one. */
    previousGeneration: announced(number),
    /** Keys that were created without a secret, and are still to be deleted. */
    toDelete: announced(list),
    /** What check needs to know what is due, where it sees no state. Only in inputs. */
    __schedule: announced(map),
  },
  outputs: {
    ...keyModel.shape.outputs,
    keyId: stable(aString),
    previousKey: secret(aString),
    previousKeyId: aString,
    rotatedAt: stable(aString),
    rotatesAt: aString,
    retiresAt: aString,
  },
  hidden: {
    /** The previous key's state, as that of an ApiKey, without its secret. */
    __previous: aMap,
    /** `__failed` of the current key: that of the resource may mean another one. */
    __currentFailed: aMark,
    /** Set when there are other keys than the inputs announced. The next read returns inputs that are right. */
    __misnumbered: aMark,
  },
  inputsOf,
};

export type Shape = typeof shape;
export type RotatingInputs = InputsOf<Shape>;
export type RotatingDraft = DraftOf<Shape>;
export type RotatingState = StateOf<Shape>;
export type RotatingPlanArgs = PlanArgs<Shape>;
export type RotatingResource = Resource<Shape>;

export const fields = fieldsOf(inputs);

/**
 * Check failures of a rotating key. While existingKey or existingId stays, an ApiKey refuses changes that only rotate this
 * resource. A change of workspaceId replaces it, so only that is refused here (K5, K11).
 */
export function rules(declared: RotatingDraft, before: RotatingDraft | undefined): readonly string[] {
  const fixed = fixedByExisting(declared, before).filter(({ path: [field] }) => field === "workspaceId");
  const overlap = msOf(declared.overlap ?? "7d");
  // Without an overlap, each update would ask again whether the key is unused.
  const isEndless = overlap === 0 && declared.retire === "whenUnused";
  const isWrong = isEndless || overlap >= msOf(declared.rotateEvery);
  const wrong =
    'overlap: must be shorter than rotateEvery, and longer than "0d" with retire "whenUnused" (its default is "7d"). There are never more than two keys.';
  return [...[...contradictions(declared), ...fixed].map(lineOf), ...(isWrong ? [wrong] : [])];
}

/** In ms since 1970, by the clock of the machine that the provider ran on. NaN if state has no such time. */
export interface Times {
  /** When the current key was created. */
  readonly rotatedAt: number;
  /** The start of the overlap: when the current key was seen to match the program. */
  readonly overlapFrom: number;
}

const keyInputNames = keyModel.allFields.map(({ name }) => name);
const ofResource = ["workspaceId", ...keyModel.existing, "rotateEvery", "overlap", "retire", secretsKey];

export function label(properties: RotatingDraft): string {
  const name = String(properties.name);
  return `rotating key${keyModel.isNamed(properties) ? ` ${quoted(name)}` : ""} in ${keyModel.workspaceIn(properties)}`;
}

/** By the aliases "current" and "previous". There is no current key if it was deleted outside Pulumi, or its secret was lost. */
export function ownedKeys(state: RotatingState): OwnedKeys {
  const { workspaceId, keyId, previousKeyId, previousKey: key } = state;
  const keyOf = (id: string | undefined, own: Properties) =>
    id === undefined ? undefined : { id, state: apiKey.parse(own) as KeyState };
  const previous = { ...state.__previous, workspaceId, key, [secretsKey]: state[secretsKey] };
  return {
    byAlias: keysByAlias([
      ["current", keyOf(keyId, { ...state, [failedKey]: state.__currentFailed })],
      ["previous", keyOf(previousKeyId, previous)],
    ]),
    toDelete: toDeleteIn(state),
  };
}

export function timesOf({ rotatedAt = "", retiresAt = "", overlap }: RotatingState): Times {
  return { rotatedAt: Date.parse(rotatedAt), overlapFrom: Date.parse(retiresAt) - msOf(overlap) };
}

/** The current key's properties are the resource's own. */
export function stateOf(
  declared: RotatingInputs | RotatingState,
  owned: OwnedKeys,
  { rotatedAt, overlapFrom }: Times,
): RotatingState {
  const [current, previous] = [owned.byAlias.get("current"), owned.byAlias.get("previous")];
  const { key, existingKey: _, ...ofPrevious } = previous?.state ?? {};
  return defined({
    ...(current?.state ?? pick(declared, keyInputNames)),
    ...Object.fromEntries(ofResource.map((name) => [name, (declared as Properties)[name]])),
    keyId: current?.id,
    previousKeyId: previous?.id,
    previousKey: key,
    rotatedAt: current && iso(rotatedAt),
    rotatesAt: current && iso(rotatedAt + msOf(declared.rotateEvery)),
    retiresAt: current && previous && iso(overlapFrom + msOf(declared.overlap)),
    previousGeneration: previous?.state.generation,
    __currentFailed: current?.state[failedKey],
    __previous: nonEmpty(defined({ ...apiKey.parse(ofPrevious), [secretsKey]: undefined })),
    toDelete: toDeleteOf(owned),
    __schedule: undefined,
  }) as RotatingState;
}

function inputsOf(state: RotatingState): RotatingDraft {
  const { keyId, generation: last, rotatedAt, retiresAt } = state;
  const generation = keyId === undefined ? undefined : last;
  return { ...state, generation, __schedule: defined({ rotatedAt, retiresAt, last }) };
}

export function iso(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The inputs of an existing key: as declared where they can change, and its own otherwise. */
export function edited({ state }: OwnedKey, declared: RotatingInputs): KeyInputs {
  const own = ["generation", ...needsNewKey] as const;
  return { ...declared, ...Object.fromEntries(own.map((name) => [name, state[name]])) };
}
