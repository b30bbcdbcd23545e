import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import type { PulumiCli } from "../engine/pulumiCli";

/** Where the figures are of. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly pulumi: string;
  readonly sdk: string;
}

export function machine(cli: PulumiCli): Machine {
  return {
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.versions.node,
    pulumi: cli.version,
    sdk: require("@pulumi/pulumi/package.json").version,
  };
}

export function machineLine({ cpu, cores, memoryGiB, system, node, pulumi, sdk }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node.js ${node}, Pulumi CLI ${pulumi}, @pulumi/pulumi ${sdk}`;
}
