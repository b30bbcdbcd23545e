import type { AnyDefinition } from "../core/definition";
import { apiKey } from "./apiKey";
import { apiKeySet } from "./apiKeySet";
import { customerBilling } from "./customerBilling";
import { rotatingApiKey } from "./rotatingApiKey";
import { scope } from "./scope";
import { workspaceSettings } from "./workspaceSettings";

/** Every resource. Users have each kind in their states: never rename or remove one. */
const all = [apiKey, apiKeySet, rotatingApiKey, workspaceSettings, scope, customerBilling];

export const definitions: Readonly<Record<string, AnyDefinition>> = Object.fromEntries(
  all.map((definition) => [definition.kind, definition]),
);
