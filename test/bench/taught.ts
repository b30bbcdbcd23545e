import type { Contender } from "./contender";
import { dynamicHost } from "./ours";
import { steps } from "./steps";

/** The dynamic provider of Pulumi's documentation. One round of 1,000 keys takes minutes, so one must do. */
export const taught: Contender = {
  id: "taught",
  title: "dynamic provider as documented",
  work: { kind: "engine", program: "taught", host: dynamicHost },
  asks: true,
  steps,
  rounds: (count, rounds) => (count < 1_000 ? rounds : Math.min(1, rounds)),
};
