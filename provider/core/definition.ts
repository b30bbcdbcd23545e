import * as z from "zod/mini";
import type { Call } from "../client/service";
import type { Configuration } from "../lifecycle/config";
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
import type { Checked, Owner, Registry } from "./registry";
import type { Run } from "./run";
import { type Follows, type SecretPath, secretsOf, withSecrets } from "./secrecy";
import {
  externalKey,
  failedKey,
  isRecord,
  nonEmpty,
  observedKey,
  type Properties,
  secretsKey,
} from "./state";

/** The parts of a resource. Its file states them, typed; `define` erases the types for the lifecycle. */

/**
 * Shows a warning. `about`: the ids in it, which stay if it is shortened. `general`: the warning without the object's name,
 * so that many objects can share it.
 */
export type Warn = (message: string, about?: readonly string[], general?: string) => void;

/** What the lifecycle gives an operation. The parts that need the configuration throw a Failure if that is wrong. */
export interface Session
  extends Pick<Run, "closed" | "over">,
    Pick<Configuration, "tokenAdvice" | "baseUrlSource" | "withoutKeyList"> {
  readonly call: Call;
  readonly warn: Warn;
  /** Masks secrets from now on in everything that the operation says, and in the records of the service. */
  readonly maskEverywhere: (...secrets: readonly unknown[]) => void;
  /** Masks in what the operation says only, because records are compared with it: a secret name, for example. */
  readonly maskInMessages: (...values: readonly unknown[]) => void;
  /** The objects of this kind that this process knows. */
  readonly registry: Registry;
  /** Waits that long, or until the run is over. */
  readonly pause: (ms: number) => Promise<void>;
  /** Shows a line of progress. */
  readonly tell: (line: string) => void;
  /** The time of this run, in ms since 1970: what was due in its preview is due in its update. */
  readonly now: number;
  /** The current time, in ms since 1970. */
  readonly currentTime: () => number;
  /** How users of this host import an existing key, as an instruction: "import it with …". */
  readonly importKey: string;
  /** A session for one of many objects, with secrets of its own: no answer is searched for the secrets of all objects. */
  readonly part: (warn: Warn) => Session;
  /** Masks all of these values. */
  readonly masked: (text: string) => string;
}

/** The result of an operation. */
export interface Outcome<State = Properties> {
  readonly id: string;
  readonly state: State;
  /** Why the operation failed. The engine still saves the state. */
  readonly failure?: string;
  /** The failure without the object's name. */
  readonly reason?: string;
  /** Further lines of the failure, one for each object. */
  readonly lines?: readonly string[];
  /** Of a read: the warning that the object was not found, and stays in state. */
  readonly notFound?: string;
  /** Warnings of objects that may exist in the service and are not in state: shown even if nobody sees the failure. */
  readonly unresolved?: readonly string[];
}

/** An object of the service that a resource manages. */
export interface Managed {
  readonly workspaceId: unknown;
  readonly id: string;
}

/** What the program of this run has in place of a resource that is deleted. */
export interface Elsewhere {
  /** Whether it declares one of the resource's identities. */
  readonly isDeclared: boolean;
  /** The other resource that has an object in state, or only declares it. */
  ownerOf(workspaceId: unknown, id: string): Owner | undefined;
}

/** The properties of a resource: inputs, outputs, and what is only in state. */
export interface Shape {
  readonly inputs: Inputs;
  readonly outputs: StoredProperties;
  readonly hidden: StoredProperties;
}

/** What the inputs and state of every resource may have. */
type Common = {
  readonly [secretsKey]?: readonly SecretPath[] | undefined;
};

