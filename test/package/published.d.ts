// Of other providers, what the pages declare, with the arguments that they use, as those packages publish it.

// 7.48.0
declare module "@pulumi/aws" {
  import type * as pulumi from "@pulumi/pulumi";

  interface SecretArgs {
    name?: pulumi.Input<string | undefined>;
  }

  interface SecretVersionArgs {
    secretId: pulumi.Input<string>;
    secretString?: pulumi.Input<string | undefined>;
  }

  export namespace secretsmanager {
    class Secret extends pulumi.CustomResource {
      constructor(name: string, args?: SecretArgs, opts?: pulumi.CustomResourceOptions);
    }
    class SecretVersion extends pulumi.CustomResource {
      constructor(name: string, args: SecretVersionArgs, opts?: pulumi.CustomResourceOptions);
    }
  }
}

// 6.15.0
declare module "@pulumi/github" {
  import type * as pulumi from "@pulumi/pulumi";

  interface ActionsSecretArgs {
    repository: pulumi.Input<string>;
    secretName: pulumi.Input<string>;
    value?: pulumi.Input<string | undefined>;
  }

  export class ActionsSecret extends pulumi.CustomResource {
    constructor(name: string, args: ActionsSecretArgs, opts?: pulumi.CustomResourceOptions);
  }
}

// 4.34.2
declare module "@pulumi/kubernetes" {
  import type * as pulumi from "@pulumi/pulumi";

  interface ObjectMeta {
    labels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>;
    name?: pulumi.Input<string | undefined>;
    namespace?: pulumi.Input<string | undefined>;
  }

  interface SecretArgs {
    metadata?: pulumi.Input<ObjectMeta | undefined>;
    stringData?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>;
  }

  interface SecretEnvSource {
    name?: pulumi.Input<string | undefined>;
  }

  interface EnvFromSource {
    secretRef?: pulumi.Input<SecretEnvSource | undefined>;
  }

  interface Container {
    envFrom?: pulumi.Input<pulumi.Input<EnvFromSource>[] | undefined>;
    image?: pulumi.Input<string | undefined>;
    name: pulumi.Input<string>;
  }

  interface PodSpec {
    containers: pulumi.Input<pulumi.Input<Container>[]>;
  }

  interface PodTemplateSpec {
    metadata?: pulumi.Input<ObjectMeta | undefined>;
    spec?: pulumi.Input<PodSpec | undefined>;
  }

  interface LabelSelector {
    matchLabels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>;
  }

  interface DeploymentSpec {
    selector: pulumi.Input<LabelSelector>;
    template: pulumi.Input<PodTemplateSpec>;
  }

  interface DeploymentArgs {
    metadata?: pulumi.Input<ObjectMeta | undefined>;
    spec: pulumi.Input<DeploymentSpec>;
  }

  export namespace apps.v1 {
    class Deployment extends pulumi.CustomResource {
      constructor(name: string, args?: DeploymentArgs, opts?: pulumi.CustomResourceOptions);
    }
  }

  export namespace core.v1 {
    class Secret extends pulumi.CustomResource {
      readonly metadata: pulumi.Output<{ name: string; namespace: string }>;
      constructor(name: string, args?: SecretArgs, opts?: pulumi.CustomResourceOptions);
    }
  }
}

// 7.8.0
declare module "@pulumi/vault" {
  import type * as pulumi from "@pulumi/pulumi";

  interface SecretV2Args {
    dataJson?: pulumi.Input<string>;
    mount: pulumi.Input<string>;
    name?: pulumi.Input<string>;
  }

  export namespace kv {
    class SecretV2 extends pulumi.CustomResource {
      constructor(name: string, args: SecretV2Args, opts?: pulumi.CustomResourceOptions);
    }
  }
}
