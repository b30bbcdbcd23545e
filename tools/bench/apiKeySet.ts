import type { Contender } from "./contender";
import { dynamicHost } from "./ours";
import { steps } from "./steps";

/** This package, with all keys in one resource. */
export const apiKeySet: Contender = {
  id: "apiKeySet",
  title: "one ApiKeySet",
  work: { kind: "engine", program: "apiKeySet", host: dynamicHost },
  asks: true,
  steps,
  rounds: (_count, rounds) => rounds,
};
