import type { Actor } from "./actor";
import type { Control } from "./control";
import type { Entry } from "./trace";

/** Where one command of the engine takes place. */
export interface Site {
  readonly actor: Actor;
  readonly control: Control;
  readonly parallel: boolean;
  /** The number of the service's last request. */
  readonly requests: () => number;
  /** Those of its ids whose object lives in the service; asked when state loses some. */
  readonly living: (entry: Entry) => readonly string[];
}
