// Existing keys of workspace "ws_main", written by `npx pulumi-apikeys adopt`. The first `pulumi up` adopts
// them as they are and creates nothing. From then on this stack manages them: `pulumi destroy` deletes them.
import { ApiKeySet } from "pulumi-apikeys";

const keys = new ApiKeySet("keys", {
  workspaceId: "ws_main",
  keys: {
    acme: {
      customerId: "cus_partners",
      scopes: [{ representation: "orders", read: true }],
      existingId: "key_acme",
    },
    beta: {
      customerId: "cus_partners",
      scopes: [{ representation: "orders", read: true }],
      enabled: false,
      existingId: "key_beta",
    },
  },
});

export const keyIds = keys.ids;
