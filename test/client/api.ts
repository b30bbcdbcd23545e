/** All calls of the client, for tests that go through many; without vitest, as processes of their own load it too. */

export * from "../../provider/client/apiKeys";
export * from "../../provider/client/billing";
export type { Call, Written } from "../../provider/client/call";
export * from "../../provider/client/scopes";
export * from "../../provider/client/workspaces";
