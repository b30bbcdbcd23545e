import type { Host } from "../engine/project";

/** One row of the tables. */
export interface Contender {
  /** Names it on the command line and in JSON. */
  readonly id: string;
  readonly title: string;
  /** A file of programs/, and one of its programs. */
  readonly program: `${string}/${"single" | "oneSet"}`;
  readonly runsIn: Host;
  /** The folder of the package to measure. Default: what this checkout has built. */
  readonly package?: string;
}

/** In the command line of the process that serves the resources, and not in that of the shim before it. */
export const hosts: Readonly<Record<Host, RegExp>> = {
  dynamic: /cmd\/dynamic-provider/,
  plugin: /pulumi-resource-apikeys/,
};

const ours: readonly Contender[] = [
  { id: "ours", title: "single keys, dynamic", runsIn: "dynamic", program: "ours/single" },
  { id: "plugin", title: "single keys, plugin", runsIn: "plugin", program: "ours/single" },
  { id: "apiKeySet", title: "one set, dynamic", runsIn: "dynamic", program: "ours/oneSet" },
  { id: "pluginSet", title: "one set, plugin", runsIn: "plugin", program: "ours/oneSet" },
];

export const contenders: readonly Contender[] = [
  ...ours,
  { id: "taught", title: "dynamic provider as documented", runsIn: "dynamic", program: "taught/single" },
];

/** Each of ours beside itself in an earlier version, whose unpacked package is in that folder. */
export function besides(folder: string): readonly Contender[] {
  return ours.flatMap((contender) => {
    const { id, title } = contender;
    return [contender, { ...contender, id: `${id}Before`, title: `${title}, before`, package: folder }];
  });
}
