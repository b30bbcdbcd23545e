/** What the campaign looks for: each must never happen. */
export const columns = {
  lostSilently: "keys lost silently",
  unnamed: "live keys whose id stands in no state, error or stderr",
  secondGrants: "second POSTs carried out for one value of grant",
  secondScopes: "second POSTs carried out for one scope",
  withoutSecret: "green runs that end without a secret",
  begunLate: "writes begun after one Ctrl-C (plugin)",
  unsaved: "keys that state does not hold after one Ctrl-C (plugin)",
  droppedAlive: "states dropped while the object lived",
  wider: "permissions wider than declared without an error",
  notDone: "green ends at which a key is not as declared",
  adoptedEnded: "keys that existed before, deleted without being asked",
  takenAway: "keys deleted although another resource has or adopts them",
  secretLost: "secrets of live keys that state lost, though nothing adopted the key",
  adoptionMade: "keys made where one that exists was to be adopted",
  accessEnded: "moments at which no key of a rotating key works",
  tooMany: "rotating keys with more than two that live",
  offTime: "rotations and retirements before their time, or in one update",
  refreshWrote: "writes that a refresh sent",
  secrets: "secrets found",
  stuck: "runs that did not converge though they could",
  defects: "unforeseen errors",
  unplayed: "schedules that could not be played",
} as const;
export type Column = keyof typeof columns;

export interface Finding {
  readonly column: Column;
  readonly what: string;
  /** The documented limit under which it is counted apart, and is no violation. */
  readonly apart?: string;
}
