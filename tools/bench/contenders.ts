import { command } from "./command";
import type { Contender } from "./contender";
import { bareFloor, engineFloor, networkFloor, setFloor } from "./floors";
import { apiKeySet, oneRotating, ours, singly } from "./ours";
import { plugin, pluginFloor, pluginSet, pluginSetFloor, tenSets } from "./plugin";
import { commonSteps, steps } from "./steps";
import { taught } from "./taught";

/** The columns, from left to right. */
export const contenders: readonly Contender[] = [
  ours,
  oneRotating,
  plugin,
  apiKeySet,
  pluginSet,
  taught,
  command,
  engineFloor,
  pluginFloor,
  setFloor,
  pluginSetFloor,
  bareFloor,
  networkFloor(8, commonSteps, singly),
  // As many as a set has in flight.
  networkFloor(16, steps, apiKeySet.rounds),
  ...tenSets,
];
