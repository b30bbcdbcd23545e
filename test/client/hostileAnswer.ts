import type { Fault } from "../../standin";

/**
 * What an answer means to the client:
 * - `usable`: the record can be used;
 * - `lost`: a 2xx that can't be used: invalidAnswer for a GET, no record for a write;
 * - `ambiguous`, `refused`: the verdict, whatever the method;
 * - `foreign`: another record: `lost` if the request has an id, otherwise `usable`;
 * - `large`: too large for one record, but not for a list;
 * - `throttled`: refused in the end, after pauses.
 */
export type Meaning = "usable" | "lost" | "ambiguous" | "refused" | "foreign" | "large" | "throttled";

export interface HostileAnswer {
  readonly name: string;
  readonly fault: Fault;
  readonly meaning: Meaning;
  /** What the message must say. */
  readonly says?: RegExp;
}
