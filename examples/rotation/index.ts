import * as pulumi from "@pulumi/pulumi";
import { RotatingApiKey } from "pulumi-apikeys";

const config = new pulumi.Config();

// The first `pulumi up` after 90 days makes a new key. The one before stays valid for 14 days; the first `pulumi up` after
// that deletes it. Run it on a schedule: nothing happens by itself.
const ci = new RotatingApiKey("ci", {
  workspaceId: config.require("workspaceId"),
  customerId: config.require("customerId"),
  scopes: [{ representation: "orders", read: true }],
  rotateEvery: "90d",
  overlap: "14d",
  // Don't wait: `pulumi config set leaked 2026-11-24`, then `pulumi up`.
  keepers: { leaked: config.require("leaked") },
});

// What uses the secret gets the new one in the update that makes it.
export const key = ci.key;
// For what can check two secrets: both work while there is a previous key.
export const acceptedKeys = pulumi.all([ci.key, ci.previousKey]).apply((keys) => keys.filter(Boolean));

export const rotatesAt = ci.rotatesAt;
export const retiresAt = ci.retiresAt;
