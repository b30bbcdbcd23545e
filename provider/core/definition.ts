import * as z from "zod";
import type { Call } from "../client/endpoints";
import type { CheckContext } from "./declarations";
import type { Known } from "./registry";
import type { Follows } from "./secrecy";
import type { Canonical, ManagedField, Properties } from "./state";

/** What the lifecycle has to know about an input, stated beside its schema. */
export interface FieldFacts {
  /** What a change in the program does: an update in place, a replacement, or a failure of check (by `rules`). */
  readonly onChange: "update" | "replace" | "refuse";
  /** Gives the canonical form in which values are compared, stored and shown. */
  readonly canonical: Canonical;
  /**
   * Whether the value is a secret wherever it stands, whatever the program says; or the names that lead to the secret in
   * it, "*" for any.
   */
  readonly secret?: true | readonly string[];
  /** Stands for an absent value. */
  readonly default?: unknown;
  /** The names that an object in this field may hold, by the path to it, for the nearest known name in a failure. */
  readonly names?: (path: readonly PropertyKey[]) => readonly string[];
}

/** Facts by field schema: `schema.register(facts, {...})`. */
export const facts = z.registry<FieldFacts>();

/** Tells the user something that fails nothing; `about` are the ids that it speaks of, for where it is told in short. */
export type Warn = (message: string, about?: readonly string[]) => void;

/** What an operation works with. */
export interface Session {
  /** Throws a Failure where the configuration is missing or bad. */
  readonly call: Call;
  /** What to do when the service does not accept the access token; throws as `call` does. */
  readonly tokenAdvice: string;
  readonly warn: Warn;
  /** Keeps these texts out of all that the operation says from now on, as it keeps the access token out. */
  readonly hide: (...secrets: readonly unknown[]) => void;
  /** The same for texts and numbers that records of the service may hold, such as a name that the program made secret. */
  readonly conceal: (...values: readonly unknown[]) => void;
  /** The objects of this kind that stand in state, as far as this process has met them, and those it made itself. */
  readonly known: Known;
  /** Says what stands in the service, and in no state, should the operation's result never be taken. */
  readonly leaves: (line: string | undefined, of?: string) => void;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Why nobody waits for the result any more, asked anew; `undefined` while somebody does. */
  readonly over: () => Promise<string | undefined>;
  /** Waits so long, or until nobody waits for the result any more. */
  readonly pause: (ms: number) => Promise<void>;
  /** Shows how far an operation has come that takes long. */
  readonly tell: (line: string) => void;
  /** How many things are worked on at once where there are many; throws as `call` does. */
  readonly parallel: number;
  /** Whether a key may be gone although no list of keys can be read; throws as `call` does. */
  readonly withoutKeyList: boolean;
  /**
   * A session for one of the many things of this operation, by its name: what it leaves, hides and warns of is its own,
   * so that the answers to one are not searched for the secrets of all.
   */
  readonly part: (name: string, warn: Warn) => Session;
  /** The text without what is hidden. */
  readonly masked: (text: string) => string;
}

/** What holds after an operation. With `failure` the operation failed, and the engine keeps this all the same. */
export interface Outcome {
  readonly id: string;
  readonly state: Properties;
  readonly failure?: string;
  /** Lines of the failure for each of several things. */
  readonly lines?: readonly string[];
  /** What may stand in the service and in no state: said even where nobody hears of the failure. */
  readonly unresolved?: readonly string[];
}

/** One of the objects in the service that a resource stands for. */
export interface Member {
  readonly id: string;
  readonly properties: Properties;
  /** Tells the resource from others that stand for the same object. Default: it may go, whoever else stands for it. */
  readonly holder?: string | undefined;
}

/** The objects of a resource that stands for several. */
export interface Members {
  declared(inputs: Properties): Iterable<Properties>;
  held(state: Properties, id: string): Iterable<Member>;
}

