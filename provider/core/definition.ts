import * as z from "zod";
import type { Call } from "../client/call";
import type { Configuration } from "./config";
import type { Checked } from "./declarations";
import type { Expiries } from "./expiry";
import {
  aMark,
  canonicalInputs,
  type Declared,
  type Draft,
  type Field,
  fieldsOf,
  type Input,
  type Inputs,
  parsed,
  type StoredProperties,
  type Values,
} from "./fields";
import type { Registry } from "./registry";
import type { Run } from "./run";
import { type Follows, type SecretPath, secretsOf, withSecrets } from "./secrecy";
import { failedKey, isRecord, nonEmpty, observedKey, type Properties, readingKey, secretsKey } from "./state";

/** What a resource is made of. `define` turns it into what the lifecycle works with. */

/**
 * Shows a warning; `about` are the ids in it, which are kept if the warning is shortened. `general` is the warning without
 * what names the object: it is said once for many objects.
 */
export type Warn = (message: string, about?: readonly string[], general?: string) => void;

/** What an operation works with. What needs the configuration throws a Failure where that is missing or bad. */
export interface Session
  extends Pick<Run, "closed" | "signal" | "closing">,
    Pick<Configuration, "tokenAdvice" | "baseUrlSource" | "parallel" | "withoutKeyList"> {
  readonly call: Call;
  readonly warn: Warn;
  /** Keeps these texts out of all that the operation says from now on, as it keeps the access token out. */
  readonly hide: (...secrets: readonly unknown[]) => void;
  /** The same for texts and numbers that records of the service may hold, such as a name that the program made secret. */
  readonly conceal: (...values: readonly unknown[]) => void;
  /** The objects of this kind that this process has met. */
  readonly registry: Registry;
  /** Sets the line that is printed if the run ends before the result is saved to state. */
  readonly onInterrupt: (line: string | (() => string) | undefined) => void;
  /** Waits so long, or until nobody waits for the result any more. */
  readonly pause: (ms: number) => Promise<void>;
  /** Shows how far an operation has come that takes long. */
  readonly tell: (line: string) => void;
  /** The time of this run, in ms since 1970: what was due in its preview is due for its writes. */
  readonly now: number;
  /** The time by now: when something was done. */
  readonly time: () => number;
  /** How users of this host take a key under management that exists already, in the words of a message. */
  readonly importKey: string;
  /**
   * A session for one of the many things of this operation, by its name: what it hides and warns of is its own, so that
   * the answers to one are not searched for the secrets of all.
   */
  readonly part: (name: string, warn: Warn) => Session;
  /** The text without what is hidden. */
  readonly masked: (text: string) => string;
}

/** The result of an operation. With `failure` the operation failed, and the engine still keeps this state. */
export interface Outcome<State = Properties> {
  readonly id: string;
  readonly state: State;
  readonly failure?: string;
  /** The failure without what names the object. */
  readonly reason?: string;
  /** Lines of the failure for each of several things. */
  readonly lines?: readonly string[];
  /** Of a read: what to warn of where the object was not found, but stays in state. */
  readonly notFound?: string;
  /** Objects that may exist in the service but are not in state: reported even if nobody sees the failure. */
  readonly unresolved?: readonly string[];
}

/** An object of the service that a resource manages. */
export interface Managed {
  readonly workspaceId: unknown;
  readonly id: string;
  /** Tells the resource from others that manage the same object; `undefined` for one that is only to be deleted, or read. */
  readonly claim: string | undefined;
}

/** The properties of a resource: what a program declares, what it gets, and what is only in state. */
export interface Shape {
  readonly inputs: Inputs;
  readonly outputs: StoredProperties;
  readonly hidden: StoredProperties;
}

/** Properties that the inputs and state of every resource may have besides its own. */
type Common = {
  readonly [secretsKey]?: readonly SecretPath[] | undefined;
};

