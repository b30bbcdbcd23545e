import type { CommandRecord, MadeKey, OperationRecord, Trace } from "./trace";

/** An operation with the command that it belongs to. */
export interface Placed {
  readonly command: CommandRecord;
  readonly operation: OperationRecord;
}

export function operationsOf({ commands }: Trace): readonly Placed[] {
  return commands.flatMap((command) => command.operations.map((operation) => ({ command, operation })));
}

/** Everything that a user reads: errors, warnings, and what else the provider writes to stderr. */
export function toldTo({ commands }: Trace): string {
  const texts = commands.flatMap(({ told, operations }) => [
    told,
    ...operations.filter(({ ended }) => ended === "failed").map(({ message }) => message),
  ]);
  return texts.join("\n");
}

/** Whether an id stands in a text, and not as a part of another. */
export function names(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + id.length] ?? " "}`;
    if (!/[\p{L}\p{N}_]/u.test(around)) return true;
  }
  return false;
}

/** The creates in whose time a key was made for their customer. */
export function makersOf(trace: Trace, { key, request }: MadeKey): readonly Placed[] {
  return operationsOf(trace).filter(
    ({ operation: { name, kind, inputs, from, until } }) =>
      name === "create" &&
      kind === "ApiKey" &&
      inputs["customerId"] === key.customerId &&
      from < request &&
      request <= until,
  );
}

/** The creates of a key's name and customer that had not ended when it was made. */
export function namesakesOf(trace: Trace, { key, request }: MadeKey): readonly Placed[] {
  const name = key.name.trim().toLowerCase();
  return operationsOf(trace).filter(
    ({ operation: { name: operation, kind, inputs, until } }) =>
      operation === "create" &&
      kind === "ApiKey" &&
      inputs["customerId"] === key.customerId &&
      String(inputs["name"]).toLowerCase() === name &&
      until >= request,
  );
}

/** The keys made that live at the end although no state holds them. */
export function orphans(trace: Trace): readonly MadeKey[] {
  const held = new Set(trace.commands.at(-1)?.after.entries.map(({ id }) => id));
  const live = new Set(trace.live.map(({ id }) => id));
  return trace.made.filter(({ key: { id } }) => live.has(id) && !held.has(id));
}
