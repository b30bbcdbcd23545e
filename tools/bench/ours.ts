import type { Contender } from "./contender";
import { commonSteps, steps } from "./steps";

/** The process that the engine starts for dynamic resources, and not the shim before it. */
export const dynamicHost = /cmd\/dynamic-provider/;

/** The rounds of what has a resource, or a request, a key: more than 1,000 are for sets alone. */
export function singly(count: number, rounds: number): number {
  return count > 1_000 ? 0 : rounds;
}

/** The rounds of what has all keys in one resource. */
export function always(_count: number, rounds: number): number {
  return rounds;
}

/** This package, as npm would pack it. */
export const ours = {
  id: "ours",
  title: "pulumi-apikeys",
  work: { kind: "engine", program: "ours/single", host: dynamicHost },
  asks: true,
  steps: commonSteps,
  rounds: singly,
} as const satisfies Contender;

/** The same with one RotatingApiKey among them. */
export const oneRotating: Contender = {
  ...ours,
  id: "oneRotating",
  title: "pulumi-apikeys, one key rotating",
  work: { ...ours.work, program: "ours/oneRotating" },
  rounds: (count, rounds) => (count > 200 ? 0 : rounds),
};

/** The same with all keys in one resource. */
export const apiKeySet: Contender = {
  ...ours,
  id: "apiKeySet",
  title: "one ApiKeySet",
  work: { ...ours.work, program: "ours/oneSet" },
  steps,
  rounds: always,
};
