// Of @pulumi/vault 7.8.0: the resources that the pages declare, with the arguments that they use.
import type * as pulumi from "@pulumi/pulumi";

interface SecretV2Args {
  dataJson?: pulumi.Input<string>;
  mount: pulumi.Input<string>;
  name?: pulumi.Input<string>;
}

export declare namespace kv {
  class SecretV2 extends pulumi.CustomResource {
    constructor(name: string, args: SecretV2Args, opts?: pulumi.CustomResourceOptions);
  }
}
