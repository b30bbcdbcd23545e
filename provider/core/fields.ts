/** The properties of a resource, each described once: its type, how it is compared, what a change does, whether it is secret. */
import * as z from "zod/mini";
import { type ComparedField, fromEntries, isRecord, nonEmpty, type Properties, same } from "./state";

/**
 * The canonical form of a value: values that mean the same become deeply equal, and one that means nothing becomes
 * `undefined`. It is never asked about an unknown value.
 */
export type Canonical<T> = (value: unknown) => T | undefined;

interface Facts<T> {
  /** The effect of a change in the program: an update in place, a replacement, or a check failure (by `rules`). */
  readonly onChange: "update" | "replace" | "refuse";
  readonly canonical: Canonical<T>;
  readonly isInOwnForm?: ComparedField["isInOwnForm"];
  /** Whether the service must keep exactly this value: it may rewrite any other, by trimming it for example (R4). */
  readonly exact?: true;
  /** Whether no request carries the value. */
  readonly local?: true;
  readonly default?: T & {};
  /** The service's value for none: what a record that lacks the field has, and what an edit sends to clear it. Default: null. */
  readonly empty?: unknown;
  /** The default is the name that stack config makes, unless one of these inputs is given, or else the resource's name. */
  readonly defaultsToResourceName?: { readonly noPatternWith: readonly string[] };
  /** Whether the value is always secret, or which part of it is: the path to that part, with "*" for any name. */
  readonly secret?: true | readonly string[];
}

/** An input. `T` is the type of its canonical form, with `undefined` if it is optional and has no default. */
export interface Input<T = unknown, S extends z.ZodMiniType = z.ZodMiniType> extends Facts<T> {
  readonly schema: S;
}

/** A property that only state has: an output or, if its name begins with "__", a hidden one. */
export interface Stored<T = unknown> {
  /** `undefined` for a value of another type: somebody may have edited the state. */
  readonly parse: (value: unknown) => T | undefined;
  /** Whether it is always secret. */
  readonly secret?: true;
  /** Whether an update in place leaves it unchanged, so that previews can show its value. */
  readonly stable?: true;
}

export type Inputs = Readonly<Record<string, Input<never> | Input>>;
export type StoredProperties = Readonly<Record<string, Stored>>;

/** The type of canonical inputs. */
export type Declared<I> = {
  readonly [Name in keyof I]: I[Name] extends Input<infer T, z.ZodMiniType> ? T : never;
};
/** The type of inputs that may be unknown, or wrong. */
export type Draft<I> = { readonly [Name in keyof I]?: unknown };
export type Values<O> = {
  readonly [Name in keyof O]?: O[Name] extends Stored<infer T> ? T | undefined : never;
};

/** In every field, an unknown value is its own canonical form. */
export function required<T, S extends z.ZodMiniType>(schema: S, facts: Facts<T>): Input<T, S> {
  const canonical: Canonical<T> = (value) => (isUnknown(value) ? (value as T) : facts.canonical(value));
  return { schema, ...facts, canonical };
}

export function optional<T, S extends z.ZodMiniType>(schema: S, facts: Facts<T>): Input<T | undefined, S> {
  return required(schema, facts) as Input<T | undefined, S>;
}

/** An input that check sets (`Shape.announced`). It has no unknown value. */
export function announced<T>(canonical: Canonical<T>): Input<T | undefined> {
  return { schema: z.unknown(), onChange: "update", local: true, canonical };
}

export function defaulted<T, S extends z.ZodMiniType>(
  schema: S,
  facts: Facts<T> & { readonly default: T & {} },
): Input<T, S> {
  return required(schema, facts);
}

/** An input with its name. Unlike an `Input`'s, its `canonical` fills in the default. */
export interface Field extends ComparedField, Omit<Facts<unknown>, "canonical"> {
  readonly schema: z.ZodMiniType;
}

/** An input that an edit of the object changes in place. */
export interface UpdatableField<Name extends string = string> extends ComparedField {
  readonly name: Name;
  readonly exact: boolean;
  readonly empty?: unknown;
}

/** The inputs that an edit changes in place. Everything that writes or compares them is derived from this list. */
export function updatableFields<I extends Inputs>(inputs: I): readonly UpdatableField<keyof I & string>[] {
  return Object.entries(inputs as Readonly<Record<string, Input>>)
    .filter(([, { onChange, local }]) => onChange === "update" && !local)
    .map(([name, { exact = false, ...facts }]) => ({ ...facts, exact, name: name as keyof I & string }));
}

