import type { Contender } from "./contender";
import { commonSteps } from "./steps";

/** The process that the engine starts for dynamic resources, and not the shim before it. */
export const dynamicHost = /cmd\/dynamic-provider/;

/** The rounds of what has a resource, or a request, a key: more than 1,000 are for sets alone. */
export function singly(count: number, rounds: number): number {
  return count > 1_000 ? 0 : rounds;
}

/** This package, as npm would pack it. */
export const ours: Contender = {
  id: "ours",
  title: "pulumi-apikeys",
  work: { kind: "engine", program: "ours", host: dynamicHost },
  asks: true,
  steps: commonSteps,
  rounds: singly,
};

/** The same with one RotatingApiKey among them. */
export const oneRotating: Contender = {
  ...ours,
  id: "oneRotating",
  title: "pulumi-apikeys, one key rotating",
  work: { kind: "engine", program: "oneRotating", host: dynamicHost },
  rounds: (count, rounds) => (count > 200 ? 0 : rounds),
};
