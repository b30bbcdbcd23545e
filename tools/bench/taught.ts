import type { Contender } from "./contender";
import { dynamicHost, singly } from "./ours";
import { commonSteps } from "./steps";

/** The dynamic provider of Pulumi's documentation. One round of 1,000 keys takes minutes, so one must do. */
export const taught: Contender = {
  id: "taught",
  title: "dynamic provider as documented",
  work: { kind: "engine", program: "taught", host: dynamicHost },
  asks: true,
  steps: commonSteps,
  rounds: (count, rounds) => singly(count, count < 1_000 ? rounds : Math.min(1, rounds)),
};
