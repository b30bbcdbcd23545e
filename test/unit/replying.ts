import { CallError } from "../../provider/client/callError";
import type { Transport } from "../../provider/client/transport";
import type { Environment } from "../../provider/core/config";
import type { HostContext } from "../../provider/core/context";
import type { AnyDefinition } from "../../provider/core/definition";
import { Failure } from "../../provider/core/errors";
import { type Lifecycle, lifecycle } from "../../provider/core/lifecycle";
import { hostContext } from "./offline";

/** A request as a reply sees it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** What no error and no line of the log may contain. */
  readonly secrets: readonly string[];
}

/** The last step of the path, which is an id where one is asked for. */
export function idIn({ path }: Pick<Asked, "path">): string {
  return path.split("/").at(-1) ?? "";
}

export function nameIn({ body }: Pick<Asked, "body">): string {
  return (body as { name?: string } | undefined)?.name ?? "";
}

/** Parts of the host. Default: those of `hostContext`. */
export type Options = Partial<Pick<HostContext, "run" | "shared" | "now" | "time" | "pause">> & {
  readonly env?: Environment;
};

/** A resource's operations on a service that answers each request with what `reply` gives, text as it is, or fails as it throws. */
export function replying(definition: AnyDefinition, reply: (asked: Asked) => unknown, parts: Options = {}) {
  const calls: Omit<Asked, "secrets">[] = [];
  let writes = 0;
  const warnings: string[] = [];
  const transport: Transport = {
    send: async ({ method, path, body, secrets, read }) => {
      const asked = { method, path, body };
      calls.push(asked);
      // As the transport counts them: what was read before a write began or ended may be from before it.
      const isWrite = method !== "GET";
      if (isWrite) writes += 1;
      let answer: unknown;
      try {
        answer = await reply({ ...asked, secrets });
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
  const host = hostContext({
    transport: () => transport,
    warn: (message) => warnings.push(message),
    tell: (line) => progress.push(line),
    ...parts,
  });
  const operations: Lifecycle = lifecycle(definition, host);
  return { ...operations, calls, warnings, progress };
}

/** What a service answers that refuses a request. */
export const refused = (status = 403) => new CallError("refused", `the service answered ${status}`, status);

/** What an operation failed with, and what the engine keeps of it. */
export async function failureOf(operation: Promise<unknown>): Promise<Failure> {
  const error = await operation.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw error ?? new Error("it did not fail");
  return error;
}
