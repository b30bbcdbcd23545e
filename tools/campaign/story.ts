import { idsIn } from "./heldKeys";
import type { Schedule } from "./schedule";
import type { CommandRecord, Trace } from "./trace";

/** A run in words, for whoever looks for the cause of what it showed. */
export function story(trace: Trace): string {
  const { schedule, commands, requests } = trace;
  return [
    ...planned(schedule),
    ...commands.flatMap(told),
    ...requests.map(
      ({ n, method, path, status, fault, carriedOut }) =>
        `${n} ${method} ${path} ${status} ${fault ?? ""}${carriedOut ? " carried out" : ""}`,
    ),
  ].join("\n");
}

function planned({ variantName, parallel, steps, ending }: Schedule): readonly string[] {
  const title = `service: ${variantName}; operations ${parallel ? "at once" : "one after the other"}`;
  return [title, ...[...steps, ending].map((step, n) => `step ${n}: ${JSON.stringify(step)}`)];
}

function told(command: CommandRecord): readonly string[] {
  const { step, repetition, name, green, interruption, checkpointLost, operations, after, live } = command;
  const entries = after.entries.map(
    (entry) =>
      `${entry.name} = ${idsIn(entry).join(" ")}${entry.halfDone ? " (half done)" : ""}${entry.doomed ? " (to be deleted)" : ""}`,
  );
  return [
    `${name} ${step}.${repetition}: ${green ? "green" : "red"} ${interruption ?? ""}${checkpointLost ? ", the engine's checkpoint was lost" : ""}`,
    ...operations.map(
      ({ name: operation, resource, from, until, ended, message }) =>
        `  ${operation} ${resource}, requests ${from + 1} to ${until}: ${ended} ${message}`,
    ),
    ...command.told.split("\n").map((line) => `  ${line}`),
    `  state: ${entries.join(", ")}; live keys: ${live.map(({ id }) => id).join(", ")}`,
  ];
}
