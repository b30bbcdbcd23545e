import { openTransport, pauseFor, type TransportOptions } from "./client/send";
import { Failure } from "./core/errors";
import type { Source } from "./functions";
import { configuration, disagreement, type EngineConfig, type Environment } from "./lifecycle/config";
import type { HostContext, Shared } from "./lifecycle/context";
import { type Lifecycle, lifecycle } from "./lifecycle/operations";
import { definitions } from "./resources";

export type Instance = ReturnType<typeof openInstance>;

type OfHost = Pick<HostContext, "run" | "warn" | "note" | "progress" | "seconds"> &
  Pick<TransportOptions, "log">;

/**
 * The parts that the resources and functions of one process share, in any host: settings, connections and pace, and what they
 * know of each other. Until it is configured, all settings come from the environment.
 */
export function openInstance(options: OfHost & { readonly env: Environment }) {
  const { env } = options;
  const shared = new Map<string, Shared>();
  const transport = openTransport({ log: options.log });
  let resolved = configuration({ argument: {}, stack: {} }, env);
  let isWarned = false;
  // One time for the whole run: what a diff finds due is due for the update too.
  const startedAt = Date.now();
  const source: Source = { configuration: () => resolved, transport: () => transport };

  return {
    /** The engine has configured the provider, and its run begins. Warns once in a process of settings that disagree. */
    configure(given: EngineConfig): void {
      resolved = configuration(given, env);
      const line = isWarned ? undefined : disagreement(given, env);
      if (line === undefined) return;
      isWarned = true;
      options.warn(line);
    },
    /** The operations of a kind of resource. Throws a Failure if this version does not know the kind. */
    resource(kind: string): Lifecycle {
      const definition = definitions[kind];
      if (definition === undefined) {
        const what = `This version of pulumi-apikeys has no resource ${kind}. Install the version that wrote the state, or a later one.`;
        throw new Failure("unsupported", what);
      }
      return lifecycle(definition, {
        ...options,
        ...source,
        shared,
        pause: pauseFor,
        now: () => startedAt,
      });
    },
    source: () => source,
  };
}
