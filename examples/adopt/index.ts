import * as pulumi from "@pulumi/pulumi";
import { ApiKey, getWorkspaceOutput } from "pulumi-apikeys";

// Keys that exist already, adopted by their ids. `pulumi destroy` deletes them, as it deletes any key of the stack. The
// two files are as these commands write them:
//
//   npx pulumi-apikeys adopt --workspace ws_main --customer cus_1 > keys.ts
//   npx pulumi-apikeys adopt --workspace ws_main --customer cus_partners --as set > partners.ts
export { keyIds } from "./keys";
export { keyIds as partnerKeyIds } from "./partners";

const config = new pulumi.Config();

// By name, because an id tells a reader nothing. If two workspaces have the same name, the function fails.
const workspace = getWorkspaceOutput({ name: config.require("workspaceName") });

// A key whose value is in use already. The service migrates it, so no client has to change, and this stack has its secret.
const legacy = new ApiKey("legacy", {
  workspaceId: workspace.id,
  customerId: config.require("customerId"),
  existingKey: config.requireSecret("legacyKey"),
  scopes: [{ representation: "orders", read: true }],
});

// A key that this stack does not manage: read at each preview and update, never changed, and left alone by destroy.
const theirs = ApiKey.get("theirs", config.require("readKeyId"), { workspaceId: workspace.id });

export const workspaceId = workspace.id;
export const theirsIsEnabled = theirs.enabled;
export const theirsCustomer = theirs.customerId;
export const legacyKeyId = legacy.id;
export const legacyKey = legacy.key;
