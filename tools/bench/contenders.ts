import type { Contender } from "./contender";
import { commonSteps, steps } from "./steps";

/** The process that the engine starts for dynamic resources, and not the shim before it. */
export const dynamicHost = /cmd\/dynamic-provider/;

const dynamic = { kind: "engine", host: dynamicHost } as const;
const plugin = { kind: "engine", host: /pulumi-resource-apikeys/, plugin: "apikeys" } as const;
/** A plugin that answers at once: what the engine itself takes. */
const nothing = { kind: "engine", host: /pulumi-resource-nothing/, plugin: "nothing" } as const;

/** A resource for each key. More than 1,000 keys are for sets alone. */
const singly = {
  asks: true,
  steps: commonSteps,
  rounds: (count: number, rounds: number) => (count > 1_000 ? 0 : rounds),
} as const;

/** All keys in one resource. */
const inOneSet = { asks: true, steps, rounds: (_count: number, rounds: number) => rounds } as const;

/** More keys than a set should have. */
const inTenSets = {
  asks: true,
  steps: ["up"],
  rounds: (count: number, rounds: number) => (count < 10_000 ? 0 : rounds),
} as const;

/** The columns, from left to right. */
export const contenders: readonly Contender[] = [
  { ...singly, id: "ours", title: "pulumi-apikeys", work: { ...dynamic, program: "ours/single" } },
  { ...singly, id: "plugin", title: "pulumi-apikeys, plugin", work: { ...plugin, program: "ours/single" } },
  { ...inOneSet, id: "apiKeySet", title: "one ApiKeySet", work: { ...dynamic, program: "ours/oneSet" } },
  {
    ...inOneSet,
    id: "pluginSet",
    title: "one ApiKeySet, plugin",
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
    title: "floor: plugin without I/O",
    work: { ...nothing, program: "floors/single" },
    asks: false,
  },
  {
    ...inOneSet,
    id: "pluginSetFloor",
    title: "floor: one resource of a plugin without I/O",
    work: { ...nothing, program: "floors/oneSet" },
    asks: false,
  },
  {
    ...inOneSet,
    id: "network-16",
    title: "floor: script, 16 in flight",
    // As many as a set has in flight.
    work: { kind: "network", inFlight: 16 },
    // Where nothing changes, nothing has to be asked.
    steps: steps.filter((step) => step !== "noChange"),
  },
  {
    ...inTenSets,
    id: "tenSets",
    title: "ten ApiKeySets, plugin",
    work: { ...plugin, program: "ours/tenSets" },
  },
  {
    ...inTenSets,
    id: "tenSetsFloor",
    title: "floor: ten resources of a plugin without I/O",
    work: { ...nothing, program: "floors/tenSets" },
    asks: false,
  },
  {
    ...inTenSets,
    id: "network-64",
    title: "floor: script, 64 in flight",
    work: { kind: "network", inFlight: 64 },
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
