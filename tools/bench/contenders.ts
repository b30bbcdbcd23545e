import { type Step, steps } from "./keys";

/** Ours, or one that answers at once. */
export type PluginName = "apikeys" | "nothing";

/** How a contender does its work. */
type Work =
  | {
      readonly kind: "engine";
      /** A file of programs/, and one of its programs. */
      readonly program: `${string}/${string}`;
      /** In the command line of the process that serves its resources. */
      readonly host: RegExp;
      /** The plugin that serves them; absent: they are dynamic. */
      readonly plugin?: PluginName;
      /** The folder of the package to measure. Default: what this checkout has built. */
      readonly package?: string;
    }
  | { readonly kind: "network"; readonly inFlight: number };

/** One row of the tables. */
export interface Contender {
  /** Names it on the command line and in JSON. */
  readonly id: string;
  readonly title: string;
  readonly work: Work;
  /** Whether it asks the service, so that what the service holds afterwards shows that it did its work. */
  readonly asks: boolean;
  /** What there is to measure of it. */
  readonly steps: readonly Step[];
  /** Of so many rounds with N keys, how many it takes part in. */
  rounds(count: number, rounds: number): number;
}

/** The process that the engine starts for dynamic resources, and not the shim before it. */
export const dynamicHost = /cmd\/dynamic-provider/;

const dynamic = { kind: "engine", host: dynamicHost } as const;
const plugin = { kind: "engine", host: /pulumi-resource-apikeys/, plugin: "apikeys" } as const;
/** A plugin that answers at once: what the engine itself takes. */
const nothing = { kind: "engine", host: /pulumi-resource-nothing/, plugin: "nothing" } as const;

/** A resource for each key. More than 1,000 keys are for sets alone. */
const singly = {
  asks: true,
  steps,
  rounds: (count: number, rounds: number) => (count > 1_000 ? 0 : rounds),
} as const;

/** All keys in one resource. */
const inOneSet = { asks: true, steps, rounds: (_count: number, rounds: number) => rounds } as const;

/** The rows of the tables. */
export const contenders: readonly Contender[] = [
  { ...singly, id: "ours", title: "single keys, dynamic", work: { ...dynamic, program: "ours/single" } },
  { ...singly, id: "plugin", title: "single keys, plugin", work: { ...plugin, program: "ours/single" } },
  { ...inOneSet, id: "apiKeySet", title: "one set, dynamic", work: { ...dynamic, program: "ours/oneSet" } },
  {
    ...inOneSet,
    id: "pluginSet",
    title: "one set, plugin",
    work: { ...plugin, program: "ours/oneSet" },
  },
  {
    ...singly,
    id: "taught",
    title: "dynamic provider as documented",
    work: { ...dynamic, program: "taught/single" },
    // One round of 1,000 keys takes minutes, so one must do.
    rounds: (count, rounds) => singly.rounds(count, count < 1_000 ? rounds : Math.min(1, rounds)),
  },
  {
    ...singly,
    id: "pluginFloor",
    title: "floor: engine, single keys",
    work: { ...nothing, program: "floors/single" },
    asks: false,
  },
  {
    ...inOneSet,
    id: "pluginSetFloor",
    title: "floor: engine, one set",
    work: { ...nothing, program: "floors/oneSet" },
    asks: false,
  },
  {
    ...inOneSet,
    id: "network-16",
    title: "floor: requests",
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
    return [
      contender,
      { ...contender, id: `${id}Before`, title: `${title}, before`, work: { ...work, package: folder } },
    ];
  });
}