/** Inputs of an update: canonical, and every value is known. */
export type InputsOf<S extends Shape> = Declared<S["inputs"]> & Common;
/** Inputs of a preview: any may be unknown or, in check, wrong. */
export type DraftOf<S extends Shape> = Draft<S["inputs"]> & Common;
/** State, as far as its values have the right types: somebody may have edited it. */
export type StateOf<S extends Shape> = Partial<Declared<S["inputs"]>> &
  Values<S["outputs"]> &
  Values<S["hidden"]> &
  Common & {
    readonly [observedKey]?: Properties | undefined;
    readonly [externalKey]?: true | undefined;
    readonly [failedKey]?: true | undefined;
  };

/** State and the program's inputs: previews describe the change, and an update applies it. */
export interface Comparison<S extends Shape, P = undefined, I = DraftOf<S>> extends Compared<S, I> {
  /** What the definition's `plan` returned: it is called once. */
  readonly plan: P;
}

/** The same, before there is a plan. */
export interface Compared<S extends Shape, I = DraftOf<S>> {
  readonly id: string;
  readonly state: StateOf<S>;
  /** In canonical form. */
  readonly inputs: I;
  /** The time of this run, in ms since 1970. */
  readonly now: number;
}

/** A resource: its shape, its rules and its operations. `P` is the plan of an update, if it needs one. */
export interface Definition<S extends Shape, P = undefined> {
  readonly kind: string;
  readonly shape: S;
  /** What messages call the object that these inputs declare: `key "ci" in workspace ws_1`. */
  label(inputs: DraftOf<S>): string;

  /** Whether an update or a delete sends requests: one that only changes state may run at any base URL. Default: both do. */
  sends?(operation: "update" | "delete", state: StateOf<S>): boolean;

  // ---- Its objects ----

  /** The kind of its objects, if resources of several kinds manage such objects. Default: `kind`. */
  readonly objectKind?: string;
  /** The objects that the resource manages. Default: the one that has its id. */
  managed?(id: string, state: StateOf<S>): Iterable<Managed>;
  /** Those that no other resource of the program may have or adopt. Default: none. */
  held?(compared: Comparison<S, P>): Iterable<Managed>;
  /** What only one resource of a program may declare, such as the settings of a workspace. Unknown values have none. */
  identities?(inputs: DraftOf<S>): Iterable<string>;
  /** Whether the engine should read it before each preview and update, if the host can say so. The read sends no request. */
  readonly refreshBeforeUpdate?: true;

  // ---- Decisions: check and diff ----

  /** Check failures that concern several inputs. `before`: the inputs of the last update. Unknown values pass. */
  rules(inputs: DraftOf<S>, before: DraftOf<S> | undefined, checked: Checked): readonly string[];
  /** Whether a changed input means the same as the state, so that nothing is to be done. */
  unchanged?(name: keyof S["inputs"] & string, value: unknown, compared: Comparison<S, P>): boolean;
  /** Decides what an update does, if comparing each input is not enough. */
  plan?(compared: Compared<S>): P;
  /**
   * What state needs even if no input has changed: `undefined` for nothing, an empty list for an update, and otherwise the
   * properties that only a replacement can fix.
   */
  pending?(compared: Comparison<S, P>): readonly string[] | undefined;
  /**
   * Whether the program names the existing object that the resource has. No input can replace that, so a value that is not
   * known yet doesn't either: the check decides once it is known. Default: it doesn't.
   */
  keepsExisting?(compared: Comparison<S, P>): boolean;

  // ---- What a preview shows ----

  /** Describes what a create does that the engine's own preview does not show. */
  createNote?(inputs: DraftOf<S>): string | undefined;
  /** The same for an update, and why it will fail if that is known. */
  updateNote?(compared: Comparison<S, P>): string | undefined;
  /** What a replacement that an input causes leaves in the service: the engine shows the old resource as deleted. */
  replaceNote?(compared: Comparison<S, P>): string | undefined;
  /** The properties that a preview of a create can't derive by itself: inputs stay as declared, outputs are unknown. */
  previewCreate?(inputs: DraftOf<S>): Properties;
  /** The same for an update. */
  previewUpdate?(compared: Comparison<S, P>): Properties;

  // ---- State ----

