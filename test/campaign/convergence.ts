import type { Schedule } from "./schedule";
import type { Trace } from "./trace";

/** The same schedule on the same service, where nothing goes wrong and nobody interrupts. */
export function untroubled({ steps, ...schedule }: Schedule): Schedule {
  const none = { faults: [], outage: undefined, interruption: undefined };
  return { ...schedule, steps: steps.map((step) => ({ ...step, ...none })), ending: none };
}

/** The red ends that need a human, by the rule that says so. */
const expected: readonly (readonly [RegExp, string])[] = [
  [
    /whether they were granted is still not known|Look in the service whether the credits/,
    "an open grant (B3)",
  ],
  [/Taking over .*\b409\b/, "a value to take over that a record holds already (K5)"],
];

/** Why a run may have come to a red end, as far as a documented rule says so. */
export function redEnd({ commands, schedule }: Trace): string | undefined {
  const messages = commands
    .filter(({ name, step, green }) => name === "up" && step === schedule.steps.length && !green)
    .flatMap(({ operations }) => operations.map(({ message }) => message))
    .join("\n");
  const rule = expected.find(([pattern]) => pattern.test(messages))?.[1];
  if (rule === undefined && schedule.dialect.listCut > 0 && /has a scope with this/.test(messages)) {
    return "a scope that the service has but does not list";
  }
  return rule;
}

/** What the last up ended with. */
export function lastWords({ commands, schedule }: Trace): string {
  const last = commands
    .filter(({ step, name }) => name !== "destroy" && step === schedule.steps.length)
    .slice(-2);
  const words = last.flatMap(({ name, green, operations }) => [
    `${name} ${green ? "green" : "red"}`,
    ...operations.filter(({ ended }) => ended === "failed").map(({ message }) => message),
  ]);
  return words.join(" | ");
}
