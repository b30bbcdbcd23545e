import { openTransport } from "../../provider/client/send";
import { Failure } from "../../provider/core/errors";
import { openRun } from "../../provider/core/run";
import { configuration, type Environment, engineConfig } from "../../provider/lifecycle/config";
import { type Lifecycle, lifecycle } from "../../provider/lifecycle/operations";
import { definitions } from "../../provider/resources";
import type { StandIn } from "../../standin";
import { inWords } from "../unit/offline";
import { quickPauses } from "./calls";

export type State = Readonly<Record<string, unknown>>;
export interface Resource {
  readonly kind: string;
  readonly id: string;
  readonly state: State;
}

/** How long the client's pauses take: no time, or as long as it wants. */
export type Pauses = "quick" | "real";

/** The resources of one provider process. Pauses take no time, unless real ones are wanted or one is given. */
export interface Process {
  of(kind: string): Lifecycle;
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export function startProcess(
  service: Pick<StandIn, "url" | "accessToken">,
  pauses: Pauses = "quick",
  pause: () => Promise<unknown> = async () => {},
  settings: Environment = {},
): Process {
  const { url, accessToken } = service;
  const env = { APIKEYS_BASE_URL: url, APIKEYS_ACCESS_TOKEN: accessToken, ...settings };
  const transport = openTransport(pauses === "quick" ? { pause: quickPauses().pause } : {});
  const warnings: string[] = [];
  const config = engineConfig(() => undefined);
  const context = {
    configuration: () => configuration(config, env),
    transport: () => transport,
    warn: (line: string) => void warnings.push(line),
    run: openRun(),
    pause: async () => void (await pause()),
    shared: new Map(),
    now: Date.now,
  };
  const opened = new Map(
    Object.entries(definitions).map(([kind, definition]) => [kind, inWords(lifecycle(definition, context))]),
  );
  return { of: (kind) => opened.get(kind) as Lifecycle, warnings, close: () => transport.close() };
}

/** The state that a failed create or update leaves. */
export function keptBy(error: unknown): { readonly id: string; readonly state: State } {
  if (error instanceof Failure && error.kept !== undefined) return error.kept;
  throw error;
}

/** How many requests each endpoint has had since they were last cleared. */
export function requestsTo({ requests }: StandIn): Readonly<Record<string, number>> {
  const by = Object.groupBy(requests, ({ endpoint }) => endpoint);
  return Object.fromEntries(Object.entries(by).map(([endpoint, all = []]) => [endpoint, all.length]));
}

/** The result of a read as the engine gets it: state, "gone", or the message of the failure. */
export async function readResult(process: Process, { kind, id, state }: Resource): Promise<unknown> {
  try {
    return (await process.of(kind).read(id, state)) ?? "gone";
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
}
