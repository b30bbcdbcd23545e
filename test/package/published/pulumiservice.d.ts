// Of @pulumi/pulumiservice 1.3.0: the resources that the pages declare, with the arguments that they use.
import type * as pulumi from "@pulumi/pulumi";

interface EnvironmentArgs {
  name: pulumi.Input<string>;
  organization: pulumi.Input<string>;
  project?: pulumi.Input<string | undefined>;
  yaml: pulumi.Input<pulumi.asset.Asset | pulumi.asset.Archive>;
}

export declare class Environment extends pulumi.CustomResource {
  constructor(name: string, args: EnvironmentArgs, opts?: pulumi.CustomResourceOptions);
}
