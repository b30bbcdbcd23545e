/** The client's calls to the service. */

export type { Written } from "../../provider/client/send";
export * from "../../provider/client/service";
