import type { Contender } from "./contender";
import { steps } from "./steps";

/** The process that the engine starts for dynamic resources, and not the shim before it. */
export const dynamicHost = /cmd\/dynamic-provider/;

/** This package, as npm would pack it. */
export const ours: Contender = {
  id: "ours",
  title: "pulumi-apikeys",
  work: { kind: "engine", program: "ours", host: dynamicHost },
  asks: true,
  steps,
  rounds: (_count, rounds) => rounds,
};
