import type { Definition } from "../core/definition";
import { apiKey } from "./apiKey";
import { apiKeySet } from "./apiKeySet";
import { customerBilling } from "./customerBilling";
import { scope } from "./scope";
import { workspaceSettings } from "./workspaceSettings";

/** Every resource, by kind. A kind stands in states for ever: never rename or remove one. */
export const definitions: Readonly<Record<string, Definition>> = {
  ApiKey: apiKey,
  ApiKeySet: apiKeySet,
  WorkspaceSettings: workspaceSettings,
  Scope: scope,
  CustomerBilling: customerBilling,
};
