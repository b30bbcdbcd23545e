import type { Finding } from "./findings";
import { declaredKeys, heldKeys, holdsKeys, idsIn } from "./heldKeys";
import { isAbout, makersOf, releasedIn, withBefore } from "./reading";
import type { CommandRecord, Entry, StackState, Trace } from "./trace";

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

/** A green command deleted a key that a resource has in state afterwards, or that another one is to adopt. */
export function takenAway(trace: Trace): readonly Finding[] {
  return withBefore(trace).flatMap(({ command, before }) => {
    const { name, step, repetition, program, from, until, after, green } = command;
    const had = (resource: string, id: unknown) =>
      before.entries.some((entry) => entry.name === resource && idsIn(entry).some((one) => one === id));
    // A resource may want a new key in the place of the one that it has adopted.
    const adopted = (name === "destroy" ? [] : program)
      .flatMap((one) =>
        declaredKeys(one).map(({ inputs }) => ({ resource: one.name, id: inputs["existingId"] })),
      )
      .filter(({ resource, id }) => id !== undefined && !had(resource, id));
    const held = after.entries.filter(({ kind }) => holdsKeys(kind)).flatMap(idsIn);
    const wanted = [...new Set([...held, ...adopted.map(({ id }) => String(id))])];
    return trace.requests
      .slice(from, until)
      .filter(({ endpoint, carriedOut }) => green && endpoint === "deleteApiKey" && carriedOut)
      .flatMap((request) => wanted.filter((id) => isAbout(request, id)).map((id) => ({ id, n: request.n })))
      .map(({ id, n }) => ({
        column: "takenAway",
        what: `${id} by request ${n} in ${name} ${step}.${repetition}`,
      }));
  });
}

/** State no longer has the secret of a key that lives on, though none has adopted it, and none was to let go of it. */
export function secretLost(trace: Trace): readonly Finding[] {
  return withBefore(trace).flatMap((turn) => {
    const { name, step, repetition, live, after } = turn.command;
    const released = releasedIn(turn);
    const isKept = (id: string, secret: unknown) =>
      after.entries
        .filter(({ kind }) => holdsKeys(kind))
        .some((entry) => {
          const held = heldKeys(entry).filter((key) => key.id === id);
          const isReplaced = held.length === 0 && idsIn(entry).includes(id);
          return isReplaced || held.some((key) => key.secret === secret || key.inputs?.["existingId"] === id);
        });
    return turn.before.entries
      .filter(({ kind }) => holdsKeys(kind))
      .flatMap(heldKeys)
      .filter(({ id = "", secret }) => secret !== undefined && !released.includes(id) && !isKept(id, secret))
      .filter(({ id }) => live.some((key) => key.id === id))
      .map(({ place, id }) => ({
        column: "secretLost",
        what: `${place} (${id}) in ${name} ${step}.${repetition}`,
      }));
  });
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
