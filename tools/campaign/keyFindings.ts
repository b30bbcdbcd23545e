import { isDeepStrictEqual } from "node:util";
import type { StoredKey } from "../../standin";
import type { Finding } from "./findings";
import { declaredKeys, type HeldKey, heldKeys, holdsKeys, idsIn } from "./heldKeys";
import {
  asked,
  isAbout,
  type Making,
  makersOf,
  names,
  namesakesOf,
  operationsOf,
  orphans,
  releasedIn,
  toldTo,
  withBefore,
} from "./reading";
import type { CommandRecord, MadeKey, Trace } from "./trace";

/**
 * A key lives at the end, made by this run, that no state holds and no text names; and what made it neither failed
 * with a doubt nor was thrown away. An error that claims that nothing was created
 * tells nothing.
 */
export function lostSilently(trace: Trace): readonly Finding[] {
  const told = toldTo(trace);
  return orphans(trace)
    .filter((made) => !names(told, made.key.id) && !makersOf(trace, made).some(isDoubtful))
    .map((made) => ({
      column: "lostSilently",
      what: describe(trace, made),
      ...apart(mistakable(trace, made)),
    }));
}

/** Why another record's answer to a create can't be told from the new key's: ids are known from lists alone. */
function mistakable(trace: Trace, made: MadeKey): string | undefined {
  const isMistaken = trace.requests.some(({ n, fault }) => n === made.request && fault === "otherRecord");
  const isListed = makersOf(trace, made).some(({ operation: { from } }) =>
    trace.requests.some(
      ({ n, endpoint, status, fault }) =>
        endpoint === "listApiKeys" && from < n && n < made.request && status === 200 && fault === undefined,
    ),
  );
  return isMistaken && !isListed ? "another record's answer to a create, and no list before it" : undefined;
}

function isDoubtful({ operation: { ended }, said }: Making): boolean {
  return ended === "dropped" || (ended === "failed" && said !== "" && !/Nothing was created/.test(said));
}

/** A key lives at the end, made by this run, whose id stands in no state and in nothing that a user reads. */
export function unnamed(trace: Trace): readonly Finding[] {
  const told = toldTo(trace);
  return orphans(trace)
    .filter(({ key }) => !names(told, key.id))
    .map((made) => ({
      column: "unnamed",
      what: describe(trace, made),
      ...apart(mistakable(trace, made) ?? unnameable(trace, made)),
    }));
}

/**
 * Two Ctrl-C ended a command in which a key was made, and its answer had come: it lives, and neither state nor what the
 * user had read by then names it. That a later up may do so is no excuse for a provider that was told at once.
 */
export function leftStanding(trace: Trace): readonly Finding[] {
  const { commands, made, requests, interruptsAtOnce } = trace;
  if (!interruptsAtOnce) return [];
  const answered = new Set(requests.filter(({ fault }) => fault === undefined).map(({ n }) => n));
  return commands
    .filter(({ interruption }) => interruption === "twoCtrlC")
    .flatMap((command) => {
      const held = new Set(command.after.entries.flatMap(idsIn));
      const live = new Set(command.live.map(({ id }) => id));
      return made.filter(
        (one) =>
          answered.has(one.request) &&
          makersOf(trace, one).some((making) => making.command === command) &&
          live.has(one.key.id) &&
          !held.has(one.key.id) &&
          !names(command.told, one.key.id) &&
          !/(the key|it) is not in state/.test(command.told),
      );
    })
    .map((one) => ({ column: "unnamed", what: `${describe(trace, one)} when the command ended` }));
}

/**
 * Why nobody could name a key: its host was killed, and no other made a key of its name and customer later; or whenever
 * such a key was being made from then on, the list was asked for in vain; or the service leaves it out. Not to ask is no
 * excuse.
 */
