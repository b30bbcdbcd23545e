/**
 * Pulumi resources and functions for API keys, workspaces, scopes and customer credits. The service's base URL and the
 * access token come from the environment variables APIKEYS_BASE_URL and APIKEYS_ACCESS_TOKEN, or from stack config: see
 * docs/configuration.md.
 *
 * @module pulumi-apikeys
 */
export { ApiKey, type ApiKeyState, type UnmanagedApiKey } from "./apiKey";
export * from "./apiKeySet";
export * from "./customerBilling";
export * from "./functions";
export type { ApiKeyArgs, FoundApiKey, FoundKeyScope, KeyScope, KeyScopeArgs } from "./keyProperties";
export { Provider, type ProviderArgs } from "./provider";
export * from "./rotatingApiKey";
export * from "./scope";
export * from "./workspaceSettings";
