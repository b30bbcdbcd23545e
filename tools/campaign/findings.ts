import type { LoggedRequest } from "../../standin";
import { declaredKeys, heldKeys, idsIn } from "./heldKeys";
import type { CommandRecord, Trace } from "./play";

/** Where schedules are played: below the host and the engine, or in the plugin, over gRPC. */
export type TierName = "process" | "plugin";

/** The events that the campaign looks for: each must never happen. */
export const columns = {
  lostSilently: "keys lost silently",
  unnamed: "live keys whose id stands in no state, error or stderr",
  secondPosts: "second POSTs carried out for one value of grant, or for one scope",
  withoutSecret: "green runs that end without a secret, or with another key's",
  unsaved: "keys that state does not hold after one Ctrl-C (plugin)",
  droppedAlive: "states dropped while the object lived",
  reverted: "rights changed by hand that an update or a destroy reverted unseen",
  wider: "permissions wider than declared without an error",
  notDone: "green ends at which a key is not as declared",
  strangeWrites: "keys edited or deleted that are not the stack's",
  unasked: "keys deleted without being asked",
  unannounced: "new keys and deletions that differ from the inputs' diff, in green updates",
  takenAway: "keys deleted although another resource has or adopts them",
  secretLost: "secrets of live keys that state lost, though nothing adopted the key",
  accessEnded: "moments at which no key of a rotating key works",
  tooMany: "rotating keys with more than two that live",
  offTime: "rotations and retirements before their time, or in one update",
  refreshWrote: "writes that a refresh sent",
  secrets: "secrets found",
  stuck: "runs that did not converge though they could",
  defects: "unforeseen errors",
  unplayed: "schedules that could not be played",
} as const;

export interface Finding {
  readonly column: keyof typeof columns;
  readonly what: string;
  /** The documented limit under which it is counted apart, and not as a violation. */
  readonly apart?: string | undefined;
}

/** One command, the requests of its time, and what is known of the whole run. */
export interface Scene extends ReturnType<typeof factsOf> {
  readonly tier: TierName;
  readonly trace: Trace;
  readonly command: CommandRecord;
  readonly asked: readonly LoggedRequest[];
}

export function factsOf({ made, schedule, commands, secrets }: Trace) {
  const programs = commands.flatMap(({ program }) => program);
  const shared = programs.filter(({ shares }) => shares !== undefined).flatMap(declaredKeys);
  return {
    /** The secrets of the keys that were made, by their ids. */
    secretOf: new Map<unknown, string>(made.map(({ key }) => [key.id, key.key])),
    /** All that no text may show. */
    secrets: new Set([...secrets, ...made.map(({ key }) => key.key)]),
    /** The keys that somebody else had made. */
    existing: new Set<unknown>(schedule.existing.map(({ id }) => id)),
    /** The keys that another resource was to adopt. */
    shared: new Set(shared.flatMap(({ inputs }) => inputs["existingId"] ?? [])),
  };
}

/** The key that a carried-out request edits or deletes. */
export function keyOf({ path }: Pick<LoggedRequest, "path">): string {
  return decodeURIComponent(path.split("/").at(-1) ?? "");
}

/** The keys that were deleted at the request of the provider. */
export function deletedIn({ asked }: Pick<Scene, "asked">): readonly string[] {
  return asked.filter(({ endpoint, carriedOut }) => endpoint === "deleteApiKey" && carriedOut).map(keyOf);
}

/** The keys that a command lets go of, as the program asks: by `retainOnDelete`, or by `release`. */
export function releasedIn({ program, before }: CommandRecord): ReadonlySet<unknown> {
  const released = new Set(
    program.flatMap((declared) =>
      declaredKeys(declared)
        .filter(({ inputs }) => inputs["release"] === true)
        .flatMap(({ place, inputs }) => [place, `${declared.name}.${inputs["renamedFrom"]}`]),
    ),
  );
  return new Set(
    before.flatMap((entry) =>
      entry.retain
        ? idsIn(entry)
        : heldKeys(entry).flatMap(({ place, id }) => (id !== undefined && released.has(place) ? [id] : [])),
    ),
  );
}
