/** A package as ours is, with resources as ours are, on which nobody acts. */
import * as pulumi from "@pulumi/pulumi";
import type { DeclaredKey, DeclaredSet } from "../../keys";

// As long as the provider string of ours, which stands twice in the state of each resource.
const provider = (kind: string) =>
  `exports.handler=()=>require("pulumi-nothing/dynamic").provider(${JSON.stringify(kind)});`;
const ofDynamic = "pulumi-nodejs:dynamic/apikeys:";
/** With which types begin that the plugin serves. */
export const ofPlugin = "nothing:index:";

const outputs = [
  ...["key", "maskedKey", "createdAt", "updatedAt", "billingId", "effectivePrefix", "effectiveExpiresAt"],
  ...["prefix", "expiresAt", "externalMeterId", "metadata", "existingKey", "keepers"],
];

export class ApiKey extends pulumi.CustomResource {
  constructor(name: string, key: DeclaredKey, prefix = ofDynamic) {
    const computed = Object.fromEntries(outputs.map((output) => [output, undefined]));
    const opts = { additionalSecretOutputs: ["key", "existingKey"] };
    super(`${prefix}ApiKey`, name, { ...computed, ...key, __provider: provider("ApiKey") }, opts);
  }
}

/** Has nothing but what was declared. */
export class Declared extends pulumi.CustomResource {
  constructor(name: string, key: DeclaredKey) {
    super(`${ofDynamic}ApiKey`, name, { ...key, __provider: provider("NoOuts") });
  }
}

export class ApiKeySet extends pulumi.CustomResource {
  constructor(name: string, set: DeclaredSet, prefix = ofDynamic) {
    const computed = { ids: undefined, maskedKeys: undefined, secrets: undefined };
    const opts = { additionalSecretOutputs: ["secrets"] };
    super(`${prefix}ApiKeySet`, name, { ...computed, ...set, __provider: provider("ApiKeySet") }, opts);
  }
}
