import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../provider/core/state";
import type { Entry } from "./engine";
import { deletedIn, type Finding, type Scene } from "./findings";
import { heldKeys } from "./heldKeys";

const hourMs = 3_600_000;
const unitHours: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 };
/** Clocks and commands take their time. */
const slackMs = 60_000;

/** A command's changes to the rotating keys that it found in state. */
export function rotations(scene: Scene): readonly Finding[] {
  const { command } = scene;
  return command.before.filter(isRotating).flatMap((before) => {
    const declared = command.program.find(({ name }) => name === before.name)?.inputs;
    const after = command.state.find((entry) => isRotating(entry) && entry.name === before.name);
    const isReplaced = command.operations.some(
      (one) => one.resource === before.name && one.name === "create",
    );
    if (declared === undefined || command.name === "destroy" || isReplaced || after?.id !== before.id)
      return [];
    return judged(scene, before, after, declared);
  });
}

function isRotating({ kind, doomed }: Entry): boolean {
  return kind === "RotatingApiKey" && !doomed;
}

function judged(scene: Scene, before: Entry, after: Entry, declared: Properties): readonly Finding[] {
  const { now, live, liveBefore } = scene.command;
  const [ids, idsAfter] = [idsOf(before), idsOf(after)];
  const works = (keys: typeof live) =>
    keys.some(({ id, enabled }) => ids.includes(id) && (enabled || !isOn(before.inputs) || !isOn(declared)));
  const { keyId, previousKeyId, key } = before.state;
  // Since the current key was first in state, on the clock of the commands.
  const first = scene.trace.commands.find(({ state }) =>
    state.some((entry) => isRotating(entry) && entry.state["keyId"] === keyId),
  );
  const age = now - (first?.now ?? now) + slackMs;
  const isRetired = previousKeyId !== undefined && deletedIn(scene).includes(String(previousKeyId));
  const isRotated = keyId !== undefined && after.state["keyId"] !== keyId;
  const isOver = age >= msOf(declared["overlap"] ?? "7d");
  const isDue = age >= msOf(declared["rotateEvery"]);
  const isLost = key === undefined || before.halfDone || !liveBefore.some(({ id }) => id === keyId);
  const isAsked = !isDeepStrictEqual(declared["keepers"], before.state["keepers"]);
  const offTime = [
    ...(isRetired && isRotated ? ["both at once"] : []),
    // An overlap of no length is over, whatever the clock says.
    ...(isRetired && !isOver && msOf(declared["overlap"] ?? "7d") > 0 ? ["deleted amid its overlap"] : []),
    ...(isRotated && !isDue && !isLost && !isAsked ? ["rotated before its time"] : []),
  ];
  const isTooMany = live.filter(({ id }) => idsAfter.includes(id)).length > 2;
  return [
    ...(works(liveBefore) && !works(live)
      ? [{ column: "accessEnded", what: ids.join(" and ") } as const]
      : []),
    ...(isTooMany ? [{ column: "tooMany", what: idsAfter.join(", ") } as const] : []),
    ...offTime.map((what) => ({ column: "offTime", what: `${before.name}: ${what}` }) as const),
  ];
}

function idsOf(entry: Entry): readonly string[] {
  return heldKeys(entry).flatMap(({ id }) => id ?? []);
}

function isOn({ enabled }: Properties): boolean {
  return enabled !== false;
}

function msOf(duration: unknown): number {
  const [, count, unit] = /^(\d+)([hdw])$/.exec(String(duration)) ?? [];
  return Number(count) * (unitHours[unit ?? ""] ?? Number.NaN) * hourMs;
}
