/** The parts of a resource. Its file states them, typed; `define` erases the types for the lifecycle. */
import * as z from "zod/mini";
import type { Call } from "../client/request";
import type { Failure, Setup } from "./errors";
import {
  aMark,
  canonicalInputs,
  type Declared,
  type Draft,
  type Field,
  fieldsOf,
  type Inputs,
  parsed,
  type StoredProperties,
  type Values,
} from "./fields";
import { compareFields, type Plan } from "./plan";
import type { Identity, OwnedObject, Owner, Registry } from "./registry";
import type { Aside, Run } from "./run";
import { type SecretPath, secretsOf, withSecrets } from "./secrecy";
import {
  defined,
  externalKey,
  failedKey,
  isRecord,
  type Kept,
  nonEmpty,
  observedKey,
  type Properties,
  secretsKey,
} from "./state";

/** Shows a warning. `found`: the ids that it ends with, if many objects may share it. All are shown: they may have been left behind. */
export type Warn = (message: string, found?: string) => void;

/** The service and the host, as an operation sees them. `call` and `setup` throw a Failure if the configuration is wrong. */
export interface Session extends Pick<Run, "closed" | "over"> {
  readonly call: Call;
  readonly setup: Setup;
  readonly warn: Warn;
  /** Shows now and then how far it is, once it takes long. */
  readonly progress: (line: string) => void;
  /** Masks these values from now on in everything that the operation says. */
  readonly mask: (...values: readonly unknown[]) => void;
  readonly registry: Registry;
  /** Waits that long, or until the run is over. */
  readonly pause: (ms: number) => Promise<void>;
  /** Acts on one of many objects, with secrets of its own: no answer is searched for the secrets of all objects. */
  readonly part: <T>(warn: Warn, act: (part: Session) => Promise<T>, aside?: Aside) => Promise<T>;
}

export interface Outcome<State = Properties> extends Kept<State> {
  /** Why the operation failed. The engine still saves the state. */
  readonly failure?: Failure | undefined;
}

/** Gives the resource of this run that has an object in state, took it over or only declares it, while another is deleted. */
export type OwnerOf = (workspaceId: unknown, id: string) => Owner | undefined;

/** The properties of a resource: inputs, outputs, and what is only in state. */
export interface Shape {
  readonly inputs: Inputs;
  /** Inputs that only check sets, so that the engine's diff shows what an update does (R21). No plan depends on them. */
  readonly announced?: Inputs;
  readonly outputs: StoredProperties;
  readonly hidden: StoredProperties;
}

type Common = {
  readonly [secretsKey]?: readonly SecretPath[] | undefined;
};

type Announced<S extends Shape> = S extends { readonly announced: infer A } ? A : object;
/** Inputs of an update: canonical, and every value is known. */
export type InputsOf<S extends Shape> = Declared<S["inputs"]> & Partial<Declared<Announced<S>>> & Common;
/** Inputs of a preview: any may be unknown or, in check, wrong. */
export type DraftOf<S extends Shape> = Draft<S["inputs"] & Announced<S>> & Common;
/** State, as far as its values have the right types: somebody may have edited it. */
export type StateOf<S extends Shape> = Partial<Declared<S["inputs"] & Announced<S>>> &
  Values<S["outputs"]> &
  Values<S["hidden"]> &
  Common & {
    readonly [observedKey]?: Properties | undefined;
    readonly [externalKey]?: true | undefined;
    readonly [failedKey]?: true | undefined;
  };

/** The program's inputs and, unless it is a create, the state to compare them with. */
export interface PlanArgs<S extends Shape> extends Partial<Resource<S>> {
  /** In canonical form. */
  readonly inputs: DraftOf<S>;
  /** The time of this run, in ms since 1970. */
  readonly time: number;
}

export type Resource<S extends Shape> = Kept<StateOf<S>>;

/** What check knows of a resource. */
export interface Former<S extends Shape> {
  /** The inputs that state stands for or, if the engine does not show the state, those of the last update. None for a new one. */
  readonly before: DraftOf<S> | undefined;
  /** If the engine shows it. */
  readonly state: StateOf<S> | undefined;
  /** The time of this run, in ms since 1970. */
  readonly time: number;
  /** Whether this is a preview. `undefined` if the host shows state to each check, so that the inputs need no times. */
  readonly isPreview: boolean | undefined;
}

