// Of @pulumi/kubernetes 4.34.2: the resources that the pages declare, with the arguments that they use.
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

export declare namespace apps.v1 {
  class Deployment extends pulumi.CustomResource {
    constructor(name: string, args?: DeploymentArgs, opts?: pulumi.CustomResourceOptions);
  }
}

export declare namespace core.v1 {
  class Secret extends pulumi.CustomResource {
    readonly metadata: pulumi.Output<{ name: string; namespace: string }>;
    constructor(name: string, args?: SecretArgs, opts?: pulumi.CustomResourceOptions);
  }
}
