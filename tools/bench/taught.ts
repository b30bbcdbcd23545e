import type { Contender } from "./contender";
import { ours, singly } from "./ours";

/** The dynamic provider of Pulumi's documentation. One round of 1,000 keys takes minutes, so one must do. */
export const taught: Contender = {
  ...ours,
  id: "taught",
  title: "dynamic provider as documented",
  work: { ...ours.work, program: "taught/single" },
  rounds: (count, rounds) => singly(count, count < 1_000 ? rounds : Math.min(1, rounds)),
};
