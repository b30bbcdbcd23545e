import type { Kind, Properties } from "./schedule";

/** A resource as the engine holds it between two operations. */
export interface Held {
  readonly id: string;
  readonly state: Properties;
}

/** An operation that failed, as the engine is told. */
export class OperationFailed extends Error {
  /** What the engine is to keep all the same. */
  readonly kept: Held | undefined;

  constructor(message: string, kept: Held | undefined) {
    super(message);
    this.kept = kept;
  }
}

/** One kind of resource in one process of the provider; what fails is an OperationFailed. */
export interface Resource {
  check(inputs: Properties, before: Properties | undefined, name: string): Promise<Checked>;
  /** `undefined`: the engine is to compare the inputs itself. */
  diff(
    held: Held,
    inputs: Properties,
    name: string,
  ): Promise<{ changes: boolean | undefined; replaces: readonly string[] }>;
  create(inputs: Properties): Promise<Held>;
  /** `undefined` when the object no longer exists. */
  read(held: Held): Promise<(Held & { readonly inputs?: Properties | undefined }) | undefined>;
  update(held: Held, inputs: Properties): Promise<Properties>;
  delete(held: Held, name: string): Promise<void>;
}

interface Checked {
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

/** A process of the provider, as one command of the engine starts it. */
export interface Actor {
  resource(kind: Kind): Resource;
  /** The engine begins nothing more, and still takes results; settles when the process knows, where it is told. */
  cancel(): Promise<void>;
  /** The run was interrupted, nobody takes results, and the process is told so. */
  interrupt(): void;
  /** The engine is gone. */
  desert(): void;
  /** The process ends amid its work. */
  kill(): Promise<void>;
  /** Ends it when its work is done. */
  stop(): Promise<void>;
  /** What it has told the user. */
  warnings(): string;
  /** What it writes for whoever asked for it with APIKEYS_DEBUG=1. */
  debug(): string;
}

/** Where an actor finds the service. */
export interface Service {
  readonly url: string;
  readonly accessToken: string;
  /** By how much the clock of the actor's process is ahead. */
  readonly aheadMs: number;
  /** Whether a delete is told its resource, as in the plugin. Default: it is. */
  readonly tellsNames?: boolean;
  /** Variables of that process beside those. */
  readonly env?: Readonly<Record<string, string>>;
}

export type StartActor = (service: Service) => Promise<Actor>;
