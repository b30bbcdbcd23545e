import { command } from "./command";
import type { Contender } from "./contender";
import { bareFloor, engineFloor, networkFloor } from "./floors";
import { ours } from "./ours";
import { taught } from "./taught";

/** The columns, from left to right. */
export const contenders: readonly Contender[] = [
  ours,
  taught,
  command,
  engineFloor,
  bareFloor,
  networkFloor(8),
];