/** Everything that the lifecycle needs of a resource. A resource file fills it in. */
export interface Definition {
  readonly kind: string;
  /** The kind of the objects in the service, where several kinds of resources stand for such. Default: `kind`. */
  readonly of?: string;
  /** Default: the resource stands for the one object of its own id and properties. */
  readonly members?: Members;
  /** Of a resource that stands for one object: as `Member.holder`. */
  holder?(state: Properties): string | undefined;
  /** The inputs; every field registered with its facts. */
  readonly schema: z.ZodObject;
  /** Values that the service holds once, and what a message calls the object that the inputs make from each. */
  given?(inputs: Properties): Iterable<readonly [value: string, name: string]>;
  /** Failures that concern several fields; `before` holds the inputs of the last up. Unknown values pass. */
  rules(inputs: Properties, before: Properties | undefined, context?: CheckContext): readonly string[];
  /**
   * The one thing that canonical inputs stand for, where no two resources of a program may stand for the same.
   * `undefined`: for none, or it is not known yet. Default: for none.
   */
  identity?(inputs: Properties): string | undefined;
  /**
   * Whether the state alone asks for action, whatever the program says: `undefined` if not, else the properties that
   * only a replacement mends, none for an update.
   */
  pending?(state: Properties): readonly string[] | undefined;
  /** Whether a new value of a field means the same as the state although it is spelled otherwise. */
  unchanged?(field: string, state: Properties, value: unknown, inputs: Properties): boolean;
  /** Where else in state the value at this path of the inputs may stand, or another that came in its place. */
  readonly follows?: Follows;
  /** What a change of the program ends that the engine's own preview does not show. */
  foretold?(state: Properties, inputs: Properties): string | undefined;
  /** The state without those outputs that bear the name of an input which the program left out. Default: all of it. */
  declared?(state: Properties): Properties;
  create(session: Session, inputs: Properties): Promise<Outcome>;
  /**
   * Takes back, where it can, what a create made whose result the engine does not take. Gives a line for all that still
   * stands in the service and in no state. Default: the next create finds what this one made.
   */
  abandon?(session: Session, made: Outcome): Promise<readonly string[]>;
  /**
   * `undefined` when the object no longer exists. Where nothing has changed, `state` as it was given, the same object,
   * if that is known: the engine then keeps the inputs that it has.
   */
  read(session: Session, id: string, state: Properties): Promise<Outcome | undefined>;
  update(session: Session, id: string, state: Properties, inputs: Properties): Promise<Outcome>;
  /** As `abandon`, for what an update made that the state before it does not hold. Default: an update makes nothing. */
  withdraw?(session: Session, made: Outcome, before: Properties): Promise<readonly string[]>;
  /** Whether `delete` deletes the objects in the service. Default: it leaves them there. */
  readonly deletes?: true;
  /** Succeeds too when the object no longer exists. `declared`: the program of this run declares its `identity` anew. */
  delete(session: Session, id: string, state: Properties, declared: boolean): Promise<void>;
}

export interface Field extends ManagedField {
  readonly facts: FieldFacts;
}

/** The inputs of a resource with their facts, in the order of its schema. */
export function fieldsOf(schema: z.ZodObject): readonly Field[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const known = facts.get(field as z.ZodType);
    if (known === undefined) throw new Error(`the field ${name} has no facts`);
    return { name, facts: known, canonical: withDefault(known) };
  });
}

/** The canonical form, in which the default stands for every value that means the same as none, "" too. */
export function withDefault({ canonical, default: absent }: FieldFacts): Canonical {
  return (value) => canonical(value ?? absent) ?? absent;
}

/** Absent, null and "" are one value. */
export const text: Canonical = (value) => (value === null || value === "" ? undefined : value);
/** Absent and null are one value, and so are 0 and -0, which JSON does not tell apart. */
export const number: Canonical = (value) => (value === 0 ? 0 : (value ?? undefined));
/** Absent, null and false are one value. */
export const flag: Canonical = (value) => value ?? false;
/** Absent, null and {} are one value. */
export const map: Canonical = (value) =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0) ? undefined : value;
