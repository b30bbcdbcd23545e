import type { Kept } from "../../provider/core/state";
import { type HostedResource, HostFailure } from "../../test/host/host";
import type { Kind } from "./program";

/** A resource in one process of the provider; what fails is a HostFailure, or an OperationFailed. */
export type Resource = Pick<HostedResource, "check" | "diff" | "create" | "read" | "update" | "delete">;

/** An operation that failed, as the engine is told. */
export class OperationFailed extends Error {
  /** The state that the engine keeps although the operation failed. */
  readonly kept: Kept | undefined;

  constructor(message: string, kept?: Kept) {
    super(message);
    this.kept = kept;
  }
}

/** Anything else is a bug of the campaign. */
export function failureOf(error: unknown): OperationFailed {
  if (error instanceof OperationFailed) return error;
  if (!(error instanceof HostFailure)) throw error;
  const { message, kept } = error;
  return new OperationFailed(message, kept && { id: kept.id, state: kept.properties });
}

export const interruptions = ["ctrlC", "twoCtrlC", "engineKilled", "hostKilled"] as const;
/**
 * - ctrlC: the engine waits for what is under way, and begins nothing more.
 * - twoCtrlC: the host is told at once; results are thrown away.
 * - engineKilled: the same, but the host isn't told, and its stderr has no reader any more.
 * - hostKilled: what is under way in the host ends there and then.
 */
export type InterruptionKind = (typeof interruptions)[number];

/** A process of the provider, as one command of the engine starts it. */
export interface Actor {
  resource(kind: Kind, name: string): Resource;
  /** Settles when the process knows, where it is told, or has ended. */
  interrupt(kind: InterruptionKind): Promise<void>;
  /** Ends it when its work is done. */
  stop(): Promise<void>;
  /** Its messages to the user. */
  warnings(): string;
  /** Its output for users who set APIKEYS_DEBUG=1. */
  debug(): string;
}

/** Where an actor finds the service. */
export interface Service {
  readonly url: string;
  readonly accessToken: string;
  /** By how much the clock of the actor's process is ahead. */
  readonly aheadMs: number;
  /** Whether a delete is told its resource, and a check its state, as in the plugin. */
  readonly tellsNames: boolean;
}

export type StartActor = (service: Service) => Promise<Actor>;