function unnameable(trace: Trace, made: MadeKey): string | undefined {
  const alike = namesakesOf(trace, made).filter(({ command }) => command.interruption !== "hostKilled");
  const killed = makersOf(trace, made).some(({ command }) => command.interruption === "hostKilled");
  if (killed && alike.length === 0) return "the host was killed";
  const lists = trace.requests.filter(
    ({ n, endpoint }) =>
      endpoint === "listApiKeys" &&
      n > made.request &&
      alike.some(({ operation: { from, until } }) => from < n && n <= until),
  );
  const isForIt = (n: number) =>
    alike.some((making) => making.operation.from < n && n <= endOf(trace, making));
  const { listLimit, listLag } = trace.schedule.variant;
  const legible = lists.filter(({ n, status, fault }) => status === 200 && fault === undefined && isForIt(n));
  const refused = alike.some(({ said }) => /connection was refused/.test(said));
  const asked = lists.length > 0 || refused;
  if (asked && legible.length <= listLag) return "no list was answered while it was declared";
  if (listLimit > 0 && asked) return "the service cuts its lists";
  return undefined;
}

/** Until when an operation looks for what others have made: once it has its key, a list is read for something else. */
function endOf(trace: Trace, making: Making): number {
  const well = asked(trace, making).find(({ fault, carriedOut }) => fault === undefined && carriedOut);
  return well?.n ?? making.operation.until;
}

function apart(reason: string | undefined): { readonly apart?: string } {
  return reason === undefined ? {} : { apart: reason };
}

function describe(trace: Trace, made: MadeKey): string {
  const makers = makersOf(trace, made).map(
    ({ command, operation, place, said }) =>
      `${place} in ${command.name} ${command.step}.${command.repetition}${command.interruption === undefined ? "" : ` (${command.interruption})`} ${operation.ended}: ${said}`,
  );
  return `${made.key.id} by request ${made.request}, ${makers.join("; ") || "by no operation"}`;
}

/** After a green up a key in state has no secret, or another one than the service gave it; adopted ones have none. */
export function withoutSecret(trace: Trace): readonly Finding[] {
  const { commands, made, schedule } = trace;
  const mistaken = made.map((one) => mistakable(trace, one)).find((reason) => reason !== undefined);
  const secretOf = new Map(made.map(({ key }) => [key.id, key.key]));
  const adopted = new Set<unknown>(schedule.existing.map(({ id }) => id));
  const shared = new Set(
    commands.flatMap(({ program }) =>
      program.flatMap(declaredKeys).map(({ inputs }) => inputs["existingId"]),
    ),
  );
  return commands
    .filter(({ name, green }) => name === "up" && green)
    .flatMap(({ step, repetition, after }) =>
      after.entries
        .filter(({ kind }) => holdsKeys(kind))
        .flatMap(heldKeys)
        .filter(({ id = "", secret }) =>
          adopted.has(id)
            ? secret !== undefined
            : (secret !== undefined || !shared.has(id)) && secretOf.get(id) !== secret,
        )
        .map(({ place, id }) => ({
          column: "withoutSecret" as const,
          what: `${place} (${id}) after up ${step}.${repetition}`,
          ...(!secretOf.has(String(id)) && apart(mistaken)),
        })),
    );
}

/** After a green up a key may do more than is declared, though nobody changed it since state last saw it. */
export function wider({ commands }: Trace): readonly Finding[] {
  return commands
    .filter(({ name, green }) => name === "up" && green)
    .flatMap(({ step, repetition, after, live, drifted }) =>
      after.entries
        .filter(({ kind, doomed }) => holdsKeys(kind) && !doomed)
        .flatMap(heldKeys)
        .flatMap(({ place, id, inputs = {} }) => {
          const key = live.find((one) => one.id === id && !drifted.has(one.id));
          const more = key === undefined ? [] : excess(key, inputs);
          const what = `${place} (${id}) after up ${step}.${repetition}: ${more.join(", ")}`;
          return more.length === 0 ? [] : [{ column: "wider" as const, what }];
        }),
    );
}

const permissions = ["create", "read", "update", "del"] as const;