/** A resource: its shape, its rules and its operations. `P` is its plan. */
export interface Definition<S extends Shape, P extends Plan = Plan> {
  readonly kind: string;
  readonly shape: S & {
    /** The inputs that a state stands for. Default: its properties of the same names. */
    inputsOf?(state: StateOf<S>): DraftOf<S>;
    /** The inputs that can have a secret of the program. Default: only those at its path. */
    secretPaths?(path: SecretPath): readonly SecretPath[];
  };
  /** The objects that it manages in the service. Default: the one object that has its id. */
  readonly objects?: {
    /** Their kind, if resources of several kinds manage such objects. Default: the resource's. */
    readonly kind?: string;
    of?(id: string, state: StateOf<S>): Iterable<OwnedObject>;
    /** Things that only one resource of a program may declare, such as the settings of a workspace. Unknown values have none. */
    identities?(inputs: DraftOf<S>): Iterable<Identity>;
    /** Whether they stay in the service when the resource is deleted: then that sends no request. Default: they don't. */
    stay?(state: StateOf<S>): boolean;
    /** Whether the engine should read them before each preview and update, if the host can say so. The read sends no request. */
    readonly readFirst?: true;
  };
  /** Check failures that concern several inputs. `before`: the inputs of the last update. Unknown values pass. */
  rules(inputs: DraftOf<S>, before: DraftOf<S> | undefined): readonly string[];
  /** What check adds to canonical inputs, so that the engine's diff shows which objects the update makes and deletes. Pure. */
  announce?(inputs: DraftOf<S>, former: Former<S>): DraftOf<S>;
  /** Decides what a create or an update does. Pure. Default: what `compareFields` says. */
  plan?(args: PlanArgs<S>): P;
  create(session: Session, inputs: InputsOf<S>, plan: P): Promise<Outcome<StateOf<S>>>;
  /**
   * The words about a create whose result nobody takes: `what` names its object. `delete` undoes it, unless its objects stay.
   * Default: nothing is undone or said, because the next create finds the object.
   */
  ifUnsaved?(inputs: InputsOf<S>): { readonly what: string; readonly advice: string } | undefined;
  /** How `pulumi import`, the option `import` and `get` find an object. Default: by no id. */
  readonly importing?: {
    /** The form of its id, such as "workspaceId/keyId". All parts but the last are properties, which `get` takes too. */
    readonly form: string;
    /** `undefined` if there is no such object. `get` later reads it again by the outcome's id. */
    read(session: Session, parts: readonly string[]): Promise<Outcome<StateOf<S>> | undefined>;
  };
  /** `undefined` when the object no longer exists. */
  read(session: Session, resource: Resource<S>): Promise<Outcome<StateOf<S>> | undefined>;
  update(session: Session, resource: Resource<S>, inputs: InputsOf<S>, plan: P): Promise<Outcome<StateOf<S>>>;
  /** Succeeds even if the object no longer exists. */
  delete(session: Session, resource: Resource<S>, ownerOf: OwnerOf): Promise<void>;
}

/** A definition of any shape: what the lifecycle works with. */
export type AnyDefinition = Omit<Definition<AnyShape>, "plan" | "announce"> & {
  /** Of the inputs that a program can set. */
  readonly schema: z.ZodMiniObject;
  /** All inputs. */
  readonly fields: readonly Field[];
  announce(inputs: Properties, former: Former<AnyShape>): Properties;
  plan(args: PlanArgs<AnyShape>): Plan;
  objectsOf(id: string, state: Properties): readonly OwnedObject[];
  identities(inputs: Properties): readonly Identity[];
  /** The inputs that a state stands for, in canonical form, with the list of secret ones. */
  inputsOf(state: Properties): Properties;
  /** The engine's properties as state: those that have the right types. */
  parse(properties: Properties): Properties;
};

interface AnyShape extends Shape {
  // biome-ignore lint/suspicious/noExplicitAny: the one place where types are given up.
  readonly inputs: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly announced: any;
}

export const ofEachResource: StoredProperties = {
  [observedKey]: { parse: (value) => nonEmpty(isRecord(value) ? value : {}) },
  [externalKey]: aMark,
  [failedKey]: aMark,
};

/** Erases the types of a definition. Its operations then rely on `parse`. */
export function define<S extends Shape, P extends Plan = Plan>(definition: Definition<S, P>): AnyDefinition {
  const { inputs, announced = {}, outputs, hidden } = definition.shape;
  const declarable = fieldsOf(inputs);
  const fields = [...declarable, ...fieldsOf(announced)];
  const none = Object.fromEntries(Object.keys(announced).map((name) => [name, undefined]));
  // No default is filled in for the others: an input that is absent from state was not declared.
  const declaredOf = (properties: Properties) =>
    fields.filter(({ name }) => (properties[name] ?? undefined) !== undefined);
  const stored = { ...outputs, ...hidden, ...ofEachResource };
  const erased = definition as unknown as Definition<AnyShape>;
  const { objects, shape } = erased;
  return {
    ...erased,
    schema: z.strictObject(Object.fromEntries(declarable.map(({ name, schema }) => [name, schema]))),
    fields,
    parse: (properties) => ({
      ...withSecrets(canonicalInputs(declaredOf(properties), properties), secretsOf(properties)),
      ...parsed(stored, properties),
    }),
    announce: (given, former) => defined({ ...given, ...none, ...erased.announce?.(given, former) }),
    plan: (args) => erased.plan?.(args) ?? compareFields(declarable, args),
    objectsOf: (id, state) => [...(objects?.of?.(id, state) ?? [{ workspaceId: state["workspaceId"], id }])],
    identities: (declared) => [...(objects?.identities?.(declared) ?? [])],
    inputsOf: (state) =>
      withSecrets(canonicalInputs(fields, shape.inputsOf?.(state) ?? state), secretsOf(state)),
  };
}
