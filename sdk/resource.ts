import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/core/definition";
import { secretPaths } from "./secrets";

/** The type of a kind's resources. State holds it, so it can never change. */
export function typeOf(kind: string): string {
  return `pulumi-nodejs:dynamic/apikeys:${kind}`;
}

/**
 * Whether the value is a resource of that type, also one of another copy of this package. Policies pass only the type.
 */
export function isOfType(value: unknown, type: string): boolean {
  return (
    typeof value === "object" && value !== null && "__pulumiType" in value && value.__pulumiType === type
  );
}

/**
 * All properties of a resource, each of which becomes an output, and whether it is always secret. The compiler checks
 * them against the provider's definitions.
 */
export type PropertiesOf<S extends Shape> = {
  readonly [Name in keyof (S["inputs"] & S["outputs"]) & string]: S["outputs"][Name] extends {
    readonly secret: true;
  }
    ? "secret"
    : Name extends keyof S["inputs"]
      ? "plain" | "secret"
      : "plain";
};

interface Facts {
  /** What users do who want to import such a resource, which the option import can't. */
  readonly insteadOfImport: string;
  readonly properties: Readonly<Record<string, "plain" | "secret">>;
  /** Dotted paths of inputs that are always secret, but are not outputs. Default: none. */
  readonly secretInputs?: readonly string[];
}

/**
 * The arguments that a resource's class passes to `super`. They do what pulumi.dynamic.Resource does, but with a
 * constant provider string instead of a serialized closure. That keeps state small, and an upgrade of this package also
 * applies to existing resources. This is not a base class, because the engine takes the resource's source position from
 * the caller of pulumi.CustomResource.
 */
export function registration(
  kind: string,
  name: string,
  inputs: object,
  { properties, insteadOfImport, secretInputs = [] }: Facts,
  opts: pulumi.CustomResourceOptions,
): [type: string, name: string, properties: pulumi.Inputs, opts: pulumi.CustomResourceOptions] {
  if (opts.import !== undefined) {
    throw new pulumi.RunError(
      `${kind} "${name}": the resource option import can't work for dynamic resources. ${insteadOfImport}`,
    );
  }
  const names = Object.keys(properties);
  const secrets = names.filter((property) => properties[property] === "secret");
  const always = [...secrets, ...secretInputs];
  const paths = secretPaths(inputs, { outputs: opts.additionalSecretOutputs ?? [], always });
  return [
    typeOf(kind),
    name,
    {
      // Only properties that are named here become outputs.
      ...Object.fromEntries(names.map((property) => [property, undefined])),
      ...inputs,
      ...(paths === undefined ? {} : { __secrets: paths }),
      // For check, which the engine does not tell the name. A resource that is only read is not checked.
      ...(opts.id === undefined && { __resourceName: name }),
      __provider: `exports.handler=()=>require("pulumi-apikeys/dynamic").provider(${JSON.stringify(kind)});`,
    },
    pulumi.mergeOptions(opts, { additionalSecretOutputs: secrets }),
  ];
}
