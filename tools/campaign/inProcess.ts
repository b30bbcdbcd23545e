import { setTimeout as wait } from "node:timers/promises";
import { openTransport } from "../../provider/client/send";
import { Failure } from "../../provider/core/errors";
import { openRun } from "../../provider/core/run";
import type { Kept } from "../../provider/core/state";
import { type Lifecycle, lifecycle } from "../../provider/lifecycle/operations";
import { definitions } from "../../provider/resources";
import { laterMs } from "../../test/host/serverVariants";
import { hostContext } from "../../test/unit/offline";
import { type Actor, OperationFailed, type Resource, type Service } from "./actor";

/** Long for a busy event loop, short for a service that never answers. */
const timeOuts = { connectMs: 400, headersMs: 400, exchangeMs: 700 };

/** The provider below its host, in this process: its sockets are real, and its waits take hardly any time. */
export async function startInProcess(service: Service): Promise<Actor> {
  const env = {
    APIKEYS_BASE_URL: service.url,
    APIKEYS_ACCESS_TOKEN: service.accessToken,
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
  const context = hostContext({
    config: {},
    env,
    transport: () => transport,
    warn: (message) => void warnings.push(`warning: ${message}`),
    note: (line) => void warnings.push(`note: ${line}`),
    run,
    // A service that writes later takes real time for it. Without any, six looks are over before its first millisecond.
    pause: () => wait(laterMs),
    now: () => now,
  });
  const lifecycles = new Map(
    Object.entries(definitions).map(([kind, definition]) => [kind, lifecycle(definition, context)]),
  );
  return {
    resource: (kind, name) =>
      asResource(lifecycles.get(kind) as Lifecycle, name, () => killed, service.tellsNames),
    async interrupt(kind) {
      if (kind === "twoCtrlC") run.stop("the run was interrupted");
      if (kind === "engineKilled") run.stop("the Pulumi engine exited");
      killed = kind === "hostKilled";
      if (killed) await transport.close();
    },
    stop: () => transport.close(),
    warnings: () => warnings.join("\n"),
    debug: () => debug.join("\n"),
  };
}

/** Copies arguments and results as the wire would, so that nobody shares an object with the engine. */
function asResource(of: Lifecycle, name: string, killed: () => boolean, tellsName: boolean): Resource {
  async function answering<T>(operation: () => Promise<T>): Promise<T> {
    try {
      const result = await operation();
      if (!killed()) return result;
    } catch (error) {
      if (!killed()) throw asFailed(error);
    }
    // As the engine tells it, whatever the result of the operation.
    throw new OperationFailed("error reading from server: EOF");
  }
  return {
    async check(given, before, state) {
      const known = tellsName ? { state: state && carried(state) } : { isPreview: false };
      const { inputs, failures } = of.check(carried(given), before && carried(before), name, known);
      return { inputs, failures: failures.map((reason) => ({ property: "", reason })) };
    },
    diff: ({ id, state }, inputs) =>
      answering(async () => {
        const { changes, replaces } = await of.diff(id, carried(state), carried(inputs), name);
        return {
          changes: changes === undefined ? "unknown" : changes ? "some" : "none",
          replaces: [...replaces],
        };
      }),
    create: (inputs) => answering(async () => carried(await of.create(carried(inputs)))),
    read: ({ id, state }) =>
      answering(async () => {
        const found = await of.read(id, carried(state));
        if (found === undefined) return { id: "", properties: {}, inputs: undefined };
        return {
          id: found.id,
          properties: carried(found.state),
          inputs: found.inputs && carried(found.inputs),
        };
      }),
    update: ({ id, state }, inputs) =>
      answering(async () => ({ id, state: carried(await of.update(id, carried(state), carried(inputs))) })),
    delete: ({ id, state }) => answering(() => of.delete(id, carried(state), tellsName ? name : undefined)),
  };
}

function carried<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The host lets nothing of a bug out but its kind. */
function asFailed(error: unknown): OperationFailed {
  if (!(error instanceof Failure)) return new OperationFailed(`defect: ${error}`);
  return new OperationFailed(error.message, error.kept && carried<Kept>(error.kept));
}
