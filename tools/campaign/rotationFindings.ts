import { isDeepStrictEqual } from "node:util";
import type { StoredKey } from "../../standin";
import type { Finding } from "./findings";
import { idsIn } from "./heldKeys";
import { isAbout } from "./reading";
import type { Properties } from "./schedule";
import type { CommandRecord, Entry, OperationRecord, StackState, Trace } from "./trace";

const nothing: StackState = { entries: [] };
const hourMs = 3_600_000;
const unitHours: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 };

/** A rotating key in one command. */
interface Turn {
  readonly command: CommandRecord;
  readonly before: Entry;
  readonly after: Entry | undefined;
  /** What the command did with it, if anything. */
  readonly operation: OperationRecord | undefined;
  /** As it is declared in this command. */
  readonly declared: Properties | undefined;
  /** The keys that its users have had since before the command. */
  readonly handedOut: readonly string[];
  /** When the current key was first in state, on the clock of the commands. */
  readonly sinceMs: number | undefined;
}

/** The commands that found it in state, one after the other. */
function turnsOf({ commands }: Trace): readonly Turn[] {
  const turns: Turn[] = [];
  let state = nothing;
  const handed = new Map<string, readonly string[]>();
  const since = new Map<string, number>();
  for (const command of commands) {
    for (const before of rotatingIn(state)) {
      const { name } = before;
      const operation = command.operations.find(
        (one) => one.resource === name && (one.name === "update" || one.name === "create"),
      );
      turns.push({
        ...{ command, before, operation },
        after: rotatingIn(command.after).find((entry) => entry.name === name),
        declared: command.program.find((one) => one.name === name)?.inputs,
        handedOut: handed.get(before.id) ?? [],
        sinceMs: since.get(currentId(before) ?? ""),
      });
    }
    for (const entry of rotatingIn(command.after)) {
      const id = currentId(entry);
      if (id !== undefined && !since.has(id)) since.set(id, command.aheadMs);
      const isRed = command.operations.some(
        ({ resource, ended }) => resource === entry.name && ended !== "well",
      );
      // What an operation that failed leaves is in state alone.
      if (!isRed) handed.set(entry.id, idsOf(entry));
    }
    state = command.after;
  }
  return turns;
}

function rotatingIn({ entries }: StackState): readonly Entry[] {
  return entries.filter(({ kind, doomed }) => kind === "RotatingApiKey" && !doomed);
}

function currentId({ state }: Entry): string | undefined {
  return state["keyId"] as string | undefined;
}

function previousId({ state }: Entry): string | undefined {
  return state["previousKeyId"] as string | undefined;
}

function idsOf(entry: Entry): readonly string[] {
  return [currentId(entry), previousId(entry)].filter((id) => id !== undefined);
}

function at({ name, step, repetition }: CommandRecord): string {
  return `${name} ${step}.${repetition}`;
}

/** Of the keys that users have, one worked before an up or a refresh, and none after it. */
export function accessEnded(trace: Trace): readonly Finding[] {
  return turnsOf(trace)
    .filter((turn) => turn.declared !== undefined && !isReplaced(turn))
    .filter(({ command, before, declared = {}, handedOut }) => {
      const isOn = before.inputs["enabled"] !== false && declared["enabled"] !== false;
      const works = (live: readonly StoredKey[]) =>
        handedOut.some((id) => live.some((key) => key.id === id && (key.enabled || !isOn)));
      return command.name !== "destroy" && works(command.liveBefore) && !works(command.live);
    })
    .map(({ command, handedOut }) => ({
      column: "accessEnded",
      what: `${handedOut.join(" and ")} in ${at(command)}`,
    }));
}

/** Another object takes its place, as the program asks. */
function isReplaced({ command, before, operation, after }: Turn): boolean {
  const isDoomed = command.after.entries.some(({ name, doomed }) => doomed && name === before.name);
  return operation?.name === "create" || isDoomed || (after !== undefined && after.id !== before.id);
}

/** More than two keys of it in state live. */
export function tooMany({ commands }: Trace): readonly Finding[] {
  return commands.flatMap((command) =>
    rotatingIn(command.after).flatMap((entry) => {
      const live = idsIn(entry).filter((id) => command.live.some((key) => key.id === id));
      return live.length > 2 ? [{ column: "tooMany", what: `${live.join(", ")} after ${at(command)}` }] : [];
    }),
  );
}

/** A key was made or deleted before its time, or both in one update. */
export function offTime(trace: Trace): readonly Finding[] {
  return turnsOf(trace).flatMap((turn) => {
    const { command, before, operation, declared } = turn;
    if (operation?.name !== "update" || declared === undefined) return [];
    const asked = trace.requests
      .slice(operation.from, operation.until)
      .filter(({ carriedOut }) => carriedOut);
    const previous = previousId(before);
    const retires =
      previous !== undefined &&
      asked.some((request) => request.endpoint === "deleteApiKey" && isAbout(request, previous));
    // Another resource may create a key for the same customer at the same time.
    const others = command.operations.filter((one) => one !== operation && one.name === "create");
    const rotates = asked.some(
      ({ endpoint, body, n }) =>
        (endpoint === "createApiKey" || endpoint === "migrateApiKey") &&
        Object(body)["customerId"] === declared["customerId"] &&
        !others.some(({ from, until }) => from < n && n <= until),
    );
    const what = [
      ...(retires && rotates ? ["both at once"] : []),
      ...(retires && !isOver(turn, declared) ? ["deleted amid its overlap"] : []),
      ...(rotates && !isDue(turn, declared) ? ["rotated before its time"] : []),
    ];
    return what.map((one) => ({ column: "offTime" as const, what: `${one} in ${at(command)}` }));
  });
}

/** Clocks and commands take their time. */
const slackMs = 60_000;

function isOver({ command, sinceMs }: Turn, { overlap = "7d" }: Properties): boolean {
  // One of no length is over, whatever the clock says.
  if (msOf(overlap) === 0) return true;
  return sinceMs !== undefined && command.aheadMs - sinceMs >= msOf(overlap) - slackMs;
}

function isDue({ command, before, sinceMs }: Turn, { rotateEvery, ...declared }: Properties): boolean {
  const id = currentId(before);
  const isAsked = !isDeepStrictEqual(declared["keepers"], before.state["keepers"]);
  const isLost = id === undefined || before.state["key"] === undefined || before.halfDone;
  const isGone = !command.liveBefore.some((key) => key.id === id);
  const age = command.aheadMs - (sinceMs ?? Number.NaN);
  return isAsked || isLost || isGone || age >= msOf(rotateEvery) - slackMs;
}

function msOf(duration: unknown): number {
  const [, count, unit] = /^(\d+)([hdw])$/.exec(String(duration)) ?? [];
  return Number(count) * (unitHours[unit ?? ""] ?? Number.NaN) * hourMs;
}
