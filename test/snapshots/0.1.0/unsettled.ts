import { ApiKey, CustomerBilling, WorkspaceSettings } from "pulumi-apikeys";

/** "first": before what went wrong; "healed": after the user has settled it; else as it was when it went wrong. */
const step = process.env["APIKEYS_SNAPSHOT_STEP"];
const first = step === "first";
const base = { workspaceId: "ws_main", customerId: "customer" };

new ApiKey("renewed", { ...base, keepers: { rotated: first ? "2026-01" : "2026-02" } });
new ApiKey("drifted", { ...base, scopes: [{ representation: "orders", read: true }] });
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
if (!first) {
  new ApiKey("lost", base);
  new CustomerBilling(
    "uncertain",
    step === "healed"
      ? { workspaceId: "ws_main", billingId: "bill_found" }
      : { workspaceId: "ws_main", totalCredits: "100" },
  );
}
