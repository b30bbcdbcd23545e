import type { Fault } from "../../standin";

/**
 * What an answer means to the client:
 * - `usable`: the record can be used;
 * - `lost`: a 2xx that can't be used: `ambiguous` for a GET, no record for a write;
 * - `ambiguous`, `refused`: the verdict, whatever the method;
 * - `foreign`: another record: `lost` if the request has an id, otherwise `usable`;
 * - `throttled`: refused in the end, after pauses.
 */
export type Meaning = "usable" | "lost" | "ambiguous" | "refused" | "foreign" | "throttled";

export interface HostileAnswer {
  readonly name: string;
  readonly fault: Fault;
  readonly meaning: Meaning;
  /** What the message must say. */
  readonly says?: RegExp;
}
