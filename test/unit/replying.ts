import { CallError, type Transport } from "../../provider/client/send";
import type { AnyDefinition } from "../../provider/core/definition";
import { Failure } from "../../provider/core/errors";
import type { Environment } from "../../provider/lifecycle/config";
import type { HostContext } from "../../provider/lifecycle/context";
import { lifecycle } from "../../provider/lifecycle/operations";
import { hostContext, inWords } from "./offline";

/** A request, as `reply` receives it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Strings that no error and no line of the log may contain. */
  readonly secrets: readonly string[];
}

/** The last segment of the path: the id, if the request is about one object. */
export function idIn({ path }: Pick<Asked, "path">): string {
  return path.split("/").at(-1) ?? "";
}

/** The names in answers of the record and of the list that a path leads to, such as `apiKey` and `apiKeys`. */
export function wrappersOf({ path }: Pick<Asked, "path">) {
  const [, , , first = "", , second = first] = path.split("/");
  const one = second.replace(/s$/, "").replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return { one, many: `${one}s` };
}

export function nameIn({ body }: Pick<Asked, "body">): string {
  return (body as { name?: string } | undefined)?.name ?? "";
}

/** Parts of the host. Default: those of `hostContext`. */
export type Options = Partial<Pick<HostContext, "run" | "shared" | "now" | "pause">> & {
  readonly env?: Environment;
};

/**
 * A resource's operations, on a service that answers each request with the result of `reply`: a string is the body
 * itself, and an error that `reply` throws is the failure of the request.
 */
export function replying(definition: AnyDefinition, reply: (asked: Asked) => unknown, parts: Options = {}) {
  const calls: Omit<Asked, "secrets">[] = [];
  let writes = 0;
  const warnings: string[] = [];
  const transport: Transport = {
    send: async ({ method, path, body, secrets, read }) => {
      // As on the wire.
      const asked = { method, path, body: body && JSON.parse(JSON.stringify(body)) };
      calls.push(asked);
      let answer: unknown;
      try {
        answer = await reply({ ...asked, secrets });
      } finally {
        if (method !== "GET") writes += 1;
      }
      const reading = read(typeof answer === "string" ? answer : JSON.stringify(answer));
      if (method !== "GET" || reading.record !== undefined) return reading;
      const [verdict, status] = reading.noRecord
        ? (["refused", 404] as const)
        : (["ambiguous", 200] as const);
      throw new CallError(verdict, reading.problem ?? "", status);
    },
    get writes() {
      return writes;
    },
    close: async () => {},
  };
  const notes: string[] = [];
  const host = hostContext({
    transport: () => transport,
    warn: (message) => warnings.push(message),
    note: (line) => notes.push(line),
    ...parts,
  });
  const operations = inWords(lifecycle(definition, host));
  return { ...operations, calls, warnings, notes };
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
