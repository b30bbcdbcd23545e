import { ApiKeySet, RotatingApiKey } from "pulumi-apikeys";

/** "first": before what went wrong with one set; "later": what can change in place has its second values. */
const step = process.env["APIKEYS_SNAPSHOT_STEP"];
const [first, later] = [step === "first", step === "later"];

new ApiKeySet("settled", {
  workspaceId: "ws_third",
  defaults: { customerId: "customer", scopes: [{ representation: "orders", read: true, update: later }] },
  keys: {
    plain: {},
    rewritten: { name: later ? "  rewritten, renamed  " : "  rewritten  " },
    "by itself": { name: "byItself", customerId: "another", scopes: [], enabled: later },
    full: {
      prefix: "web",
      expiresAt: 1924991999,
      externalMeterId: "meter",
      metadata: { team: "red", tags: ["a", 1] },
      keepers: { rotated: "2026-01" },
    },
    takenOver: { existingKey: process.env["APIKEYS_SNAPSHOT_EXISTING"] },
  },
});
new RotatingApiKey("rotated", {
  workspaceId: "ws_third",
  customerId: "customer",
  scopes: [{ representation: "orders", read: true, update: later }],
  rotateEvery: "9999w",
  overlap: "9998w",
  keepers: { rotated: first ? "2026-01" : "2026-02" },
});
new ApiKeySet("unsettled", {
  workspaceId: "ws_main",
  defaults: { customerId: "customer" },
  keys: {
    drifted: { scopes: [{ representation: "orders", read: true }] },
    renewed: { keepers: { rotated: first ? "2026-01" : "2026-02" } },
    ...(first ? { dropped: {} } : { lost: {} }),
  },
});
