/**
 * The keys that a resource stands for: an ApiKey for itself, a set for one under each of its aliases, a rotating key for
 * its own and, until that is deleted, the one before.
 */
import type { Properties } from "../../provider/core/state";
import type { Entry } from "./engine";
import type { Declared, Kind } from "./program";

export interface DeclaredKey {
  /** Where it stands in the program: "key0", or "set.acme". */
  readonly place: string;
  /** Its alias, in a set. */
  readonly alias?: string;
  /** As an ApiKey would be declared. */
  readonly inputs: Properties;
}

export interface HeldKey extends Pick<DeclaredKey, "place"> {
  /** `undefined`: it is declared, and state has none. */
  readonly id: string | undefined;
  readonly secret: unknown;
  /** `undefined`: state holds one that is not declared. */
  readonly inputs: Properties | undefined;
}

export function holdsKeys(kind: Kind): boolean {
  return kind === "ApiKey" || kind === "ApiKeySet" || kind === "RotatingApiKey";
}

export function declaredKeys({ name, kind, inputs }: Declared): readonly DeclaredKey[] {
  if (kind === "ApiKey" || kind === "RotatingApiKey") return [{ place: name, inputs }];
  if (kind !== "ApiKeySet") return [];
  const { workspaceId, defaults } = inputs;
  return Object.entries(mapIn(inputs, "keys")).map(([alias, entry]) => {
    const all = { ...(defaults as Properties | undefined), ...(entry as Properties) };
    const given = Object.entries(all).filter(([, value]) => value !== null && value !== undefined);
    return {
      place: `${name}.${alias}`,
      alias,
      inputs: { workspaceId, name: alias, ...Object.fromEntries(given) },
    };
  });
}

export function heldKeys(entry: Entry): readonly HeldKey[] {
  const { name, kind, id, inputs, state } = entry;
  if (kind === "ApiKey") return [{ place: name, id, secret: state["key"], inputs }];
  if (kind === "RotatingApiKey") return rotatingKeys(entry);
  const declared = new Map(declaredKeys(entry).map((key) => [key.place, key.inputs]));
  const byPlace = (output: string) =>
    new Map(Object.entries(mapIn(state, output)).map(([alias, one]) => [`${name}.${alias}`, one]));
  const [held, secrets] = [byPlace("ids"), byPlace("secrets")];
  return [...new Set([...declared.keys(), ...held.keys()])].map((place) => ({
    place,
    id: held.get(place) as string | undefined,
    secret: secrets.get(place),
    inputs: declared.get(place),
  }));
}

/** The keys as state has them, except those whose last write failed halfway. */
export function settledKeys(entry: Entry): readonly HeldKey[] {
  const { kind, state } = entry;
  if (kind === "ApiKeySet") {
    const marks = mapIn(state, "__keys");
    const isOpen = ({ alias = "" }: DeclaredKey) => mapIn(marks, alias)["__failed"] === true;
    const settled = declaredKeys({ ...entry, inputs: state }).filter((key) => !isOpen(key));
    const inState = new Map(settled.map(({ place, inputs }) => [place, inputs]));
    return heldKeys(entry).flatMap((key) =>
      inState.has(key.place) ? [{ ...key, inputs: inState.get(key.place) }] : [],
    );
  }
  const previous = mapIn(state, "__previous");
  return heldKeys(entry).flatMap((key) => {
    const isPrevious = key.place.endsWith(".previous");
    const mark = isPrevious
      ? previous["__failed"]
      : state[kind === "ApiKey" ? "__failed" : "__currentFailed"];
    return mark === true ? [] : [{ ...key, inputs: isPrevious ? previous : state }];
  });
}

/** Without a current key, the resource is still declared. The previous key has the same inputs. */
function rotatingKeys({ name, inputs, state }: Entry): readonly HeldKey[] {
  const current = { place: name, id: idIn(state, "keyId"), secret: state["key"], inputs };
  const previous = idIn(state, "previousKeyId");
  if (previous === undefined) return [current];
  return [current, { place: `${name}.previous`, id: previous, secret: state["previousKey"], inputs }];
}

function idIn(state: Properties, output: string): string | undefined {
  return state[output] as string | undefined;
}

/** The ids of all that state holds, also of what it only holds until it is deleted. */
export function idsIn(entry: Entry): readonly string[] {
  if (entry.kind !== "ApiKeySet" && entry.kind !== "RotatingApiKey") return [entry.id];
  const left = (entry.state["toDelete"] ?? []) as readonly string[];
  return [...heldKeys(entry).flatMap(({ id }) => id ?? []), ...left];
}

function mapIn(properties: Properties, name: string): Properties {
  return (properties[name] ?? {}) as Properties;
}
