/** A program that uses every endpoint: by its resources, its functions, and a key that it migrates. */
export function programOfEverything({ keyName, rate }: { keyName: string; rate: number }): string {
  return `import * as pulumi from "@pulumi/pulumi";
import * as apikeys from "pulumi-apikeys";

const workspaceId = "ws_main";
const settings = new apikeys.WorkspaceSettings("settings", {
  workspaceId,
  defaultRateLimitPerSecond: ${rate},
  onDestroy: "restore",
});
const orders = new apikeys.Scope("orders", { workspaceId, name: "Orders", representation: "orders" });
new apikeys.CustomerBilling("credits", { workspaceId, totalCredits: "100" });
const ci = new apikeys.ApiKey("ci", {
  workspaceId,
  customerId: "customer",
  name: "${keyName}",
  scopes: [{ representation: orders.representation, read: true }],
});
new apikeys.ApiKey("legacy", { workspaceId, customerId: "customer", existingKey: "sk_from_elsewhere" });

export const workspaces = apikeys.getWorkspaces().then((found) => found.workspaces.length);
export const workspace = apikeys.getWorkspace({ id: "ws_second" }).then(({ name }) => name);
export const keys = apikeys.getApiKeys({ workspaceId: "ws_second" }).then(({ apiKeys }) => apiKeys.length);
export const key = apikeys.getApiKeyOutput({ workspaceId, id: ci.id }).name;
export const scopes = apikeys.getScopesOutput({ workspaceId: settings.id }).scopes.length;
`;
}
