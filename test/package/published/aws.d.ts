// Of @pulumi/aws 7.48.0: the resources that the pages declare, with the arguments that they use.
import type * as pulumi from "@pulumi/pulumi";

interface SecretArgs {
  name?: pulumi.Input<string | undefined>;
}

interface SecretVersionArgs {
  secretId: pulumi.Input<string>;
  secretString?: pulumi.Input<string | undefined>;
}

export declare namespace secretsmanager {
  class Secret extends pulumi.CustomResource {
    constructor(name: string, args?: SecretArgs, opts?: pulumi.CustomResourceOptions);
  }
  class SecretVersion extends pulumi.CustomResource {
    constructor(name: string, args: SecretVersionArgs, opts?: pulumi.CustomResourceOptions);
  }
}
