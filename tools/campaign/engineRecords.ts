import { isDeepStrictEqual } from "node:util";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import type { LoggedRequest } from "../../standin";
import type { Outcome } from "../engine/outcome";
import type { Order } from "./engine";
import { nameIn } from "./exported";
import { holdsKeys, idsIn, lostAlive } from "./heldKeys";
import type { Declared } from "./schedule";
import type { Entry, OperationName, OperationRecord, StackState } from "./trace";

/** A command of the CLI: what it found, did and left. */
export interface Course {
  readonly order: Order;
  readonly outcome: Outcome;
  readonly before: StackState;
  readonly after: StackState;
  /** Whether `after` is older than the last that the engine wrote. */
  readonly checkpointLost: boolean;
  /** The whole log, and how much of it there was when the command began. */
  readonly requests: readonly LoggedRequest[];
  readonly from: number;
  readonly living: (entry: Entry) => readonly string[];
}

/** The operations of a command, from the engine's events and from what its state shows of them. */
export function operationsOf(course: Course): readonly OperationRecord[] {
  const operations = fromEvents(course);
  noteUnheard(course, operations);
  noteRefused(course, operations);
  noteLost(course, operations);
  if (course.checkpointLost) noteForgotten(course, operations);
  return operations;
}

const named: Readonly<Record<string, OperationName>> = {
  create: "create",
  "create-replacement": "create",
  update: "update",
  delete: "delete",
  "delete-replaced": "delete",
  refresh: "read",
};

function fromEvents(course: Course): OperationRecord[] {
  const under = new Map<string, OperationRecord>();
  const operations: OperationRecord[] = [];
  for (const { timestamp, resourcePreEvent: begun, resOutputsEvent: done, resOpFailedEvent: broken } of course
    .outcome.events) {
    const metadata = (begun ?? done ?? broken)?.metadata;
    if (metadata === undefined) continue;
    const { urn, op, old, new: made } = metadata;
    // A refresh ends as what it came to, such as "update".
    const place = under.has(`refresh ${urn}`) ? `refresh ${urn}` : `${op} ${urn}`;
    const record = under.get(place) ?? begin(course, named[op], urn, timestamp);
    if (record === undefined) continue;
    if (!operations.includes(record)) operations.push(record);
    record.id = made?.id || old?.id || record.id;
    if (begun !== undefined) {
      under.set(place, record);
      continue;
    }
    under.delete(place);
    record.ended = broken === undefined ? "well" : "failed";
    record.until = requestsBefore(course, timestamp + slack);
    if (broken !== undefined) record.message = errorsOf(course, urn);
  }
  return operations;
}

/** Events come with whole seconds, and a little later than what they tell of. */
const slack = 2;

function requestsBefore({ requests, from }: Course, timestamp: EngineEvent["timestamp"]): number {
  return Math.max(from, requests.filter(({ at }) => at < timestamp * 1_000).length);
}

function begin(
  course: Course,
  name: OperationName | undefined,
  urn: string,
  timestamp: number,
): OperationRecord | undefined {
  const about = aboutOf(course, name, nameIn(urn));
  if (name === undefined || about === undefined) return undefined;
  return {
    ...{ name, resource: about.name, kind: about.kind, inputs: about.inputs, id: undefined },
    ...{ from: requestsBefore(course, timestamp - slack), until: course.requests.length },
    ...{ ended: "dropped", message: "", lostAlive: [] },
  };
}

function aboutOf(
  { order, before }: Course,
  name: OperationName | undefined,
  resource: string,
): Declared | undefined {
  const declared = order.program.find((one) => one.name === resource);
  const held = before.entries.find((one) => one.name === resource);
  return name === "read" || name === "delete" ? (held ?? declared) : (declared ?? held);
}

function errorsOf({ outcome }: Course, urn: string): string {
  return outcome.diagnostics
    .filter((one) => one.severity === "error" && one.urn === urn)
    .map(({ message }) => message)
    .join("\n");
}

/** Of a command that was killed the last events are lost, but its state says what was under way. */
function noteUnheard(course: Course, operations: OperationRecord[]): void {
  const known = course.before.pending.map(({ operation, resource }) => `${operation} ${resource}`);
  for (const { operation, resource } of course.after.pending) {
    const old = known.indexOf(`${operation} ${resource}`);
    if (old >= 0) {
      known.splice(old, 1);
      continue;
    }
    const name = ({ creating: "create", updating: "update", deleting: "delete" } as const)[operation];
    const heard = operations.some((one) => one.name === name && one.resource === resource);
    if (name === undefined || heard) continue;
    const record = begin(course, name, resource, 0);
    if (record !== undefined) operations.push(record);
  }
}

/** Resources whose inputs were refused, of which there is no other event than the error. */
function noteRefused(course: Course, operations: OperationRecord[]): void {
  const failed = new Set(
    operations.filter(({ ended }) => ended === "failed").map(({ resource }) => resource),
  );
  const urns = course.outcome.diagnostics.flatMap(({ severity, urn }) =>
    severity === "error" && urn !== undefined ? [urn] : [],
  );
  for (const urn of new Set(urns)) {
    if (failed.has(nameIn(urn))) continue;
    const record = begin(course, "check", urn, 0);
    if (record !== undefined)
      operations.push(Object.assign(record, { ended: "failed", message: errorsOf(course, urn) }));
  }
}

/** What state no longer holds, with the operation that ended it. */
function noteLost(course: Course, operations: OperationRecord[]): void {
  const left = [...course.after.entries];
  for (const entry of course.before.entries) {
    const place = left.findIndex(({ name, id }) => name === entry.name && id === entry.id);
    const [now] = place < 0 ? [] : left.splice(place, 1);
    const gone = idsIn(entry).filter((id) => now === undefined || !idsIn(now).includes(id));
    if (gone.length === 0) continue;
    const by = (name: OperationName) =>
      operations.find(
        (one) => one.name === name && one.resource === entry.name && (one.id ?? entry.id) === entry.id,
      );
    const ended = now === undefined ? by("delete") : by("update");
    const record = ended ?? by("read") ?? begin(course, "delete", entry.name, 0);
    if (record === undefined) continue;
    if (!operations.includes(record)) operations.push(Object.assign(record, { ended: "well", id: entry.id }));
    // Destroy leaves in the service what it has no call to delete.
    if (record.name === "read" || holdsKeys(entry.kind)) record.lostAlive = lostAlive(course, entry, now);
  }
}

/** What ended well, but stood in the checkpoint alone that was lost: as if the engine had been killed before it ended. */
function noteForgotten({ before, after }: Course, operations: readonly OperationRecord[]): void {
  const held = ({ entries }: StackState, resource: string) =>
    entries.filter(({ name }) => name === resource).map(({ serial: _, ...entry }) => entry);
  for (const operation of operations) {
    const { name, resource, ended } = operation;
    const isWrite = name === "create" || name === "update";
    if (isWrite && ended === "well" && isDeepStrictEqual(held(before, resource), held(after, resource))) {
      operation.ended = "dropped";
    }
  }
}
