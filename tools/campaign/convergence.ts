import { holdsKeys, idsIn } from "./heldKeys";
import type { Schedule } from "./schedule";
import type { Trace } from "./trace";

/** The same schedule on the same service, where nothing goes wrong and nobody interrupts. */
export function untroubled({ steps, ...schedule }: Schedule): Schedule {
  const none = { faults: [], outage: undefined, interruption: undefined };
  return { ...schedule, steps: steps.map((step) => ({ ...step, ...none })), ending: none };
}

/** The red ends that need a human, by the rule that says so. */
const expected: readonly (readonly [RegExp, string])[] = [
  [/Check in the service\. If the credits were granted/, "an open grant (B3)"],
  [/Adopting .*no such key, or the key was deleted/, "a key to adopt that is gone (K11)"],
  [
    /can't change while existingId stays the same or is added/,
    "a new key where existingId is declared (K11)",
  ],
  [/needs a new key, but the previous key/, "a change that needs a third key (T2)"],
  [/two resources can't manage one key/, "two resources that declare one key (R17)"],
  [/(Migrating|For each of) .*\b409\b/, "a value to take over that a record holds already (K5)"],
];

/** Why a run may have come to a red end, as far as a documented rule says so. */
export function redEnd(trace: Trace): string | undefined {
  const { commands, schedule } = trace;
  if (isUnlisted(trace)) return "a key that is gone, where keys are not listed (R6)";
  const messages = commands
    .filter(({ name, step, green }) => name === "up" && step === schedule.steps.length && !green)
    .flatMap(({ operations }) => operations.map(({ message }) => message))
    .join("\n");
  const rule = expected.find(([pattern]) => pattern.test(messages))?.[1];
  if (
    rule === undefined &&
    schedule.variant.listLimit > 0 &&
    /has a scope with this|Creating scope .*answered 409/.test(messages)
  ) {
    return "a scope that the service has but does not list";
  }
  return rule;
}

/**
 * Whether all that failed in the last up and refresh was about keys that live no more, on a service that lists none: it
 * has no other way to say that they are gone.
 */
function isUnlisted({ commands, schedule }: Trace): boolean {
  if (schedule.variant.keyLists === "answered") return false;
  const failures = commands
    .filter(({ name, step }) => name !== "destroy" && step === schedule.steps.length)
    .slice(-2)
    .flatMap(({ operations, after, live }) => {
      const living = new Set(live.map(({ id }) => id));
      const gone = (resource: string) =>
        after.entries
          .filter(({ name, kind }) => name === resource && holdsKeys(kind))
          .some((entry) => idsIn(entry).some((id) => !living.has(id)));
      return operations.filter(({ ended }) => ended === "failed").map(({ resource }) => gone(resource));
    });
  return failures.length > 0 && failures.every((isGone) => isGone);
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
