export {
  ApiKey,
  type ApiKeyArgs,
  type ApiKeyState,
  type ExistingApiKey,
  type KeyScope,
  type KeyScopeArgs,
} from "./apiKey";
export {
  ApiKeySet,
  type ApiKeySetArgs,
  type ApiKeySetDefaults,
  type ApiKeySetEntry,
  type DeclaredKey,
} from "./apiKeySet";
export { CustomerBilling, type CustomerBillingArgs } from "./customerBilling";
export {
  type ByIdOrName,
  type FoundApiKey,
  type FoundKeyScope,
  type FoundScope,
  type FunctionInputs,
  type FunctionOptions,
  type GetApiKeyArgs,
  type GetApiKeysArgs,
  type GetApiKeysResult,
  type GetScopesArgs,
  type GetScopesResult,
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
  type Workspace,
} from "./functions";
export { Provider, type ProviderArgs } from "./provider";
export { RotatingApiKey, type RotatingApiKeyArgs } from "./rotatingApiKey";
export { Scope, type ScopeArgs } from "./scope";
export { WorkspaceSettings, type WorkspaceSettingsArgs } from "./workspaceSettings";
