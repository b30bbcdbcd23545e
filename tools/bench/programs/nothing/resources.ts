/** A package as ours is, with resources as ours are, on which nobody acts. */
import * as pulumi from "@pulumi/pulumi";
import type { DeclaredKey, DeclaredSet } from "../../keys";

// As long as the provider string of ours, which stands twice in the state of each resource.
const provider = (kind: string) =>
  `exports.handler=()=>require("pulumi-nothing/dynamic").provider(${JSON.stringify(kind)});`;

const outputs = [
  ...["key", "maskedKey", "createdAt", "updatedAt", "billingId", "effectivePrefix", "effectiveExpiresAt"],
  ...["prefix", "expiresAt", "externalMeterId", "metadata", "existingKey", "keepers"],
];

export class ApiKey extends pulumi.CustomResource {
  constructor(name: string, key: DeclaredKey) {
    const computed = Object.fromEntries(outputs.map((output) => [output, undefined]));
    const opts = { additionalSecretOutputs: ["key", "existingKey"] };
    super("nothing:index:ApiKey", name, { ...computed, ...key, __provider: provider("ApiKey") }, opts);
  }
}

export class ApiKeySet extends pulumi.CustomResource {
  constructor(name: string, set: DeclaredSet) {
    const computed = { ids: undefined, maskedKeys: undefined, secrets: undefined };
    const opts = { additionalSecretOutputs: ["secrets"] };
    super("nothing:index:ApiKeySet", name, { ...computed, ...set, __provider: provider("ApiKeySet") }, opts);
  }
}
