import type { Finding } from "./findings";
import { declaredKeys, heldKeys, idsIn } from "./heldKeys";
import { isAbout, makersOf } from "./reading";
import type { CommandRecord, Entry, StackState, Trace } from "./trace";

const nothing: StackState = { entries: [], pending: [] };

/** Each command with the state that it found. */
function withBefore({ commands }: Trace) {
  return commands.map((command, n) => ({ command, before: commands[n - 1]?.after ?? nothing }));
}

/** A key that existed before was deleted, although the program declares it still, or no state has ever held it. */
export function adoptedEnded(trace: Trace): readonly Finding[] {
  return withBefore(trace).flatMap(({ command, before }) => {
    const deletions = trace.requests
      .slice(command.from, command.until)
      .filter(({ endpoint, carriedOut }) => endpoint === "deleteApiKey" && carriedOut);
    return deletions.flatMap((request) => {
      const key = trace.schedule.existing.find(({ id }) => isAbout(request, id));
      if (key === undefined || isWanted(command, before, key.id)) return [];
      const { name, step, repetition } = command;
      return [
        {
          column: "adoptedEnded",
          what: `${key.id} by request ${request.n} in ${name} ${step}.${repetition}`,
        },
      ];
    });
  });
}

/** Whether a command is to delete what its state holds. */
function isWanted({ name, program }: CommandRecord, { entries }: StackState, id: string): boolean {
  const holders = entries.filter((entry) => idsIn(entry).includes(id));
  if (holders.length === 0) return false;
  if (name === "destroy") return true;
  const declared = program.flatMap(declaredKeys).filter(({ inputs }) => inputs["existingId"] === id);
  return declared.length === 0 || holders.some((entry) => isOnItsWay(entry, id));
}

/** Whether state holds it only until it is deleted. */
function isOnItsWay(entry: Entry, id: string): boolean {
  const isCurrent = heldKeys(entry).some(
    (held) => held.id === id && (entry.kind !== "RotatingApiKey" || held.place === entry.name),
  );
  return entry.doomed || !isCurrent;
}

/** A key was made where one that exists was to be adopted. */
export function adoptionMade(trace: Trace): readonly Finding[] {
  return trace.made.flatMap((made) => {
    const makers = makersOf(trace, made);
    const isAdoption =
      makers.length > 0 &&
      makers.every(
        (making) =>
          making.inputs["existingId"] !== undefined &&
          !(making.operation.kind === "RotatingApiKey" && making.operation.name === "update"),
      );
    return isAdoption
      ? [{ column: "adoptionMade", what: `${made.key.id} by request ${made.request}` } as const]
      : [];
  });
}
