/** What is measured, in this order: each step stands on what the one before left. */
export const steps = ["up", "noChange", "refresh", "update", "updateOne", "destroy"] as const;
export type Step = (typeof steps)[number];

export const stepTitles: Readonly<Record<Step, string>> = {
  up: "up",
  noChange: "up, no change",
  refresh: "refresh",
  update: "update of all",
  updateOne: "update of one",
  destroy: "destroy",
};

/** Those that are measured with one resource a key, too. */
export const commonSteps: readonly Step[] = steps.filter((step) => step !== "updateOne");
