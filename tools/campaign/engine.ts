import type { Program, Schedule, Trouble } from "./schedule";
import type { Stage } from "./stage";
import type { CommandName, CommandRecord, StackState } from "./trace";

/** A command as it is given to the engine. */
export interface Order {
  readonly name: CommandName;
  readonly program: Program;
  /** An up that refreshes first. */
  readonly refreshes?: boolean;
}

/** What came of a command. */
export type Ran = Pick<
  CommandRecord,
  "interruption" | "closedAt" | "checkpointLost" | "green" | "operations" | "after" | "told" | "untold"
>;

/** Whatever runs the commands of one schedule. */
export interface Engine {
  /** Whether an up that refreshes first is one command, and not two. */
  readonly refreshesWithUp: boolean;
  /** Whether an interruption reaches the provider amid the very request for which it was drawn. */
  readonly interruptsAtOnce: boolean;
  /** Whether the provider begins nothing new after one Ctrl-C, so that state then holds all that it made. */
  readonly closesOnCancel: boolean;
  /** `before` is what the last command left. */
  run(order: Order, before: StackState, trouble: Trouble | undefined): Promise<Ran>;
  /** Whether an up would have nothing to do. */
  isSettled(program: Program, state: StackState): Promise<boolean>;
  close(): Promise<void>;
}

export type OpenEngine = (schedule: Schedule, stage: Stage) => Promise<Engine>;
