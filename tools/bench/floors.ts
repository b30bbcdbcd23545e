import type { Contender } from "./contender";
import { dynamicHost, singly } from "./ours";
import { commonSteps, type Step, steps } from "./steps";

/** What the engine takes for as many resources of the same size, whatever a provider does. */
export const engineFloor: Contender = {
  id: "engine",
  title: "floor: engine without I/O",
  work: { kind: "engine", program: "floor", host: dynamicHost },
  asks: false,
  steps: commonSteps,
  rounds: singly,
};

/** What the engine takes for one resource that holds as many keys. */
export const setFloor: Contender = {
  id: "setEngine",
  title: "floor: one resource without I/O",
  work: { kind: "engine", program: "setFloor", host: dynamicHost },
  asks: false,
  steps,
  rounds: (_count, rounds) => rounds,
};

/** What state takes that holds the declared properties alone. Its bytes are the same in every round. */
export const bareFloor: Contender = {
  id: "bare",
  title: "floor: nothing but inputs",
  work: { kind: "engine", program: "bare", host: dynamicHost },
  asks: false,
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