  /** The inputs that a state stands for. Default: its properties of the same names. */
  inputsOf?(state: StateOf<S>): DraftOf<S>;
  /** Where else in state the value of an input may appear, or the service's version of it. */
  readonly follows?: Follows;
  /** The path that state has for a secret of the program. Default: the path itself. */
  secretPath?(path: SecretPath): SecretPath;

  // ---- Operations ----

  create(session: Session, inputs: InputsOf<S>): Promise<Outcome<StateOf<S>>>;
  /** A state with only the objects that a create made: `delete` undoes it if nobody takes the result. Default: none. */
  created?(state: StateOf<S>): StateOf<S> | undefined;
  /**
   * What to do about a create whose result nobody takes, and that is not undone; `state`: its result, if the service has
   * answered. Default: nothing, because the next create finds the object.
   */
  ifUnsaved?(session: Session, inputs: InputsOf<S>, state?: StateOf<S>): string | undefined;
  /** Default: no id leads to an object of this kind. */
  readonly importing?: Importing<S>;
  /** `undefined` when the object no longer exists. */
  read(session: Session, id: string, state: StateOf<S>): Promise<Outcome<StateOf<S>> | undefined>;
  update(session: Session, compared: Comparison<S, P, InputsOf<S>>): Promise<Outcome<StateOf<S>>>;
  /** Succeeds even if the object no longer exists. */
  delete(session: Session, id: string, state: StateOf<S>, elsewhere: Elsewhere): Promise<void>;
}

/** How `pulumi import`, the option `import` and `get` find an object. */
interface Importing<S extends Shape> {
  /** The form of its id, such as "workspaceId/keyId". In a workspace's id, a slash is written as %2F. */
  readonly form: string;
  /** `undefined` if there is no such object. `isGet`: `get` asks, and later reads it again by the outcome's id. */
  read(session: Session, parts: readonly string[], isGet: boolean): Promise<Outcome<StateOf<S>> | undefined>;
}

/** A definition of any shape: what the lifecycle works with. */
export type AnyDefinition = Omit<Definition<AnyShape, unknown>, "shape"> & {
  readonly schema: z.ZodMiniObject;
  readonly fields: readonly Field[];
  readonly outputs: StoredProperties;
  managed(id: string, state: Properties): Iterable<Managed>;
  sends(operation: "update" | "delete", state: Properties): boolean;
  inputsOf(state: Properties): Properties;
  /** The engine's properties as state: those that have the right types. */
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
  [externalKey]: aMark,
  [failedKey]: aMark,
};

/** Erases the types of a definition. Its operations then rely on `parse`. */
export function define<S extends Shape, P = undefined>(definition: Definition<S, P>): AnyDefinition {
  const { inputs, outputs, hidden } = definition.shape;
  const fields = fieldsOf(inputs);
  // Unlike `fields`, these fill in no default: an input that is absent from state was not declared.
  const withoutDefaults = Object.entries(inputs as Readonly<Record<string, Input>>).map(([name, input]) => ({
    name,
    canonical: input.canonical,
  }));
  const declaredOf = (properties: Properties) =>
    withoutDefaults.filter(({ name }) => (properties[name] ?? undefined) !== undefined);
  const stored = { ...outputs, ...hidden, ...ofEachResource };
  const parse = (properties: Properties): Properties => ({
    ...withSecrets(canonicalInputs(declaredOf(properties), properties), secretsOf(properties)),
    ...parsed(stored, properties),
  });
  const erased = definition as unknown as Definition<AnyShape, unknown>;
  return {
    ...erased,
    schema: z.strictObject(Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))),
    fields,
    outputs,
    parse,
    managed: (id, state) => erased.managed?.(id, state) ?? [{ workspaceId: state["workspaceId"], id }],
    sends: (operation, state) => erased.sends?.(operation, state) ?? true,
    inputsOf: (state) => erased.inputsOf?.(state) ?? state,
  };
}
