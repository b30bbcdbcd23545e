import type * as z from "zod";
import { isRecord, type ManagedField, type Properties } from "./state";
import { isUnknown } from "./unknown";

/** The properties of a resource, each stated once: its type, how it is compared, what a change of it does, whether it is secret. */

/**
 * Gives a value in canonical form: equal values, however spelled, become deeply equal. `undefined` for one that means the
 * same as none. Unknown values pass as they are.
 */
export type Canonical<T> = (value: unknown) => T | undefined;

interface Facts<T> {
  /** What a change in the program does: an update in place, a replacement, or a failure of check (by `rules`). */
  readonly onChange: "update" | "replace" | "refuse";
  readonly canonical: Canonical<T>;
  /** Stands for an absent value. */
  readonly default?: T & {};
  /** An absent value is the name of the resource in the program. */
  readonly defaultsToResourceName?: true;
  /**
   * Whether the value is always a secret, whatever the program says; or the names that lead to the secret in
   * it, "*" for any.
   */
  readonly secret?: true | readonly string[];
  /** The names that an object in this input may hold, by the path to it, for the nearest known name in a failure. */
  readonly names?: (path: readonly PropertyKey[]) => readonly string[];
}

/** An input. `T` is its canonical type: of an optional one without a default, undefined too. */
export interface Input<T = unknown, S extends z.ZodType = z.ZodType> extends Facts<T> {
  readonly schema: S;
}

/** A property of state that the program does not declare: an output or, with a name that begins with "__", a hidden one. */
export interface Stored<T = unknown> {
  /** `undefined` for a value of another type, as of somebody who edited the state. */
  readonly parse: (value: unknown) => T | undefined;
  /** Whether it is secret, whatever the program says. */
  readonly secret?: true;
  /** Whether an update in place leaves it as it is: then a host can show its value in previews. */
  readonly stable?: true;
}

export type Inputs = Readonly<Record<string, Input<never> | Input>>;
export type StoredProperties = Readonly<Record<string, Stored>>;

/** The type of canonical inputs. */
export type Declared<I> = {
  readonly [Name in keyof I]: I[Name] extends Input<infer T, z.ZodType> ? T : never;
};
/** The type of inputs while some may be unknown, or wrong. */
export type Draft<I> = { readonly [Name in keyof I]?: unknown };
/** The type of outputs or hidden properties. */
export type Values<O> = {
  readonly [Name in keyof O]?: O[Name] extends Stored<infer T> ? T | undefined : never;
};

export function required<T, S extends z.ZodType>(schema: S, facts: Facts<T>): Input<T, S> {
  return { schema, ...facts };
}

export function optional<T, S extends z.ZodType>(schema: S, facts: Facts<T>): Input<T | undefined, S> {
  return { schema, ...facts } as Input<T | undefined, S>;
}

/** An input with a default. */
export function defaulted<T, S extends z.ZodType>(
  schema: S,
  facts: Facts<T> & { readonly default: T & {} },
): Input<T, S> {
  return { schema, ...facts };
}

/** An input by its name, as the core sees it; `canonical` fills in the default if there is one. */
export interface Field extends ManagedField, Omit<Facts<unknown>, "canonical"> {
  readonly schema: z.ZodType;
}

/** In the order in which they are stated. */
export function fieldsOf(inputs: Inputs): readonly Field[] {
  return Object.entries(inputs as Readonly<Record<string, Input>>).map(([name, input]) => ({
    ...input,
    name,
    canonical: (value) => input.canonical(value ?? input.default) ?? input.default,
  }));
}

/** Inputs in canonical form, absent ones left out. */
export function canonicalInputs(fields: readonly ManagedField[], inputs: Properties): Properties {
  return Object.fromEntries(
    fields.flatMap(({ name, canonical }) => {
      // An array as prototype has a "keys" of its own.
      const value = canonical(Object.hasOwn(inputs, name) ? inputs[name] : undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Those of the properties that have a value of their type. */
export function parsed(stored: StoredProperties, properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(stored).flatMap(([name, { parse }]) => {
      const value = parse(properties[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

// ---- Canonical forms ----------------------------------------------------------------------------------------------

/** Absent, null and "" are one value. */
export const string: Canonical<string> = (value) =>
  typeof value === "string" && value !== "" ? value : undefined;
/** Absent and null are one value, and so are 0 and -0, which JSON does not tell apart. */
export const number: Canonical<number> = (value) => {
  if (value === 0) return 0;
  return typeof value === "number" || isUnknown(value) ? (value as number) : undefined;
};
/** Absent, null and false are one value. */
export const boolean: Canonical<boolean> = (value) =>
  value === true || isUnknown(value) ? (value as boolean) : false;
/** Absent, null and {} are one value. */
export const map: Canonical<Properties> = (value) => {
  if (isUnknown(value)) return value as unknown as Properties;
  return isRecord(value) && Object.keys(value).length > 0 ? value : undefined;
};

// ---- Stored properties --------------------------------------------------------------------------------------------

export const aString: Stored<string> = {
  parse: (value) => (typeof value === "string" ? value : undefined),
};
export const aNumber: Stored<number> = {
  parse: (value) => (typeof value === "number" ? value : undefined),
};
/** Set, or absent. */
export const aMark: Stored<true> = { parse: (value) => (value === true ? true : undefined) };
export const aMap: Stored<Properties> = { parse: (value) => (isRecord(value) ? value : undefined) };
/** By name. An id that is a number in a file to import is the same id. */
export const strings: Stored<Readonly<Record<string, string>>> = {
  parse: (value) => {
    if (!isRecord(value)) return undefined;
    const all = Object.entries(value).filter(([, one]) => typeof one === "string" || typeof one === "number");
    return Object.fromEntries(all.map(([name, one]) => [name, String(one)]));
  },
};
export const aList: Stored<readonly unknown[]> = {
  parse: (value) => (Array.isArray(value) ? value : undefined),
};

export function secret<T>(stored: Stored<T>): Stored<T> & { readonly secret: true } {
  return { ...stored, secret: true };
}

export function stable<S extends Stored>(stored: S): S & { readonly stable: true } {
  return { ...stored, stable: true };
}
