/** A package as ours is, with resources as ours are, on which nobody acts. */
import * as pulumi from "@pulumi/pulumi";
import type { DeclaredKey } from "../../keys";

// As long as the provider string of ours, which stands twice in the state of each resource.
const provider = (kind: string) =>
  `exports.handler=()=>require("pulumi-nothing/dynamic").provider(${JSON.stringify(kind)});`;
const type = "pulumi-nodejs:dynamic/apikeys:ApiKey";

const outputs = [
  ...["key", "maskedKey", "createdAt", "updatedAt", "billingId", "effectivePrefix", "effectiveExpiresAt"],
  ...["prefix", "expiresAt", "externalMeterId", "metadata", "existingKey", "keepers"],
];

export class ApiKey extends pulumi.CustomResource {
  constructor(name: string, key: DeclaredKey) {
    const computed = Object.fromEntries(outputs.map((output) => [output, undefined]));
    const opts = { additionalSecretOutputs: ["key", "existingKey"] };
    super(type, name, { ...computed, ...key, __provider: provider("ApiKey") }, opts);
  }
}

/** Has nothing but what was declared. */
export class Declared extends pulumi.CustomResource {
  constructor(name: string, key: DeclaredKey) {
    super(type, name, { ...key, __provider: provider("NoOuts") });
  }
}
