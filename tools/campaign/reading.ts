import type { LoggedRequest } from "../../standin";
import { type DeclaredKey, declaredKeys, heldKeys, idsIn } from "./heldKeys";
import type { CommandRecord, MadeKey, OperationRecord, StackState, Trace } from "./trace";

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

/** Whether a request is to or about a key. */
export function isAbout({ path }: Pick<LoggedRequest, "path">, id: string): boolean {
  return names(decodeURIComponent(path), id);
}

/** An operation as far as it was to make one key. */
export interface Making extends Placed, DeclaredKey {
  /** What its error says of this key. */
  readonly said: string;
}

/** The operations in whose time a key was made for their customer. */
export function makersOf(trace: Trace, { key, request }: MadeKey): readonly Making[] {
  return makings(trace).filter(
    ({ operation: { from, until }, inputs }) =>
      inputs["customerId"] === key.customerId && from < request && request <= until,
  );
}

/** Those that were to make a key of the same name and customer, and had not ended when it was made. */
export function namesakesOf(trace: Trace, { key, request }: MadeKey): readonly Making[] {
  return makings(trace).filter(
    (making) =>
      making.inputs["customerId"] === key.customerId &&
      folded(making.inputs["name"]) === folded(key.name) &&
      making.operation.until >= request &&
      hasTried(trace, making),
  );
}

/** A set's update holds most of its keys already: those count that it asked for, or failed with. */
function hasTried(trace: Trace, making: Making): boolean {
  const { operation, said } = making;
  return operation.name === "create" || said !== "" || asked(trace, making).length > 0;
}

/** The requests by which the key was to be made. */
export function asked({ requests }: Trace, { operation, inputs }: Making): readonly LoggedRequest[] {
  const { from, until } = operation;
  return requests.slice(from, until).filter(({ endpoint, body }) => {
    const { customerId, name } = Object(body);
    const isCreate = endpoint === "createApiKey" || endpoint === "migrateApiKey";
    return isCreate && customerId === inputs["customerId"] && folded(name) === folded(inputs["name"]);
  });
}

function folded(name: unknown): string {
  return String(name).trim().toLowerCase();
}

function makings(trace: Trace): readonly Making[] {
  return operationsOf(trace).flatMap((placed) => {
    const { name, kind, resource, inputs, message } = placed.operation;
    const isMaking = name === "create" || (name === "update" && kind !== "ApiKey");
    if (!isMaking) return [];
    const keys = declaredKeys({ name: resource, kind, inputs });
    return keys.map((key) => ({ ...placed, ...key, said: saidOf(key, message) }));
  });
}

/** A set's error has a line for each of its keys that failed, or for several of them, or else is about them all. */
function saidOf({ alias }: DeclaredKey, message: string): string {
  const lines = message.split("\n").map((line) => line.trim());
  const isOfSome = (line: string) => /^("|For each of )/.test(line);
  if (alias === undefined || !lines.some(isOfSome)) return message;
  const quoted = JSON.stringify(alias);
  const isOfThis = (line: string) =>
    line.startsWith(`${quoted}: `) || (line.startsWith("For each of ") && line.includes(quoted));
  return lines.filter(isOfThis).join("\n");
}

/** The keys made that live at the end although no state holds them. */
export function orphans(trace: Trace): readonly MadeKey[] {
  const held = new Set(trace.commands.at(-1)?.after.entries.flatMap(idsIn));
  const live = new Set(trace.live.map(({ id }) => id));
  const released = new Set(withBefore(trace).flatMap(releasedIn));
  return trace.made.filter(({ key: { id } }) => live.has(id) && !held.has(id) && !released.has(id));
}

/** A command with the state that it found. */
export interface Turn {
  readonly command: CommandRecord;
  readonly before: StackState;
}

export function withBefore({ commands }: Trace): readonly Turn[] {
  return commands.map((command, n) => ({
    command,
    before: commands[n - 1]?.after ?? { entries: [] },
  }));
}

/** The keys that a command lets go of, as the program asks: by `retainOnDelete`, or by `release`. */
export function releasedIn({ command: { program }, before }: Turn): readonly string[] {
  const released = new Set(
    program.flatMap((declared) =>
      declaredKeys(declared)
        .filter(({ inputs }) => inputs["release"] === true)
        .flatMap(({ place, inputs }) => [place, `${declared.name}.${inputs["renamedFrom"]}`]),
    ),
  );
  return before.entries.flatMap((entry) =>
    entry.retain
      ? idsIn(entry)
      : heldKeys(entry).flatMap(({ place, id }) => (id !== undefined && released.has(place) ? [id] : [])),
  );
}
