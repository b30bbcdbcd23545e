/** The parts of the provider that the command uses. In the package they are in the dynamic host's bundle (tools/bundle.ts). */
export { asFailure, Failure } from "../provider/core/errors";
export { eachBounded, openRun } from "../provider/core/run";
export { isMarked } from "../provider/core/secrecy";
export { isRecord, type Properties, specialKey } from "../provider/core/state";
export { capitalised, importId, nameIn, oneLine } from "../provider/core/text";
export { getApiKeys, getWorkspace } from "../provider/functions";
export { type Instance, openInstance } from "../provider/instance";
export { nodeProblem } from "../provider/lifecycle/config";
export type { Granted } from "../provider/resources/apiKey/scopes";
export { hasOutput } from "../provider/resources/fields/schemas";
