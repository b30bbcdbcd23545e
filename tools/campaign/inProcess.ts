import { setTimeout as wait } from "node:timers/promises";
import { openTransport } from "../../provider/client/send";
import { Failure } from "../../provider/core/errors";
import { openRun } from "../../provider/core/run";
import { configuration, engineConfig } from "../../provider/lifecycle/config";
import type { Shared } from "../../provider/lifecycle/context";
import { type Lifecycle, lifecycle } from "../../provider/lifecycle/operations";
import { definitions } from "../../provider/resources";
import { laterMs } from "../../test/host/serverVariants";
import { type Actor, OperationFailed, type Resource, type Service } from "./actor";
import type { Properties } from "./schedule";

/** Long for a busy event loop, short for a service that never answers. */
const timeOuts = { connectMs: 400, headersMs: 400, exchangeMs: 700 };

/** The provider below its host, in this process: its sockets are real, and its waits take hardly any time. */
export async function startInProcess(service: Service): Promise<Actor> {
  const env = {
    APIKEYS_BASE_URL: service.url,
    APIKEYS_ACCESS_TOKEN: service.accessToken,
    ...service.env,
  };
  let killed = false;
  const run = openRun();
  const now = Date.now() + service.aheadMs;
  const warnings: string[] = [];
  const debug: string[] = [];
  const transport = openTransport({
    // Its pauses take no time.
    pause: () => wait(0),
    log: (line) => debug.push(line),
    timeOuts,
  });
  const config = engineConfig(() => undefined);
  const hostContext = {
    configuration: () => configuration(config, env),
    transport: () => transport,
    warn: (message: string) => void warnings.push(`warning: ${message}`),
    note: (line: string) => void warnings.push(`note: ${line}`),
    run,
    // A service that writes later takes real time for it. Without any, six looks are over before its first millisecond.
    pause: () => wait(laterMs),
    now: () => now,
    currentTime: () => now,
    shared: new Map<string, Shared>(),
  };
  const resources = new Map(
    Object.entries(definitions).map(([kind, definition]) => [
      kind,
      asResource(lifecycle(definition, hostContext), () => killed, service.tellsNames ?? true),
    ]),
  );
  return {
    resource: (kind) => resources.get(kind) as Resource,
    cancel: async () => {},
    interrupt: () => run.stop("the run was interrupted"),
    desert: () => run.stop("the Pulumi engine exited"),
    async kill() {
      killed = true;
      await transport.close();
    },
    stop: () => transport.close(),
    warnings: () => warnings.join("\n"),
    debug: () => debug.join("\n"),
  };
}

/** What goes in and out is copied as the wire would, so that nobody shares an object with the engine. */
function asResource(of: Lifecycle, killed: () => boolean, tellsNames: boolean): Resource {
  async function answering<T>(operation: () => Promise<T>): Promise<T> {
    try {
      const result = await operation();
      if (!killed()) return result;
    } catch (error) {
      if (!killed()) throw failureOf(error);
    }
    // As the engine tells it, whatever came of the operation.
    throw new OperationFailed("error reading from server: EOF", undefined);
  }
  return {
    check: async (inputs, before, name) => of.check(carried(inputs), before && carried(before), name),
    diff: ({ id, state }, inputs, name) =>
      answering(async () => of.diff(id, carried(state), carried(inputs), name)),
    create: (inputs) => answering(async () => carried(await of.create(carried(inputs)))),
    read: ({ id, state }) =>
      answering(async () => {
        const found = await of.read(id, carried(state));
        return found && carried(found);
      }),
    update: ({ id, state }, inputs) =>
      answering(async () => carried(await of.update(id, carried(state), carried(inputs)))),
    delete: ({ id, state }, name) =>
      answering(() => of.delete(id, carried(state), tellsNames ? name : undefined)),
  };
}

function carried<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The host lets nothing of a bug out but its kind. */
function failureOf(error: unknown): OperationFailed {
  if (!(error instanceof Failure)) return new OperationFailed(`defect: ${error}`, undefined);
  const kept = error.kept && carried(error.kept as { id: string; state: Properties });
  return new OperationFailed(error.message, kept);
}
