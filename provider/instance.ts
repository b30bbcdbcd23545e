import { openTransport, type Transport } from "./client/transport";
import { configuration, disagreement, type Settings } from "./core/config";
import { Failure, type Kept } from "./core/errors";
import { type HostContext, openShared, type Shared } from "./core/kind";
import { type Lifecycle, lifecycle } from "./core/lifecycle";
import { isKeepable } from "./core/stateSize";
import type { Source } from "./functions";
import { definitions } from "./resources";

export type Instance = ReturnType<typeof openInstance>;

type InstanceOptions = Pick<HostContext, "run" | "env" | "warn" | "tell" | "note" | "importKey">;

/**
 * What any host of the provider needs: one process that serves the engine. All its resources share connections, pace and
 * retries, and know what the others of their kind manage.
 */
export function openInstance(options: InstanceOptions) {
  const { run, env } = options;
  const kinds = new Map<string, Shared>();
  let transport: Transport | undefined;
  let isWarned = false;
  // What a diff finds due must be so for the update too.
  let now = Date.now();

  function shared(kind: string): Shared {
    const found = kinds.get(kind) ?? openShared();
    kinds.set(kind, found);
    return found;
  }
  function sharedTransport(settings: Settings): Transport {
    transport ??= transportFor(settings);
    return transport;
  }
  function transportFor(settings: Settings): Transport {
    const found = configuration(settings, env);
    const parallel = "ready" in found ? found.ready.parallel : 0;
    // No create or change starts any more; a new object can still be deleted.
    const gate = async (method: string) =>
      method === "POST" || method === "PATCH" ? run.closing() : undefined;
    return openTransport({ gate, signal: run.closed, concurrency: Math.max(32, parallel) });
  }
  return {
    /** The operations of a kind of resource. Throws a Failure for one that this version does not know. */
    resource(kind: string, settings: () => Settings): Lifecycle {
      const definition = definitions[kind];
      if (definition === undefined) {
        throw new Failure(
          `This version of pulumi-apikeys has no resource ${kind}: install the version that wrote the state, or a later one.`,
        );
      }
      return lifecycle(definition, {
        ...options,
        get settings() {
          return settings();
        },
        transport: () => sharedTransport(settings()),
        shared,
        now: () => now,
        time: Date.now,
      });
    },
    /** Where functions read: with the connections of the resources. */
    source: (settings: Settings): Source => ({ settings, env, transport: () => sharedTransport(settings) }),
    /** To be called when the engine has configured the provider: warns, once in a process, of settings that disagree. */
    checkSettings(settings: Settings): void {
      now = Date.now();
      const line = isWarned ? undefined : disagreement(settings, env);
      if (line === undefined) return;
      isWarned = true;
      options.warn(line);
    },
  };
}

/** What a host reports to the engine of a failed operation: nothing else may leave, because an error may contain secrets. */
export interface Failed {
  readonly message: string;
  /** What the engine is to keep although the operation failed. */
  readonly kept?: Kept;
}

export function failed(error: unknown): Failed {
  if (!(error instanceof Failure)) return { message: bug(error) };
  const { message, kept } = error;
  if (kept === undefined) return { message };
  if (isKeepable(kept.state)) return { message, kept };
  return {
    message: `${message} The state is too large for the engine to save, so it keeps the previous state; ${kept.id} exists in the service.`,
  };
}

/** The message of an unforeseen error may contain anything, secrets too, so only its kind and place are shown. */
function bug(error: unknown): string {
  const frames =
    error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  const kind = error instanceof Error ? error.name : typeof error;
  return `This is a bug in pulumi-apikeys: ${kind}${(frames[0] ?? "").replace(/^\s+/, " ")}. State is unchanged. Please report it.`;
}
