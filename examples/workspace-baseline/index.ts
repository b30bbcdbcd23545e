import * as pulumi from "@pulumi/pulumi";
import { ApiKey, type KeyScopeArgs, Scope, WorkspaceSettings } from "pulumi-apikeys";

const config = new pulumi.Config();
const workspaceId = config.require("workspaceId");
const customerId = config.require("customerId");

const defaults = new WorkspaceSettings("defaults", {
  workspaceId,
  defaultKeyPrefix: "shop",
  defaultAllowedIPs: ["203.0.113.0/24", "2001:db8::/32"],
  defaultRateLimitPerSecond: 50,
  // Others use the workspace too, so destroy puts the former settings back.
  onDestroy: "restore",
});

const scope = (representation: string, name: string, description: string) =>
  new Scope(representation, { workspaceId, representation, name, description });

const orders = scope("orders", "Orders", "Orders and their lines");
const customers = scope("customers", "Customers", "Names and addresses");

// One line per service. A scope is named by its output `representation`, not by a string: so the scope is created
// before the key that uses it, and a typo does not compile.
const services: Readonly<Record<string, KeyScopeArgs[]>> = {
  storefront: [
    { representation: orders.representation, create: true, read: true },
    { representation: customers.representation, read: true },
  ],
  warehouse: [{ representation: orders.representation, read: true, update: true }],
  reports: [{ representation: orders.representation, read: true }],
};

const keys = Object.entries(services).map(([name, scopes]) => ({
  name,
  // The workspace's defaults apply to keys that are created after them.
  key: new ApiKey(name, { workspaceId, customerId, scopes }, { dependsOn: defaults }),
}));

export const keyIds = Object.fromEntries(keys.map(({ name, key }) => [name, key.id]));
export const secrets = Object.fromEntries(keys.map(({ name, key }) => [name, key.key]));
