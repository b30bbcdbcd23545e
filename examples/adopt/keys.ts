// Existing keys of workspace "ws_main", written by `npx pulumi-apikeys adopt`. The first `pulumi up` adopts
// them as they are and creates nothing. From then on this stack manages them: `pulumi destroy` deletes them.
import { ApiKey } from "pulumi-apikeys";

const workspaceId = "ws_main";

const ci = new ApiKey("ci", {
  workspaceId,
  customerId: "cus_1",
  scopes: [{ representation: "orders", read: true, update: true }],
  existingId: "key_ci",
});
const reports = new ApiKey("reports", {
  workspaceId,
  customerId: "cus_1",
  scopes: [],
  enabled: false,
  existingId: "key_old",
});
const reportsEU = new ApiKey("Reports-EU", {
  workspaceId,
  customerId: "cus_1",
  name: "Reports (EU)",
  scopes: [
    { representation: "invoices", read: true },
    { representation: "orders", read: true },
  ],
  existingId: "key_reports",
});

export const keyIds = {
  ci: ci.id,
  reports: reports.id,
  "Reports-EU": reportsEU.id,
};
