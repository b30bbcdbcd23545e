import { isDeepStrictEqual } from "node:util";
import type {
  DiagnosticEvent,
  EngineEvent,
  OpMap,
  OpType,
  PropertyDiff,
  StepEventMetadata,
} from "@pulumi/pulumi/automation";
import type { CommandResult } from "./command";

/** What the engine did, or would do, to one resource. */
export interface Step {
  readonly op: OpType;
  /** The resource's name in the program. */
  readonly name: string;
  readonly type: string;
  readonly urn: string;
  /** Whether this was its refresh; `op` is then the refresh's result. */
  readonly duringRefresh: boolean;
  readonly failed: boolean;
  /** The inputs that differ between the states before and after; in a refresh, the drift. */
  readonly changed: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>;
  /** The properties that the engine shows as changed. */
  readonly diffs: readonly string[];
  /** The properties that cause its replacement. */
  readonly replacedFor: readonly string[];
  /** The paths of the values that differ, such as `scopes[0].read`. */
  readonly detailedDiff: Readonly<Record<string, PropertyDiff>>;
  /** State before and after, as the engine shows it: secrets are masked. */
  readonly old: StepEventMetadata["old"];
  readonly new: StepEventMetadata["new"];
}

interface Diagnostic {
  readonly severity: DiagnosticEvent["severity"];
  readonly message: string;
  /** The resource that it is about. */
  readonly urn: string | undefined;
}

/** The result of a CLI command. A failed command has one too: nothing is thrown. */
export interface Outcome extends CommandResult {
  readonly ok: boolean;
  /** If not ok: the errors that the user reads. */
  readonly error: string | undefined;
  /** How many resources were created, updated, left the same and so on; the stack counts as one. */
  readonly changes: OpMap;
  /** One for each resource except the stack and the providers; several for a resource that is replaced. */
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  readonly events: readonly EngineEvent[];
}

/** Combines a command's output and the events of its engine. */
export function outcomeOf(result: CommandResult, events: readonly EngineEvent[]): Outcome {
  const ok = result.code === 0;
  const diagnostics = events.flatMap(({ diagnosticEvent: event }) =>
    // Debug messages come as events too, although no user sees them.
    event === undefined || (event.severity as string) === "debug"
      ? []
      : [{ severity: event.severity, message: event.message.trim(), urn: event.urn }],
  );
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  return {
    ...result,
    ok,
    error: ok ? undefined : errors.join("\n") || result.stderr.trim() || `exit code ${result.code}`,
    changes:
      events.findLast(({ summaryEvent }) => summaryEvent !== undefined)?.summaryEvent?.resourceChanges ?? {},
    steps: stepsOf(events),
    diagnostics,
    events,
  };
}

function stepsOf(events: readonly EngineEvent[]): readonly Step[] {
  const steps: (Step & { open: boolean })[] = [];
  for (const { resourcePreEvent: begun, resOutputsEvent: done, resOpFailedEvent: broken } of events) {
    const metadata = (begun ?? done ?? broken)?.metadata;
    if (metadata === undefined || /^pulumi:(pulumi:Stack|providers:)/.test(metadata.type)) continue;
    // A refresh begins as "refresh" and ends as its result, such as "update" or "delete".
    const place = steps.findIndex(
      ({ open, urn, op, duringRefresh }) =>
        open && urn === metadata.urn && (duringRefresh || op === metadata.op),
    );
    const before = steps[place];
    const step = stepOf(metadata, before?.duringRefresh ?? metadata.op === "refresh", broken !== undefined);
    if (before === undefined) steps.push({ ...step, open: begun !== undefined });
    else steps[place] = { ...step, open: false };
  }
  return steps.map(({ open: _, ...step }) => step);
}

function stepOf(metadata: StepEventMetadata, duringRefresh: boolean, failed: boolean): Step {
  const { op, urn, type, old, new: now } = metadata;
  return {
    op,
    name: urn.split("::").slice(3).join("::"),
    type,
    urn,
    duringRefresh,
    failed,
    diffs: metadata.diffs ?? [],
    replacedFor: metadata.keys ?? [],
    detailedDiff: metadata.detailedDiff ?? {},
    changed: differences(old?.inputs ?? {}, now?.inputs ?? {}),
    old,
    new: now,
  };
}

function differences(old: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>) {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const differing = names.filter(
    (name) => !name.startsWith("__") && !isDeepStrictEqual(old[name], now[name]),
  );
  return Object.fromEntries(differing.map((name) => [name, { old: old[name], new: now[name] }]));
}
