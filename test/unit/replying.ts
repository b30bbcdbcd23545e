import { CallError } from "../../provider/client/callError";
import type { Transport } from "../../provider/client/transport";
import { type Environment, settings } from "../../provider/core/config";
import type { AnyDefinition } from "../../provider/core/definition";
import { Failure } from "../../provider/core/errors";
import type { Shared } from "../../provider/core/kind";
import { type Lifecycle, lifecycle } from "../../provider/core/lifecycle";
import { openRun, type Run } from "../../provider/core/run";
import { configured } from "./offline";

/** A request, as `reply` receives it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** The last segment of the path: the id, if the request is about one object. */
export function idIn({ path }: Asked): string {
  return path.split("/").at(-1) ?? "";
}

export function nameIn({ body }: Asked): string {
  return (body as { name?: string } | undefined)?.name ?? "";
}

export interface Options {
  readonly run?: Run;
  readonly env?: Environment;
  /** What resources of several kinds share. Default: nothing. */
  readonly shared?: Map<string, Shared>;
  /** Default: the clock of the machine. */
  readonly now?: () => number;
  /** Default: `now`. */
  readonly time?: () => number;
  /** How an operation waits. Default: it doesn't. */
  readonly pause?: () => Promise<void>;
}

/**
 * A resource's operations, on a service that answers each request with the result of `reply`: a string is the body
 * itself, and an error that `reply` throws is the failure of the request.
 */
export function replying(
  definition: AnyDefinition,
  reply: (asked: Asked) => unknown,
  { run = openRun(), env = {}, shared, now, time, pause = async () => {} }: Options = {},
) {
  const calls: Asked[] = [];
  let writes = 0;
  const warnings: string[] = [];
  const transport: Transport = {
    send: async ({ method, path, body, read }) => {
      const asked = { method, path, body };
      calls.push(asked);
      // The real transport counts both too: a read that began before a write began or ended may be older than it.
      const isWrite = method !== "GET";
      if (isWrite) writes += 1;
      let answer: unknown;
      try {
        answer = await reply(asked);
      } finally {
        if (isWrite) writes += 1;
      }
      const reading = read(Buffer.from(typeof answer === "string" ? answer : JSON.stringify(answer)));
      if (method === "GET" && !reading.usable) throw new CallError("invalidAnswer", reading.problem, 200);
      return reading;
    },
    get writes() {
      return writes;
    },
    close: async () => {},
  };
  const progress: string[] = [];
  const operations: Lifecycle = lifecycle(definition, {
    settings: settings((name) => configured[name]),
    env,
    transport: () => transport,
    run,
    pause,
    warn: (message) => warnings.push(message),
    tell: (line) => progress.push(line),
    ...(shared && { shared }),
    ...(now && { now }),
    ...(time && { time }),
  });
  return { ...operations, calls, warnings, progress };
}

/** The failure of a request that the service refuses. */
export const refused = (status = 403) => new CallError("refused", `the service answered ${status}`, status);

/** The failure of an operation, with the state that the engine keeps. */
export async function failureOf(operation: Promise<unknown>): Promise<Failure> {
  const error = await operation.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw error ?? new Error("it did not fail");
  return error;
}
