import * as pulumi from "@pulumi/pulumi";
import { ApiKey } from "pulumi-apikeys";

const config = new pulumi.Config();
const workspaceId = config.get("workspaceId") ?? "ws_main";

// What an online shop's back end may do.
const shop = new ApiKey("shop", {
  workspaceId,
  customerId: "customer-shop",
  scopes: [
    { representation: "orders", create: true, read: true, update: true },
    { representation: "customers", read: true },
  ],
});

// A partner that only reads, until the end of its contract.
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
