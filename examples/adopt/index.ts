import * as pulumi from "@pulumi/pulumi";
import { ApiKey, getWorkspaceOutput } from "pulumi-apikeys";

const config = new pulumi.Config();

// By name, because an id tells a reader nothing. If two workspaces have the same name, the function fails.
const workspace = getWorkspaceOutput({ name: config.require("workspaceName") });

// A key that this stack does not manage: read at each preview and update, never changed, and left alone by destroy.
const theirs = ApiKey.get("theirs", config.require("readKeyId"), { workspaceId: workspace.id });

// A key whose value is in use already. The service migrates it, so no client has to change. From then on this stack
// manages it like any other key, and `pulumi destroy` deletes it.
const legacy = new ApiKey("legacy", {
  workspaceId: workspace.id,
  customerId: config.require("customerId"),
  existingKey: config.requireSecret("legacyKey"),
  scopes: [{ representation: "orders", read: true }],
});

// To manage a key without knowing its value, use `pulumi import --file`, as docs/api-key.md shows.

export const workspaceId = workspace.id;
export const theirsIsEnabled = theirs.enabled;
export const theirsCustomer = theirs.customerId;
export const legacyKeyId = legacy.id;
export const legacyKey = legacy.key;
