import { type Step, steps } from "./keys";

/** How a contender does its work. */
type Work = EngineWork | { readonly kind: "network"; readonly inFlight: number };

export interface EngineWork {
  readonly kind: "engine";
  /** A file of programs/, and one of its programs. */
  readonly program: `${string}/${"single" | "oneSet"}`;
  /** In the command line of the process that serves its resources. */
  readonly host: RegExp;
  /** Where ours run. The plugin that answers at once serves those of `floors`. */
  readonly runsIn: "dynamic" | "plugin";
  /** The folder of the package to measure. Default: what this checkout has built. */
  readonly package?: string;
}

/** One row of the tables. */
export interface Contender {
  /** Names it on the command line and in JSON. */
  readonly id: string;
  readonly title: string;
  readonly work: Work;
  /** Whether it asks the service, so that what the service holds afterwards shows that it did its work. */
  readonly asks: boolean;
  /** The steps that are measured. */
  readonly steps: readonly Step[];
  /** The most keys that it is measured with, and from how many on in one round alone. */
  readonly mostKeys: number;
  readonly onceFrom: number;
}

/** The process that the engine starts for dynamic resources, and not the shim before it. */
export const dynamicHost = /cmd\/dynamic-provider/;

const dynamic = { kind: "engine", host: dynamicHost, runsIn: "dynamic" } as const;
const plugin = { kind: "engine", host: /pulumi-resource-apikeys/, runsIn: "plugin" } as const;
/** A plugin that answers at once: what the engine itself takes. */
const nothing = { kind: "engine", host: /pulumi-resource-nothing/, runsIn: "plugin" } as const;

const all = Number.POSITIVE_INFINITY;
const inOneSet = { asks: true, steps, mostKeys: all, onceFrom: all } as const;
/** A resource for each key. More than 1,000 keys are for sets alone. */
const singly = { ...inOneSet, mostKeys: 1_000 } as const;

/** The rows of the tables. */
export const contenders: readonly Contender[] = [
  { ...singly, id: "ours", title: "single keys, dynamic", work: { ...dynamic, program: "ours/single" } },
  { ...singly, id: "plugin", title: "single keys, plugin", work: { ...plugin, program: "ours/single" } },
  { ...inOneSet, id: "apiKeySet", title: "one set, dynamic", work: { ...dynamic, program: "ours/oneSet" } },
  { ...inOneSet, id: "pluginSet", title: "one set, plugin", work: { ...plugin, program: "ours/oneSet" } },
  {
    ...{ ...singly, id: "taught", title: "dynamic provider as documented" },
    work: { ...dynamic, program: "taught/single" },
    // One round of 1,000 keys takes minutes.
    onceFrom: 1_000,
  },
  {
    ...{ ...singly, id: "pluginFloor", title: "floor: engine, single keys", asks: false },
    work: { ...nothing, program: "floors/single" },
  },
  {
    ...{ ...inOneSet, id: "pluginSetFloor", title: "floor: engine, one set", asks: false },
    work: { ...nothing, program: "floors/oneSet" },
  },
  {
    ...{ ...inOneSet, id: "network-16", title: "floor: requests" },
    // As many as a set has in flight.
    work: { kind: "network", inFlight: 16 },
    // Where nothing changes, nothing has to be asked.
    steps: steps.filter((step) => step !== "noChange"),
  },
];

/** Each of ours beside itself in an earlier version, whose unpacked package is in that folder. */
export function besides(folder: string): readonly Contender[] {
  return contenders.flatMap((contender) => {
    const { id, title, work } = contender;
    if (work.kind !== "engine" || !work.program.startsWith("ours/")) return [];
    const before = { id: `${id}Before`, title: `${title}, before`, work: { ...work, package: folder } };
    return [contender, { ...contender, ...before }];
  });
}