/** These fields as the service has them, in canonical form. */
export function observed(fields: readonly UpdatableField[], record: object): Properties {
  const shown = record as Properties;
  return Object.fromEntries(
    fields.map(({ name, canonical, empty }) => [name, canonical(shown[name] ?? empty)]),
  );
}

export function fieldsOf(inputs: Inputs): readonly Field[] {
  return Object.entries(inputs as Readonly<Record<string, Input>>).map(([name, input]) => ({
    ...input,
    name,
    canonical: (value) => input.canonical(value ?? input.default) ?? input.default,
  }));
}

/** Inputs in canonical form, without absent ones. */
export function canonicalInputs(fields: readonly ComparedField[], inputs: Properties): Properties {
  // Only own properties: an array in place of the inputs would inherit "keys".
  const own = (name: string) => (Object.hasOwn(inputs, name) ? inputs[name] : undefined);
  return fromEntries(fields.map(({ name, canonical }) => [name, canonical(own(name))]));
}

/** The properties whose values have the right types. */
export function parsed(stored: StoredProperties, properties: Properties): Properties {
  return fromEntries(Object.entries(stored).map(([name, { parse }]) => [name, parse(properties[name])]));
}

// ---- Canonical forms ----------------------------------------------------------------------------------------------

/** Absent, null and "" mean the same. */
export const string: Canonical<string> = (value) =>
  typeof value === "string" && value !== "" ? value : undefined;
/** The string, if it is known: an unknown value may turn out to be absent. */
export const knownString = (value: unknown) => (isUnknown(value) ? undefined : string(value));
/** Absent and null mean the same, and so do 0 and -0, which JSON does not tell apart. */
export const number: Canonical<number> = (value) => {
  if (value === 0) return 0;
  return typeof value === "number" ? value : undefined;
};
/** Absent, null and false mean the same. */
export const boolean: Canonical<boolean> = (value) => value === true;
/** Absent, null and {} mean the same. */
export const map: Canonical<Properties> = (value) => (isRecord(value) ? nonEmpty(value) : undefined);
/** Absent, null and [] mean the same. */
export const list: Canonical<readonly unknown[]> = (value) =>
  Array.isArray(value) ? nonEmpty(value) : undefined;

// ---- Stored properties --------------------------------------------------------------------------------------------

function stored<T>(isOne: (value: unknown) => value is T): Stored<T> {
  return { parse: (value) => (isOne(value) ? value : undefined) };
}
/** Values of one type, by name. */
function named<T>(isOne: (value: unknown) => value is T): Stored<Readonly<Record<string, T>>> {
  const has = (entry: [string, unknown]): entry is [string, T] => isOne(entry[1]);
  return {
    parse: (value) => (isRecord(value) ? Object.fromEntries(Object.entries(value).filter(has)) : undefined),
  };
}
export const aString = stored((value) => typeof value === "string");
export const aNumber = stored((value) => typeof value === "number");
/** A flag: true, or absent. */
export const aMark = stored((value) => value === true);
export const aMap = stored(isRecord);
export const strings = named((value) => typeof value === "string");
export const maps = named(isRecord);

export function secret<T>(stored: Stored<T>): Stored<T> & { readonly secret: true } {
  return { ...stored, secret: true };
}

export function stable<S extends Stored>(stored: S): S & { readonly stable: true } {
  return { ...stored, stable: true };
}

// ---- Unknown values ------------------------------------------------------------------------------------------------

/**
 * Pulumi's unknown values. In previews, and in the diff of an update, they arrive as these strings, at any depth and
 * whatever the field's type. Source: Pulumi's provider protocol.
 */
export const unknownSentinels: readonly string[] = [
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9", // string
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // list
  "030794c1-ac77-496b-92df-f27374a8bd58", // asset
  "e48ece36-62e2-4504-bad9-02848725956a", // archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
];

export const unknown = unknownSentinels[0] as string;

const sentinels = new Set<unknown>(unknownSentinels);

export function isUnknown(value: unknown): boolean {
  return sentinels.has(value);
}

/** Whether the value is unknown, or contains an unknown value. */
export function containsUnknown(value: unknown): boolean {
  return contains(value, isUnknown);
}

/** Whether `isIt` holds for the value itself or, at any depth of lists and objects, for a value in it. */
export function contains(value: unknown, isIt: (inner: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null) return isIt(value);
  return Object.values(value).some((inner) => contains(inner, isIt));
}

/** The fields that are certain to differ: an unknown value may turn out to be the same. */
export function certainlyChanged(
  fields: readonly ComparedField[],
  was: Properties,
  is: Properties,
): readonly string[] {
  return fields
    .filter((field) => !containsUnknown(is[field.name]) && !same(field, was[field.name], is[field.name]))
    .map(({ name }) => name);
}
