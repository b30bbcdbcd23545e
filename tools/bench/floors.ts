import type { Contender } from "./contender";
import { apiKeySet, ours, singly } from "./ours";
import type { Step } from "./steps";

/** What the engine takes for as many resources of the same size, whatever a provider does. */
export const engineFloor: Contender = {
  ...ours,
  id: "engine",
  title: "floor: engine without I/O",
  work: { ...ours.work, program: "floors/single" },
  asks: false,
};

/** What the engine takes for one resource that holds as many keys. */
export const setFloor: Contender = {
  ...apiKeySet,
  id: "setEngine",
  title: "floor: one resource without I/O",
  work: { ...ours.work, program: "floors/oneSet" },
  asks: false,
};

/** What state takes that holds the declared properties alone. Its bytes are the same in every round. */
export const bareFloor: Contender = {
  ...engineFloor,
  id: "bare",
  title: "floor: nothing but inputs",
  work: { ...ours.work, program: "floors/bare" },
  steps: ["up"],
  rounds: (count, rounds) => singly(count, Math.min(1, rounds)),
};

/** What the requests take, whatever sends them. */
export function networkFloor(inFlight: number, all: readonly Step[], rounds: Contender["rounds"]): Contender {
  return {
    id: `network-${inFlight}`,
    title: `floor: script, ${inFlight} in flight`,
    work: { kind: "network", inFlight },
    asks: true,
    // Where nothing changes, nothing has to be asked.
    steps: all.filter((step) => step !== "noChange"),
    rounds,
  };
}
