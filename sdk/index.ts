/**
 * Pulumi resources and functions for API keys, workspaces, scopes and customer credits. The service's base URL and the
 * access token come from the environment variables APIKEYS_BASE_URL and APIKEYS_ACCESS_TOKEN, or from stack config: see
 * docs/configuration.md.
 *
 * @module pulumi-apikeys
 */
export { ApiKey, type ApiKeyState, type UnmanagedApiKey } from "./apiKey";
export {
  ApiKeySet,
  type ApiKeySetArgs,
  type ApiKeySetDefaults,
  type ApiKeySetDefaultsArgs,
  type ApiKeySetEntry,
  type ApiKeySetEntryArgs,
} from "./apiKeySet";
export { CustomerBilling, type CustomerBillingArgs } from "./customerBilling";
export {
  type FoundApiKey,
  type FoundScope,
  type FoundWorkspace,
  type FunctionInputs,
  type FunctionOptions,
  type FunctionOutputOptions,
  type GetApiKeyArgs,
  type GetApiKeysArgs,
  type GetApiKeysResult,
  type GetScopesArgs,
  type GetScopesResult,
  type GetWorkspaceArgs,
  type GetWorkspacesResult,
  getApiKey,
  getApiKeyOutput,
  getApiKeys,
  getApiKeysOutput,
  getScopes,
  getScopesOutput,
  getWorkspace,
  getWorkspaceOutput,
  getWorkspaces,
  getWorkspacesOutput,
} from "./functions";
export type { ApiKeyArgs, FoundKeyScope, KeyScope, KeyScopeArgs } from "./keyProperties";
export { Provider, type ProviderArgs } from "./provider";
export { RotatingApiKey, type RotatingApiKeyArgs } from "./rotatingApiKey";
export { Scope, type ScopeArgs, type ScopeState } from "./scope";
export { WorkspaceSettings, type WorkspaceSettingsArgs } from "./workspaceSettings";
