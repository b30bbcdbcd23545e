/** The parts of the provider that the command uses. In the package they are in the dynamic host's bundle (tools/bundle.ts). */

export type { Call } from "../provider/client/request";
export { CallError, openTransport, pauseFor, type Written } from "../provider/client/send";
export type { ApiKeyRecord } from "../provider/client/service";
export * as endpoints from "../provider/client/service";
export type { Exchange } from "../provider/client/wire";
export { isLoopback } from "../provider/client/wire";
export { maskSecrets } from "../provider/client/words";
export { asFailure, Failure } from "../provider/core/errors";
export { eachBounded, type OpenRun, openRun, reasonAgainst } from "../provider/core/run";
export { isMarked } from "../provider/core/secrecy";
export { isRecord, type Properties, specialKey } from "../provider/core/state";
export { capitalised, importId, nameIn, oneLine } from "../provider/core/text";
export { getApiKeys, getWorkspace } from "../provider/functions";
export { type Instance, openInstance } from "../provider/instance";
export { type Configuration, configuration, nodeProblem, usable } from "../provider/lifecycle/config";
export type { Granted } from "../provider/resources/apiKey/scopes";
export { hasOutput } from "../provider/resources/fields/schemas";
