/** The client's calls to the service. */

export type { Call } from "../../provider/client/request";
export type { Written } from "../../provider/client/send";
export * from "../../provider/client/service";
