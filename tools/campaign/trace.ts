import type { LoggedRequest, StoredKey } from "../../standin";
import type { InterruptionKind, Kind, Program, Properties, Schedule } from "./schedule";

/** The record of a run of a schedule: all that is judged afterwards. */
export interface Trace {
  readonly schedule: Schedule;
  readonly interruptsAtOnce: boolean;
  readonly closesOnCancel: boolean;
  readonly commands: readonly CommandRecord[];
  /** Every key that the provider's requests made, as it was made. */
  readonly made: readonly MadeKey[];
  readonly requests: readonly LoggedRequest[];
  /** The keys that live in the service at the end. */
  readonly live: readonly StoredKey[];
  /** Requests that a redirect has led to another origin. */
  readonly ledAstray: number;
  /** Secrets besides those of the keys made. */
  readonly secrets: readonly string[];
  /** Whether what was declared last holds once nothing goes wrong any more. */
  readonly converged: boolean;
}

export interface MadeKey {
  readonly key: StoredKey;
  /** The number of the request that made it. */
  readonly request: number;
}

export type CommandName = "up" | "refresh" | "destroy";

/** One command of the engine. */
export interface CommandRecord {
  readonly name: CommandName;
  /** Which step of the schedule it belongs to; steps.length for what comes after them. */
  readonly step: number;
  /** 0: the step itself, else the how-manieth repetition. */
  readonly repetition: number;
  readonly program: Program;
  /** The requests of the service's log from the command's begin to its end: (from, until]. */
  readonly from: number;
  readonly until: number;
  readonly interruption: InterruptionKind | undefined;
  /** When the provider knew that it is to begin nothing new, as far as that is seen. */
  readonly closedAt?: number | undefined;
  readonly green: boolean;
  readonly operations: readonly OperationRecord[];
  readonly after: StackState;
  /** The keys that lived in the service when it ended. */
  readonly live: readonly StoredKey[];
  /** Those that lived when it began. */
  readonly liveBefore: readonly StoredKey[];
  /** By how much its clock was ahead of the service's. */
  readonly aheadMs: number;
  /** Keys that somebody else changed since the stack last looked at them, by their ids. */
  readonly drifted: ReadonlySet<string>;
  /** What the user reads besides the operations' errors. */
  readonly told: string;
  /** What nobody reads, or only who asked for it. */
  readonly untold: string;
}

export type OperationName = "check" | "diff" | "create" | "read" | "update" | "delete";

export interface OperationRecord {
  readonly name: OperationName;
  readonly resource: string;
  readonly kind: Kind;
  /** What it was asked with. */
  readonly inputs: Properties;
  /** The requests of the service's log from the operation's begin to its end: (from, until]. */
  readonly from: number;
  until: number;
  /** "dropped": the result was thrown away, as nobody waited for it. */
  ended: "well" | "failed" | "dropped";
  message: string;
  /** The id of what it was about, or has made. */
  id: string | undefined;
  /** The ids that state lost with it although their objects lived in the service. */
  lostAlive: readonly string[];
}

/** The engine's state of a stack. */
export interface StackState {
  readonly entries: readonly Entry[];
}

export interface Entry {
  /** Two entries may have the same name, and even the same id. */
  readonly serial: number;
  readonly name: string;
  readonly kind: Kind;
  readonly id: string;
  readonly inputs: Properties;
  readonly state: Properties;
  /** Whether the last operation failed after the object was made or changed. */
  readonly halfDone: boolean;
  /** Replaced, and still to be deleted. */
  readonly doomed: boolean;
  /** Whether its object stays when it is removed. */
  readonly retain?: boolean | undefined;
}
