import * as pulumi from "@pulumi/pulumi";
import { RotatingApiKey } from "pulumi-apikeys";

const config = new pulumi.Config();

// The first `pulumi up` after 90 days creates a new key. The previous key stays valid for 14 days; the first `pulumi up`
// after that deletes it. Nothing happens between updates, so run `pulumi up` on a schedule.
const ci = new RotatingApiKey("ci", {
  workspaceId: config.require("workspaceId"),
  customerId: config.require("customerId"),
  scopes: [{ representation: "orders", read: true }],
  rotateEvery: "90d",
  overlap: "14d",
  // To rotate at once, run `pulumi config set leaked 2026-11-24`, then `pulumi up`.
  keepers: { leaked: config.require("leaked") },
});

// Resources that use the secret get the new one in the update that creates it.
export const key = ci.key;
// For consumers that take a list of secrets: both are valid while there is a previous key.
export const acceptedKeys = pulumi.all([ci.key, ci.previousKey]).apply((keys) => keys.filter(Boolean));

export const rotatesAt = ci.rotatesAt;
export const retiresAt = ci.retiresAt;