/** Canonical inputs of which every value is known. */
export type InputsOf<S extends Shape> = Declared<S["inputs"]> & Common;
/** Inputs while a program is checked: any may be unknown, or wrong. */
export type DraftOf<S extends Shape> = Draft<S["inputs"]> & Common;
/** What state holds, as far as it is of the right type. */
export type StateOf<S extends Shape> = Partial<Declared<S["inputs"]>> &
  Values<S["outputs"]> &
  Values<S["hidden"]> &
  Common & {
    readonly [observedKey]?: Properties | undefined;
    readonly [readingKey]?: true | undefined;
    readonly [failedKey]?: true | undefined;
  };

/** A resource's state and the current inputs of the program: previews describe the change, and an update applies it. */
export interface Comparison<S extends Shape, P = undefined, I = DraftOf<S>> extends Compared<S, I> {
  /** The result of the definition's `plan`, which is made once. */
  readonly plan: P;
}

export interface Compared<S extends Shape, I = DraftOf<S>> {
  readonly id: string;
  readonly state: StateOf<S>;
  /** In canonical form. In an update every value is known. */
  readonly inputs: I;
  /** The time of this run, in ms since 1970. */
  readonly now: number;
}

/**
 * Everything that the lifecycle needs of a resource, typed by its shape and by the plan of an update, if it makes one. A
 * resource file fills it in.
 */
export interface Definition<S extends Shape, P = undefined> {
  readonly kind: string;
  readonly shape: S;
  /** What deleting the resource does with its objects in the service. */
  readonly onDestroy: "delete" | "retain";
  /** The kind of the objects in the service, where several kinds of resources manage such. Default: `kind`. */
  readonly of?: string;
  /** The objects that the resource manages. Default: one, of its own id. */
  managed?(id: string, state: StateOf<S>): Iterable<Managed>;
  /** Failures that concern several inputs; `before` holds those of the last update. Unknown values pass. */
  rules(inputs: DraftOf<S>, before: DraftOf<S> | undefined, checked: Checked): readonly string[];
  /** What only one resource of a program may declare, such as the settings of a workspace; none that is not known yet. */
  identities?(inputs: DraftOf<S>): Iterable<string>;
  /** Whether each preview and update is to begin with a read, where the host can: for a resource whose read sends no request. */
  readonly isReadFirst?: true;
  /** The objects of the service that a create of these inputs adopts; none that is not known yet. */
  adopts?(inputs: DraftOf<S>): readonly Omit<Managed, "claim">[];
  /** Decides what an update does, if comparing each input is not enough. */
  plan?(compared: Compared<S>): P;
  /**
   * Whether the state asks for action although the inputs are as it was declared: `undefined` if not, else the
   * properties that only a replacement can fix, none for an update.
   */
  pending?(compared: Comparison<S, P>): readonly string[] | undefined;
  /** Whether a new value of an input means the same as the state although it is spelled otherwise. */
  unchanged?(name: keyof S["inputs"] & string, value: unknown, compared: Comparison<S, P>): boolean;
  /** Where else in state the value at this path of the inputs may be, or another that came in its place. */
  readonly follows?: Follows;
  /** Describes what a create does that the engine's own preview does not show. */
  createNote?(inputs: DraftOf<S>): string | undefined;
  /** The same for an update, and why it will fail if that is known. */
  updateNote?(compared: Comparison<S, P>): string | undefined;
  /** Describes what a replacement leaves in the service that an input causes: the engine shows the old resource as deleted. */
  replaceNote?(compared: Comparison<S, P>): string | undefined;
  /** A warning about the state, shown in each preview and update, even if there is nothing to do. */
  warning?(compared: Comparison<S, P>): string | undefined;
  /** When the keys expire that an update would keep or edit. Default: it has none. */
  expiries?(compared: Comparison<S, P>): Expiries;
  /** The path by which state names what a program made secret. Default: the path itself. */
  secretPath?(path: SecretPath): SecretPath;
  /**
   * What properties will be after a create, where that is not told by what they are: an input as it is declared, an
   * output as its facts say. What is not known before is unknown.
   */
  foreseeCreate?(inputs: DraftOf<S>): Properties;
  /** The same for an update. */
  foreseeUpdate?(compared: Comparison<S, P>): Properties;
  /** How an existing object is found by the id that a user gives. */
  readonly importing: Importing<S>;
  /** The inputs that a state means. Default: its properties of the same names. */
  inputsOf?(state: StateOf<S>): DraftOf<S>;
  create(session: Session, inputs: InputsOf<S>): Promise<Outcome<StateOf<S>>>;
  /**
   * Undoes, where it can, a create whose result the engine does not save. Returns a line for each object that still
   * exists in the service and is not in state. Default: the next create finds the object.
   */
  rollbackCreate?(session: Session, outcome: Outcome<StateOf<S>>): Promise<readonly string[]>;
  /** `undefined` when the object no longer exists. */
  read(session: Session, id: string, state: StateOf<S>): Promise<Outcome<StateOf<S>> | undefined>;
  update(session: Session, compared: Comparison<S, P, InputsOf<S>>): Promise<Outcome<StateOf<S>>>;
  /** As `rollbackCreate`, for objects that an update created. Default: an update creates nothing. */
  rollbackUpdate?(
    session: Session,
    outcome: Outcome<StateOf<S>>,
    before: StateOf<S>,
  ): Promise<readonly string[]>;
  /** Succeeds too when the object no longer exists. `declaredAnew`: the program of this run declares one of its identities. */
  delete(session: Session, id: string, state: StateOf<S>, declaredAnew: boolean): Promise<void>;
}

