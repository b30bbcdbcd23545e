import { settings } from "../../provider/core/config";
import type { AnyDefinition } from "../../provider/core/definition";
import { type Lifecycle, lifecycle } from "../../provider/core/lifecycle";
import { openRun } from "../../provider/core/run";
import { apiKey } from "../../provider/resources/apiKey";

/** A complete configuration, for tests that are not about it. */
export const configured: Readonly<Record<string, unknown>> = {
  "apikeys:baseUrl": "https://api.test",
  "apikeys:accessToken": "token-of-the-test",
};

/** A resource's operations, by default an ApiKey's, without a service: any request is an error (R12). */
export function offline(
  config: Readonly<Record<string, unknown>> = configured,
  env: Readonly<Record<string, string>> = {},
  definition: AnyDefinition = apiKey,
  tell: (line: string) => void = () => {},
): Lifecycle {
  return lifecycle(definition, {
    settings: settings((key) => config[key]),
    env,
    transport: () => {
      throw new Error("a request was sent, but none is expected here");
    },
    run: openRun(),
    pause: async () => {},
    tell,
    warn: (message) => {
      throw new Error(`there was a warning, but none is expected here: ${message}`);
    },
  });
}

/** The inputs that an ApiKey requires, and a name. */
export const least = { workspaceId: "ws_1", customerId: "cus_1", name: "ci" } as const;