function excess({ scopes, enabled }: StoredKey, inputs: Readonly<Record<string, unknown>>): string[] {
  const declared = (inputs["scopes"] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const granted = (representation: string, permission: string) =>
    declared.some((scope) => scope["representation"] === representation && scope[permission] === true);
  const more = scopes.flatMap((scope) =>
    permissions
      .filter((permission) => scope[permission] && !granted(scope.representation, permission))
      .map((permission) => `${scope.representation}.${permission}`),
  );
  return enabled && inputs["enabled"] === false ? [...more, "enabled"] : more;
}

/**
 * State lost a resource by a read or a delete although the object lived. Apart: the service said that the key was gone,
 * and its list, which was to contradict, is cut or lags behind (R6).
 */
export function droppedAlive(trace: Trace): readonly Finding[] {
  const released = new Set(withBefore(trace).flatMap(releasedIn));
  return operationsOf(trace)
    .flatMap((placed) => placed.operation.lostAlive.map((id) => ({ ...placed, id })))
    .filter(({ id }) => !released.has(id))
    .filter(({ command, id }) => !isAdopted(command, id))
    .map(({ command, operation, id }) => {
      const { name, resource, from, until } = operation;
      const asked = trace.requests.filter(({ n }) => from < n && n <= until);
      const denied = asked.some(
        ({ path, status, fault }) =>
          (fault === "markedDeleted" || (fault === "status" && (status === 404 || status === 410))) &&
          isAbout({ path }, id),
      );
      const lists = asked.filter(({ endpoint, status }) => endpoint === "listApiKeys" && status === 200);
      const { listLimit, listLag } = trace.schedule.variant;
      // Not to ask, or not to be answered, is no excuse.
      const hidden = lists.length > 0 && (listLimit > 0 || lists.length <= listLag);
      const what = `${resource} (${id}) by ${name} in ${command.name} ${command.step}.${command.repetition}`;
      const reason = denied && hidden ? "said to be gone, and left out by the list" : undefined;
      return { column: "droppedAlive", what, ...apart(reason) };
    });
}

/** Whether another entry or resource of the program is to have it. */
function isAdopted({ program }: CommandRecord, id: string): boolean {
  return program.flatMap(declaredKeys).some(({ inputs }) => inputs["existingId"] === id);
}

/** A green up kept a key although the program asked for another by other keepers. */
export function notReplaced({ commands }: Trace): readonly Finding[] {
  return commands.flatMap(({ name, step, repetition, green, after }, n) => {
    if (name !== "up" || !green) return [];
    const before = heldNow(commands[n - 1]);
    return heldNow({ after }).flatMap(({ place, id, inputs }) => {
      const held = before.find((one) => one.place === place && one.id === id && id !== undefined);
      if (held === undefined || isDeepStrictEqual(held.inputs?.["keepers"], inputs?.["keepers"])) return [];
      return [{ column: "notDone" as const, what: `${place} (${id}) after up ${step}.${repetition}` }];
    });
  });
}

/** Those of a rotating key wait for the previous one; after a failure, inputs say less than state. */
function heldNow(command: Pick<CommandRecord, "after"> | undefined): readonly HeldKey[] {
  const entries = command?.after.entries ?? [];
  return entries
    .filter(({ kind, doomed, halfDone }) => /^ApiKey/.test(kind) && !doomed && !halfDone)
    .flatMap(heldKeys);
}

/**
 * The last up ends well, and nothing is left to do, but a key was made with other keepers than are declared, and no previous
 * key has to go before that is made.
 */
export function notDone({ commands, converged }: Trace): readonly Finding[] {
  const last = commands.findLast(({ name }) => name === "up");
  if (!converged || last === undefined) return [];
  return last.after.entries
    .filter(({ kind, doomed }) => (kind === "ApiKey" || kind === "RotatingApiKey") && !doomed)
    .filter(({ state }) => state["previousKeyId"] === undefined)
    .filter(({ inputs, state }) => !isDeepStrictEqual(inputs["keepers"], state["keepers"]))
    .map(({ name, id }) => ({ column: "notDone", what: `${name} (${id})` }));
}
