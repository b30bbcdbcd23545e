import * as pulumi from "@pulumi/pulumi";
import { ApiKey, CustomerBilling, Provider, Scope, WorkspaceSettings } from "pulumi-apikeys";

/** Whether what can change in place has its second values. */
const later = process.env["APIKEYS_SNAPSHOT_STEP"] === "later";
const named = (name: string) => (later ? `${name}, renamed` : name);
const base = { workspaceId: "ws_main", customerId: "customer" };

new ApiKey("plain", { ...base, name: named("plain") });
new ApiKey("scoped", {
  ...base,
  enabled: later,
  scopes: [
    { representation: "orders", read: true, update: later },
    { representation: "users", create: true, del: true },
  ],
});
new ApiKey("rewritten", { ...base, name: `  ${named("rewritten")}  ` });
new ApiKey("full", {
  ...base,
  name: named("full"),
  prefix: "web",
  expiresAt: 1924991999,
  externalMeterId: "meter",
  metadata: { team: "red", tags: ["a", 1] },
  keepers: { rotated: "2026-01" },
});
new ApiKey("hidden", {
  ...base,
  name: pulumi.secret(`  ${named("hidden")}  `),
  prefix: pulumi.secret("dark"),
  metadata: { team: "red", token: pulumi.secret("in the dark") },
});
new ApiKey("takenOver", {
  ...base,
  name: named("takenOver"),
  existingKey: process.env["APIKEYS_SNAPSHOT_EXISTING"],
});
new ApiKey("imported", { ...base, name: named("imported") });
ApiKey.get("theirs", "key_theirs", { workspaceId: "ws_main" });
Scope.get("theirScope", "theirs", { workspaceId: "ws_main" });
WorkspaceSettings.get("theirSettings", "ws_main");

const provider = new Provider("acme", { accessToken: process.env["APIKEYS_ACCESS_TOKEN"] });
new ApiKey("byProvider", { ...base, name: named("byProvider") }, { provider });
const byVariable = new Provider("byVariable", { accessTokenEnv: "APIKEYS_ACCESS_TOKEN" });
new ApiKey("byVariable", { ...base, name: named("byVariable") }, { provider: byVariable });

new WorkspaceSettings("restored", {
  workspaceId: "ws_third",
  defaultKeyPrefix: "new",
  defaultAllowedIPs: ["10.0.0.1", "192.0.2.0/24"],
  defaultRateLimitPerSecond: later ? 60 : 50,
  onDestroy: "restore",
});
new WorkspaceSettings("retained", { workspaceId: "ws_second", defaultExpiration: later ? 7200 : 3600 });
new Scope("orders", { workspaceId: "ws_main", name: "Orders", representation: "orders", description: "All" });
new CustomerBilling("granted", {
  workspaceId: "ws_main",
  totalCredits: "100",
  spendCap: "50",
  allowOverages: true,
});
new CustomerBilling("adopted", {
  workspaceId: "ws_main",
  billingId: later ? "bill_adopted_instead" : "bill_adopted",
});
