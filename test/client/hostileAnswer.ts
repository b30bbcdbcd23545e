import type { Fault } from "../../standin";

/**
 * What an answer is to the client (the table of outcomes):
 * - `usable`: the record is as good as any;
 * - `lost`: 2xx, but not to be used: invalidAnswer to a GET, and for a write the record that nobody knows;
 * - `ambiguous`, `refused`: the verdict, whatever the method;
 * - `foreign`: another record: as `lost` where an id was asked for, as `usable` where none was;
 * - `large`: too large for one record, not for a list;
 * - `throttled`: refused in the end, after pauses.
 */
export type Meaning = "usable" | "lost" | "ambiguous" | "refused" | "foreign" | "large" | "throttled";

export interface HostileAnswer {
  readonly name: string;
  readonly fault: Fault;
  readonly meaning: Meaning;
  /** What the message says of it. */
  readonly says?: RegExp;
}
