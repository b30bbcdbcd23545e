export { ApiKey, type ApiKeyArgs, type ApiKeyState, type KeyScope, type KeyScopeArgs } from "./apiKey";
export { Provider, type ProviderArgs } from "./provider";
