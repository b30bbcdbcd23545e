/** The engine's floor: resources as ours are, whose provider does nothing (floorProvider.ts). */
import * as pulumi from "@pulumi/pulumi";
import type { DeclaredKey } from "../keys";

const outputs = [
  "key",
  "maskedKey",
  "createdAt",
  "updatedAt",
  "billingId",
  "effectivePrefix",
  "effectiveExpiresAt",
  "prefix",
  "expiresAt",
  "externalMeterId",
  "metadata",
  "existingKey",
  "keepers",
];

class Nothing extends pulumi.CustomResource {
  constructor(key: DeclaredKey) {
    super(
      "pulumi-nodejs:dynamic/apikeys:ApiKey",
      key.name,
      {
        ...Object.fromEntries(outputs.map((output) => [output, undefined])),
        ...key,
        // As long as the provider's own, which stands twice in the state of each resource.
        __provider: 'exports.handler=()=>require("pulumi-nothing/dynamic").provider("ApiKey");',
      },
      { additionalSecretOutputs: ["key", "existingKey"] },
    );
  }
}

export function declare(keys: readonly DeclaredKey[]): void {
  for (const key of keys) new Nothing(key);
}
