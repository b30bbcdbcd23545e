import * as pulumi from "@pulumi/pulumi";
import { secretPaths } from "./secrets";

/** A kind of resource that the provider knows. */
export type Kind = "ApiKey" | "ApiKeySet" | "WorkspaceSettings" | "Scope" | "CustomerBilling";

const wayOn: Readonly<Record<Kind, string>> = {
  ApiKey: "Take the key over with `pulumi import --file` instead; README.md shows the file.",
  ApiKeySet:
    "Declare the keys that exist with existingKey in their entries, which takes them over; or, without their values, take them in as a new set with `pulumi import --file` (docs/api-key-set.md).",
  WorkspaceSettings: "Declare the settings without it, which adopts those of the workspace.",
  Scope: "Declare the scope without it, which adopts one that says the same.",
  CustomerBilling: "Give billingId instead, which adopts the record.",
};

interface Facts {
  readonly outputs: readonly string[];
  /** The outputs that are secret, whatever the program says. */
  readonly secrets: readonly string[];
  /** Paths, with dots, of such inputs that are no outputs. Default: none. */
  readonly secretInputs?: readonly string[];
}

/**
 * What a resource's class hands to `super`: pulumi.dynamic.Resource with a constant provider string in place of a
 * serialized closure, so that a state is small and an upgrade of this package reaches resources made long ago. It is no
 * class between: the engine takes the caller's place in the program from just above pulumi.CustomResource.
 */
export function registration(
  kind: Kind,
  name: string,
  inputs: object,
  { outputs, secrets, secretInputs = [] }: Facts,
  opts: pulumi.CustomResourceOptions,
): [type: string, name: string, properties: pulumi.Inputs, opts: pulumi.CustomResourceOptions] {
  if (opts.import !== undefined) {
    throw new pulumi.RunError(
      `${kind} "${name}": the resource option import can't work for dynamic resources. ${wayOn[kind]}`,
    );
  }
  const always = [...secrets, ...secretInputs];
  const paths = secretPaths(inputs, { outputs: opts.additionalSecretOutputs ?? [], always });
  return [
    `pulumi-nodejs:dynamic/apikeys:${kind}`,
    name,
    {
      // Only the names that stand here become outputs.
      ...Object.fromEntries(outputs.map((output) => [output, undefined])),
      ...inputs,
      ...(paths === undefined ? {} : { __secrets: paths }),
      // For check alone, which the engine doesn't tell it. What is only read is not checked.
      ...(opts.id === undefined && { __resourceName: name }),
      __provider: `exports.handler=()=>require("pulumi-apikeys/dynamic").provider(${JSON.stringify(kind)});`,
    },
    pulumi.mergeOptions(opts, { additionalSecretOutputs: [...secrets] }),
  ];
}
