import { apiKeySet } from "./apiKeySet";
import { command } from "./command";
import type { Contender } from "./contender";
import { bareFloor, engineFloor, networkFloor, setFloor } from "./floors";
import { ours, singly } from "./ours";
import { commonSteps, steps } from "./steps";
import { taught } from "./taught";

/** The columns, from left to right. */
export const contenders: readonly Contender[] = [
  ours,
  apiKeySet,
  taught,
  command,
  engineFloor,
  setFloor,
  bareFloor,
  networkFloor(8, commonSteps, singly),
  // As many as a set has in flight.
  { ...networkFloor(16, steps, apiKeySet.rounds), drawn: false },
];
