import * as pulumi from "@pulumi/pulumi";
import {
  ApiKey,
  ApiKeySet,
  CustomerBilling,
  Provider,
  RotatingApiKey,
  Scope,
  WorkspaceSettings,
} from "pulumi-apikeys";

/** "first": before the key was rotated; "later": what can change in place has its second values. */
const step = process.env["APIKEYS_SNAPSHOT_STEP"];
const [first, later] = [step === "first", step === "later"];
const secretOf = (name: string) => `${process.env["APIKEYS_SNAPSHOT_SECRETS"]}${name}`;
const named = (name: string) => (later ? `${name}, renamed` : name);
const base = { workspaceId: "ws_main", customerId: "customer" };
const orders = { representation: "orders", read: true, update: later };

new ApiKey("full", {
  ...base,
  name: `  ${named("full")}  `,
  enabled: later,
  scopes: [orders, { representation: "users", create: true, del: true }],
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
new ApiKey("takenOver", { ...base, name: named("takenOver"), existingKey: secretOf("takenOver") });
new ApiKey("imported", { ...base, name: named("imported") });
ApiKey.get("theirs", "key_theirs", { workspaceId: "ws_main" });
const provider = new Provider("acme", { accessToken: process.env["APIKEYS_ACCESS_TOKEN"] });
new ApiKey("byProvider", { ...base, name: named("byProvider") }, { provider });

new ApiKeySet("set", {
  workspaceId: "ws_third",
  defaults: { customerId: "customer", scopes: [orders] },
  keys: {
    rewritten: { name: `  ${named("rewritten")}  `, prefix: "web", keepers: { rotated: "2026-01" } },
    "by itself": { name: "byItself", customerId: "another", scopes: [], enabled: later },
    givenToo: { existingKey: secretOf("givenToo") },
  },
});
new RotatingApiKey("rotated", {
  ...base,
  workspaceId: "ws_third",
  scopes: [orders],
  rotateEvery: "9999w",
  overlap: "9998w",
  keepers: { rotated: first ? "2026-01" : "2026-02" },
});
new WorkspaceSettings("restored", {
  workspaceId: "ws_second",
  defaultKeyPrefix: "new",
  defaultAllowedIPs: ["10.0.0.1"],
  defaultRateLimitPerSecond: later ? 60 : 50,
  onDestroy: "restore",
});
new Scope("orders", { workspaceId: "ws_main", name: "Orders", representation: "orders", description: "All" });
new CustomerBilling("granted", { workspaceId: "ws_main", totalCredits: "100", spendCap: "50" });
