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
  /** Whether the object lives in the service; asked when state loses it. */
  readonly alive: (entry: Entry) => boolean;
}
