import { adoptedEnded, adoptionMade, secretLost, takenAway } from "./adoptionFindings";
import type { Column, Finding } from "./findings";
import { idsIn, openInputs, openState } from "./heldKeys";
import {
  droppedAlive,
  leftStanding,
  lostSilently,
  notDone,
  notReplaced,
  unnamed,
  wider,
  withoutSecret,
} from "./keyFindings";
import { operationsOf } from "./reading";
import { accessEnded, offTime, tooMany } from "./rotationFindings";
import type { CommandRecord, Entry, Trace } from "./trace";

/** All that a run shows of what must never happen. `stuck`, which needs a second run, is for trial.ts to add. */
export function judge(trace: Trace): readonly Finding[] {
  return [
    ...lostSilently(trace),
    ...unnamed(trace),
    ...leftStanding(trace),
    ...secondGrants(trace),
    ...secondScopes(trace),
    ...withoutSecret(trace),
    ...begunLate(trace),
    ...unsaved(trace),
    ...droppedAlive(trace),
    ...wider(trace),
    ...notDone(trace),
    ...notReplaced(trace),
    ...adoptedEnded(trace),
    ...takenAway(trace),
    ...secretLost(trace),
    ...adoptionMade(trace),
    ...accessEnded(trace),
    ...tooMany(trace),
    ...offTime(trace),
    ...refreshWrote(trace),
    ...secretsFound(trace),
    ...defects(trace),
  ];
}

/** Programs give each value of `grant` a meter of its own, so the meter tells which grant a request is for. */
function secondGrants(trace: Trace): readonly Finding[] {
  return repeated(trace, "secondGrants", "createBilling", (body) => body["externalMeterId"]).map(
    ({ finding, first }) => {
      // Killed between POST and saved state, or with the result thrown away: the engine has forgotten (B3).
      const { interruption } = commandOf(trace, first) ?? {};
      const forgotten = interruption !== undefined && interruption !== "ctrlC";
      return forgotten ? { ...finding, apart: `${interruption} between POST and saved state` } : finding;
    },
  );
}

/** A scope is found by its representation, however its answer was lost (S4). */
function secondScopes(trace: Trace): readonly Finding[] {
  return repeated(trace, "secondScopes", "createScope", (body) => body["representation"]).map(
    ({ finding }) => finding,
  );
}

function repeated(
  { requests }: Trace,
  column: Column,
  endpoint: string,
  nameOf: (body: Readonly<Record<string, unknown>>) => unknown,
): readonly { readonly finding: Finding; readonly first: number }[] {
  const first = new Map<unknown, number>();
  return requests.flatMap(({ n, endpoint: asked, carriedOut, body }) => {
    if (asked !== endpoint || !carriedOut) return [];
    const name = nameOf(body as Readonly<Record<string, unknown>>);
    const before = first.get(name);
    if (before === undefined) first.set(name, n);
    return before === undefined
      ? []
      : [{ finding: { column, what: `${name} by requests ${before} and ${n}` }, first: before }];
  });
}

/** The command in which a request was made. */
function commandOf({ commands }: Trace, request: number): CommandRecord | undefined {
  return commands.find(({ operations }) =>
    operations.some(({ from, until }) => from < request && request <= until),
  );
}

function refreshWrote({ commands, requests }: Trace): readonly Finding[] {
  return commands
    .filter(({ name }) => name === "refresh")
    .flatMap(({ step, repetition, from, until }) =>
      requests
        .slice(from, until)
        .filter(({ method }) => method !== "GET")
        .map(({ n, method }) => ({
          column: "refreshWrote",
          what: `request ${n}, a ${method}, in refresh ${step}.${repetition}`,
        })),
    );
}

/** A secret stands in a text, or in state outside the properties that are secret; or the token was led astray. */
function secretsFound({ commands, secrets, made, ledAstray }: Trace): readonly Finding[] {
  const all = [...new Set([...secrets, ...made.map(({ key }) => key.key)])];
  const found = commands.flatMap(({ name, step, repetition, told, untold, operations, after }) => {
    const places = {
      stderr: `${told}\n${untold}`,
      errors: operations.map(({ message }) => message).join("\n"),
      state: JSON.stringify(after.entries.map(shown)),
    };
    return Object.entries(places).flatMap(([place, text]) =>
      all
        .filter((secret) => text.includes(secret))
        .map((secret) => `${secret} in the ${place} of ${name} ${step}.${repetition}`),
    );
  });
  const astray = ledAstray > 0 ? [`${ledAstray} requests followed a redirect to another origin`] : [];
  return [...found, ...astray].map((what) => ({ column: "secrets", what }));
}

function shown({ inputs, state, ...rest }: Entry): object {
  return { ...rest, inputs: openInputs(inputs), state: openState(state) };
}

function defects(trace: Trace): readonly Finding[] {
  return operationsOf(trace)
    .filter(({ operation: { message } }) => /defect|bug in pulumi-apikeys/.test(message))
    .map(({ operation: { name, resource, message } }) => ({
      column: "defects",
      what: `${name} of ${resource}: ${message}`,
    }));
}

/** For what was on its way when the provider was told. */
export const onItsWayMs = 50;

/** One Ctrl-C closes the plugin: it sends no POST or PATCH any more. */
function begunLate({ commands, requests, closesOnCancel }: Trace): readonly Finding[] {
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
function unsaved({ commands, made, requests, closesOnCancel }: Trace): readonly Finding[] {
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