/** How an object is found that no state knows yet: by `pulumi import`, by the option `import`, or by `.get`. */
interface Importing<S extends Shape> {
  /** The form of its id, such as "workspaceId/keyId": as many parts, of which the last may contain slashes. */
  readonly form: string;
  /** `undefined` where there is none. `isReading`: `.get` asks, and reads it again by the outcome's id. */
  read(
    session: Session,
    parts: readonly string[],
    isReading: boolean,
  ): Promise<Outcome<StateOf<S>> | undefined>;
}

/** A resource of any shape, by its properties: what the lifecycle works with. */
export type AnyDefinition = Omit<Definition<AnyShape, unknown>, "shape"> & {
  readonly schema: z.ZodObject;
  readonly fields: readonly Field[];
  readonly outputs: StoredProperties;
  managed(id: string, state: Properties): Iterable<Managed>;
  inputsOf(state: Properties): Properties;
  /** The state of the properties that the engine hands over: those of the right types. */
  parse(properties: Properties): Properties;
};

export type AnyComparison = Comparison<AnyShape, unknown>;

export interface AnyShape {
  // biome-ignore lint/suspicious/noExplicitAny: the one place where types are given up.
  readonly inputs: any;
  readonly outputs: StoredProperties;
  readonly hidden: StoredProperties;
}

const ofEachResource: StoredProperties = {
  [observedKey]: { parse: (value) => nonEmpty(isRecord(value) ? value : {}) },
  [readingKey]: aMark,
  [failedKey]: aMark,
};

/** Gives up the types of a definition, after which its operations take and give what `parse` lets through. */
export function define<S extends Shape, P = undefined>(definition: Definition<S, P>): AnyDefinition {
  const { inputs, outputs, hidden } = definition.shape;
  const fields = fieldsOf(inputs);
  // An input that is absent from state was not declared: it gets no default.
  const bare = Object.entries(inputs as Readonly<Record<string, Input>>).map(([name, input]) => ({
    name,
    canonical: input.canonical,
  }));
  const declaredOf = (properties: Properties) =>
    bare.filter(({ name }) => (properties[name] ?? undefined) !== undefined);
  const stored = { ...outputs, ...hidden, ...ofEachResource };
  const parse = (properties: Properties): Properties => ({
    ...withSecrets(canonicalInputs(declaredOf(properties), properties), secretsOf(properties)),
    ...parsed(stored, properties),
  });
  const erased = definition as unknown as Definition<AnyShape, unknown>;
  const managed = (id: string, state: Properties): Iterable<Managed> =>
    erased.managed?.(id, state) ?? [{ workspaceId: state["workspaceId"], id, claim: "" }];
  return {
    ...erased,
    schema: z.strictObject(Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))),
    fields,
    outputs,
    parse,
    managed: (id, state) =>
      state[readingKey] === true
        ? Array.from(managed(id, state), (one) => ({ ...one, claim: undefined }))
        : managed(id, state),
    inputsOf: (state) => erased.inputsOf?.(state) ?? state,
  };
}
