export { ApiKey, type ApiKeyArgs, type ApiKeyState, type KeyScope, type KeyScopeArgs } from "./apiKey";
export { CustomerBilling, type CustomerBillingArgs } from "./customerBilling";
export { Provider, type ProviderArgs } from "./provider";
export { Scope, type ScopeArgs } from "./scope";
export { WorkspaceSettings, type WorkspaceSettingsArgs } from "./workspaceSettings";
