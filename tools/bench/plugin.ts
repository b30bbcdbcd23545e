import type { Contender } from "./contender";
import { networkFloor } from "./floors";
import { always, singly } from "./ours";
import { commonSteps, steps } from "./steps";

const served = { kind: "engine", host: /pulumi-resource-(apikeys|nothing)/ } as const;

/** This package through its plugin. */
export const plugin: Contender = {
  id: "plugin",
  title: "pulumi-apikeys, plugin",
  work: { ...served, program: "ours/single", plugin: "apikeys" },
  asks: true,
  steps: commonSteps,
  rounds: singly,
};

export const pluginSet: Contender = {
  ...plugin,
  id: "pluginSet",
  title: "one ApiKeySet, plugin",
  work: { ...served, program: "ours/oneSet", plugin: "apikeys" },
  steps,
  rounds: always,
};

/** What the engine takes for as many resources of a plugin that answers at once. */
export const pluginFloor: Contender = {
  ...plugin,
  id: "pluginFloor",
  title: "floor: plugin without I/O",
  work: { ...served, program: "floors/singlePlugin", plugin: "nothing" },
  asks: false,
};

export const pluginSetFloor: Contender = {
  ...pluginSet,
  id: "pluginSetFloor",
  title: "floor: one resource of a plugin without I/O",
  work: { ...served, program: "floors/oneSetPlugin", plugin: "nothing" },
  asks: false,
};

/** More keys than a set should have, so in ten of them: where it ends, and what of it gives way first. */
const many = {
  steps: ["up"],
  rounds: (count: number, rounds: number) => (count < 10_000 ? 0 : rounds),
} as const;
const atOnce = 64;

export const tenSets: readonly Contender[] = [
  {
    ...pluginSet,
    ...many,
    id: "tenSets",
    title: "ten ApiKeySets, plugin",
    work: {
      ...served,
      program: "ours/tenSets",
      plugin: "apikeys",
      env: { APIKEYS_PARALLEL: String(atOnce) },
    },
  },
  {
    ...pluginSetFloor,
    ...many,
    id: "tenSetsFloor",
    title: "floor: ten resources of a plugin without I/O",
    work: { ...served, program: "floors/tenSetsPlugin", plugin: "nothing" },
  },
  networkFloor(atOnce, many.steps, many.rounds),
];
