import type { Finding } from "./findings";
import { idsIn } from "./heldKeys";
import type { CommandRecord, Trace } from "./trace";

/** For what was on its way when the provider was told. */
export const onItsWayMs = 50;

/** One Ctrl-C closes the plugin: it sends no POST or PATCH any more. */
export function begunLate({ commands, requests, closesOnCancel }: Trace): readonly Finding[] {
  if (!closesOnCancel) return [];
  return commands.flatMap(({ name, step, repetition, from, until, closedAt = Number.POSITIVE_INFINITY }) =>
    requests
      .slice(from, until)
      .filter(({ method, at }) => /^(POST|PATCH)$/.test(method) && at > closedAt + onItsWayMs)
      .map(({ n, method, at }) => ({
        column: "begunLate",
        what: `request ${n}, a ${method}, ${at - closedAt} ms after ${name} ${step}.${repetition} was cancelled`,
      })),
  );
}

/**
 * Nor is a result lost of what was under way: a key that was made, and whose answer came, is in state when the command
 * has ended.
 */
export function unsaved({ commands, made, requests, closesOnCancel }: Trace): readonly Finding[] {
  if (!closesOnCancel) return [];
  const faulty = new Set(requests.filter(({ fault }) => fault !== undefined).map(({ n }) => n));
  return commands
    .filter(({ interruption }) => interruption === "ctrlC")
    .flatMap((command) => {
      const { name, step, repetition, from, until } = command;
      return made
        .filter(({ request }) => from < request && request <= until && !faulty.has(request))
        .filter(({ key }) => isUnsaved(command, key.id))
        .map(({ key, request }) => ({
          column: "unsaved",
          what: `${key.id} by request ${request} in ${name} ${step}.${repetition}`,
        }));
    });
}

function isUnsaved({ live, after }: CommandRecord, id: string): boolean {
  return live.some((key) => key.id === id) && !after.entries.some((entry) => idsIn(entry).includes(id));
}
