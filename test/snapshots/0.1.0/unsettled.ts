import { ApiKey, ApiKeySet, CustomerBilling, WorkspaceSettings } from "pulumi-apikeys";

/** "first": before what went wrong; "healed": after the user has settled it; else as it was when it went wrong. */
const step = process.env["APIKEYS_SNAPSHOT_STEP"];
const first = step === "first";
const base = { workspaceId: "ws_main", customerId: "customer" };
const scopes = [{ representation: "orders", read: true }];
const keepers = { rotated: first ? "2026-01" : "2026-02" };

new ApiKey("renewed", { ...base, keepers });
new ApiKey("drifted", { ...base, scopes });
new WorkspaceSettings("moved", {
  workspaceId: "ws_main",
  defaultRateLimitPerSecond: 50,
  onDestroy: "restore",
});
new WorkspaceSettings("unseen", {
  workspaceId: "ws_second",
  defaultRateLimitPerSecond: first ? 50 : 60,
  onDestroy: "restore",
});
new ApiKeySet("set", {
  workspaceId: "ws_third",
  defaults: { customerId: "customer" },
  keys: {
    driftedInSet: { scopes },
    renewedInSet: { keepers },
    ...(first ? { dropped: {} } : { lostInSet: {} }),
  },
});
if (!first) {
  new ApiKey("lost", base);
  new CustomerBilling(
    "uncertain",
    step === "healed"
      ? { workspaceId: "ws_main", billingId: "bill_found" }
      : { workspaceId: "ws_main", totalCredits: "100" },
  );
}
