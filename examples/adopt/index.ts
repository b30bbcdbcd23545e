import * as pulumi from "@pulumi/pulumi";
import { ApiKey, getWorkspaceOutput } from "pulumi-apikeys";

const config = new pulumi.Config();

// By its name, since an id says nothing to a reader. Two workspaces of one name would be an error.
const workspace = getWorkspaceOutput({ name: config.require("workspaceName") });

// A key that others manage: read at each preview and up, never changed, and left alone by destroy.
const theirs = ApiKey.get("theirs", config.require("readKeyId"), { workspaceId: workspace.id });

// A key whose value is in use already: the service takes it over, and no client has to change. From then on it is a key
// of this stack like any other, and `pulumi destroy` deletes it.
const legacy = new ApiKey("legacy", {
  workspaceId: workspace.id,
  customerId: config.require("customerId"),
  existingKey: config.requireSecret("legacyKey"),
  scopes: [{ representation: "orders", read: true }],
});

// A key that the service has, whose value is lost: `pulumi import --file`, as docs/api-key.md shows.

export const workspaceId = workspace.id;
export const theirsIsEnabled = theirs.enabled;
export const theirsCustomer = theirs.customerId;
export const legacyKeyId = legacy.id;
export const legacyKey = legacy.key;
