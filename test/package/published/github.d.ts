// Of @pulumi/github 6.15.0: the resources that the pages declare, with the arguments that they use.
import type * as pulumi from "@pulumi/pulumi";

interface ActionsSecretArgs {
  repository: pulumi.Input<string>;
  secretName: pulumi.Input<string>;
  value?: pulumi.Input<string | undefined>;
}

export declare class ActionsSecret extends pulumi.CustomResource {
  constructor(name: string, args: ActionsSecretArgs, opts?: pulumi.CustomResourceOptions);
}
