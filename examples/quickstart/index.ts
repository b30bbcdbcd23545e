import * as pulumi from "@pulumi/pulumi";
import { ApiKey } from "pulumi-apikeys";

const config = new pulumi.Config();
const workspaceId = config.get("workspaceId") ?? "ws_main";

// A key for an online shop's back end.
const shop = new ApiKey("shop", {
  workspaceId,
  customerId: "customer-shop",
  scopes: [
    { representation: "orders", create: true, read: true, update: true },
    { representation: "customers", read: true },
  ],
});

// A read-only key for a partner, which expires with its contract.
const partner = new ApiKey("partner", {
  workspaceId,
  customerId: "customer-partner",
  prefix: "partner",
  expiresAt: 1924991999,
  scopes: [{ representation: "orders", read: true }],
});

export const shopKeyId = shop.id;
export const shopKey = shop.key; // a secret: shown as [secret], encrypted in state
export const partnerKeyMasked = partner.maskedKey;
