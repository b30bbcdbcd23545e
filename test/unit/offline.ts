import type { AnyDefinition } from "../../provider/core/definition";
import { Failure } from "../../provider/core/errors";
import { openRun } from "../../provider/core/run";
import type { Properties } from "../../provider/core/state";
import { configuration, type Environment, engineConfig } from "../../provider/lifecycle/config";
import type { HostContext } from "../../provider/lifecycle/context";
import { type Lifecycle, lifecycle } from "../../provider/lifecycle/operations";
import { apiKey } from "../../provider/resources/apiKey";
import { inWords as words } from "../words";

/** A complete configuration, for tests that are not about it. */
export const configured: Readonly<Record<string, unknown>> = {
  "apikeys:baseUrl": "https://api.test",
  "apikeys:accessToken": "token-of-the-test",
};

/** A host whose waits take no time, with these parts. Without a transport, any request is an error (R12). */
export function hostContext({ config = configured, env = {}, ...parts }: HostParts): HostContext {
  const { now = Date.now } = parts;
  const given = engineConfig((key) => config[key]);
  return {
    configuration: () => configuration(given, { APIKEYS_NO_TOKEN_CHECK: "true", ...env }),
    transport: () => {
      throw new Error("a request was sent, but none is expected here");
    },
    run: openRun(),
    warn: (message) => {
      throw new Error(`there was a warning, but none is expected here: ${message}`);
    },
    pause: async () => {},
    shared: new Map(),
    now,
    ...parts,
  };
}

interface HostParts extends Partial<Omit<HostContext, "configuration">> {
  /** Stack config, and the arguments of an explicit Provider, by their full keys. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Environment;
}

/** A resource's operations, an ApiKey's by default, where any request is an error (R12). */
export function offline(
  config: Readonly<Record<string, unknown>> = configured,
  env: Readonly<Record<string, string>> = {},
  definition: AnyDefinition = apiKey,
  note: (line: string) => void = () => {},
): Lifecycle {
  return inWords(lifecycle(definition, hostContext({ config, env, note })));
}

/** The same operations, with the words of their errors alone. */
export function inWords(operations: Lifecycle): Lifecycle {
  const rethrow = (error: unknown): never => {
    if (!(error instanceof Failure)) throw error;
    const lines = (error.options.lines ?? []).map(words);
    const headline = words(error.headline);
    const message = [headline, ...lines].join("\n");
    throw Object.assign(error, { message, headline, options: { ...error.options, lines } });
  };
  const worded =
    (act: (...given: unknown[]) => unknown) =>
    (...given: unknown[]) => {
      try {
        const result = act(...given);
        return result instanceof Promise ? result.catch(rethrow) : result;
      } catch (error) {
        return rethrow(error);
      }
    };
  const all = Object.entries(operations).map(([name, value]) => [
    name,
    typeof value === "function" ? worded(value as never) : value,
  ]);
  const check: Lifecycle["check"] = (...given) => {
    const { inputs, failures } = operations.check(...given);
    return { inputs, failures: failures.map(words) };
  };
  return { ...Object.fromEntries(all), check };
}

/** The inputs that an ApiKey requires, and a name. */
export const least = { workspaceId: "ws_1", customerId: "cus_1", name: "ci" } as const;

/** The fewest inputs that each kind of resource takes. */
export const leastOf: Readonly<Record<string, Properties>> = {
  ApiKey: least,
  ApiKeySet: { workspaceId: "ws_1", keys: { a: { customerId: "cus_1" } } },
  RotatingApiKey: { ...least, rotateEvery: "90d" },
  WorkspaceSettings: { workspaceId: "ws_1", defaultKeyPrefix: "acme" },
  Scope: { workspaceId: "ws_1", name: "Orders", representation: "orders" },
  CustomerBilling: { workspaceId: "ws_1", totalCredits: "100" },
};
