/** All calls of the client. Without vitest, because scripts in other processes load this file too. */

export * from "../../provider/client/apiKeys";
export * from "../../provider/client/billing";
export type { Call, Written } from "../../provider/client/call";
export * from "../../provider/client/scopes";
export * from "../../provider/client/workspaces";
