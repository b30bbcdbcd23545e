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

/** A resource's operations, an ApiKey's by default, where any request is an error (R12). */
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
      throw new Error("no request is made here");
    },
    run: openRun(),
    pause: async () => {},
    tell,
    warn: (message) => {
      throw new Error(`no warning is due here: ${message}`);
    },
  });
}

/** The least that an ApiKey is declared with. */
export const least = { workspaceId: "ws_1", customerId: "cus_1", name: "ci" } as const;
