import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../provider/core/state";
import type { StoredKey } from "../../standin";
import type { Entry, State } from "./engine";
import { deletedIn, type Finding, factsOf, keyOf, releasedIn, type Scene, type TierName } from "./findings";
import {
  type DeclaredKey,
  declaredKeys,
  type HeldKey,
  heldKeys,
  holdsKeys,
  idsIn,
  settledKeys,
} from "./heldKeys";
import { lostKeys, mistakenCreate } from "./lostKeys";
import type { CommandRecord, Trace } from "./play";
import { rotations } from "./rotations";
import { astray, isCut } from "./schedule";

/**
 * All that a run shows of what must never happen: the service's log and its keys are compared with what the programs
 * declared, what state had and has, and what the user was told.
 */
export function judge(trace: Trace, tier: TierName): readonly Finding[] {
  const facts = factsOf(trace);
  return [
    ...lostKeys(trace),
    ...secondPosts(trace),
    ...stuck(trace),
    ...trace.commands.flatMap((command) => {
      const where = `${command.name} ${command.step}.${command.repetition}`;
      const asked = trace.requests.slice(command.from, command.until);
      const scene: Scene = { ...facts, tier, trace, command, asked };
      return judges.flatMap((one) =>
        one(scene).map((finding) => ({ ...finding, what: `${finding.what} in ${where}` })),
      );
    }),
  ];
}

const judges: readonly ((scene: Scene) => readonly Finding[])[] = [
  strangeWrites,
  unasked,
  takenAway,
  unannounced,
  droppedAlive,
  reverted,
  secretLost,
  afterGreenUp,
  rotations,
  unsaved,
  refreshWrote,
  secretsShown,
  defects,
];

function keysIn(state: State): readonly HeldKey[] {
  return state.flatMap(heldKeys);
}

function adoptedBy({ program }: CommandRecord): ReadonlySet<unknown> {
  return new Set(program.flatMap(declaredKeys).flatMap(({ inputs }) => inputs["existingId"] ?? []));
}

/** Everything that a command writes to is in state, was made by it, or is to be adopted. */
function strangeWrites({ command, asked, trace }: Scene): readonly Finding[] {
  const made = trace.made.filter(({ request }) => command.from < request && request <= command.until);
  const own = new Set<unknown>([
    ...[...command.before, ...command.state].flatMap(idsIn),
    ...made.map(({ key }) => key.id),
    ...adoptedBy(command),
  ]);
  return asked
    .filter(({ endpoint, carriedOut }) => /^(edit|delete)ApiKey$/.test(endpoint) && carriedOut)
    .filter((request) => !own.has(keyOf(request)))
    .map(({ n, path }) => ({ column: "strangeWrites", what: `${path} by request ${n}` }));
}

/** Inputs whose change creates a new key. */
const replacing = ["workspaceId", "customerId", "keepers", "existingKey"] as const;

/** A key was deleted that state had with its secret, and that is declared as before. A rotating key has its own rules. */
function unasked(scene: Scene): readonly Finding[] {
  const { command, secretOf } = scene;
  const deleted = deletedIn(scene);
  const program = command.name === "up" ? command.program : [];
  const declared = program.filter(({ kind }) => kind !== "RotatingApiKey").flatMap(declaredKeys);
  const places = new Set(keysIn(command.before).flatMap(({ place, id }) => (id === undefined ? [] : place)));
  const isStillAsked = ({ place, id, secret, inputs = {} }: HeldKey, { name }: Entry) => {
    // Once the new alias has a key, `renamedFrom` means nothing (E2).
    const isRenamed = ({ place: own, inputs: { renamedFrom } }: DeclaredKey) =>
      !places.has(own) && `${name}.${renamedFrom}` === place;
    const given = declared.find((key) => key.place === place || isRenamed(key))?.inputs;
    if (given === undefined) return false;
    const ids = [inputs["existingId"], given["existingId"]];
    const isWhole = secret === undefined ? ids.includes(id) : secret === secretOf.get(id);
    const isSame = replacing.every((input) => isDeepStrictEqual(inputs[input], given[input]));
    return isWhole && isSame && [undefined, inputs["existingId"], id].includes(given["existingId"] as string);
  };
  return command.before
    .filter(({ doomed, halfDone }) => !doomed && !halfDone)
    .flatMap((entry) => heldKeys(entry).filter((key) => isStillAsked(key, entry)))
    .filter(({ id }) => id !== undefined && deleted.includes(id))
    .map(({ place, id }) => ({ column: "unasked", what: `${place} (${id})` }));
}

/** A green command deleted a key that a resource has in state afterwards, or that another one is to adopt. */
function takenAway(scene: Scene): readonly Finding[] {
  const { name, program, before, state, green } = scene.command;
  if (!green) return [];
  // A resource may want a new key in the place of the one that it has adopted.
  const had = (resource: string, id: unknown) =>
    before.some((entry) => entry.name === resource && idsIn(entry).some((one) => one === id));
  const adopted = (name === "destroy" ? [] : program).flatMap((one) =>
    declaredKeys(one)
      .map(({ inputs }) => inputs["existingId"])
      .filter((id) => id !== undefined && !had(one.name, id)),
  );
  const wanted = new Set<unknown>([...state.flatMap(idsIn), ...adopted]);
  return deletedIn(scene)
    .filter((id) => wanted.has(id))
    .map((id) => ({ column: "takenAway", what: id }));
}

/**
 * A green update made or deleted another key of a resource than a reader of the engine's diff of inputs expects. After a
 * failure, state may be ahead of inputs.
 */
function unannounced({ command }: Scene): readonly Finding[] {
  const { name, green, before, state } = command;
  if (name !== "up" || !green) return [];
  return before
    .filter(({ halfDone, doomed }) => !halfDone && !doomed)
    .flatMap((was) => {
      const is = state.find((entry) => entry.name === was.name && entry.id === was.id);
      const after = is && numbersIn(is);
      return [...numbersIn(was)].flatMap(([place, [id, number]]) => {
        const [nextId, next] = after?.get(place) ?? [id, number];
        if (id === undefined || (id === nextId) === (number === next)) return [];
        // Also in the update that finds it out.
        const isBehind = [was, is].some((one) => one?.state["__misnumbered"] === true);
        const apart = isBehind ? "inputs without a refresh, where check sees no state (R21)" : undefined;
        return [{ column: "unannounced", what: `${place} (${id}, ${nextId})`, apart } as const];
      });
    });
}

type Numbered = readonly [id: unknown, number: unknown];

/** The key in each place, and its number as inputs announce it. */
function numbersIn({ kind, name, inputs, state }: Entry): ReadonlyMap<string, Numbered> {
  if (kind === "RotatingApiKey") {
    const { previousKeyId: previous, keyId } = state;
    // One that may be in use is kept in spite of the diff.
    const waits = inputs["retire"] === "whenUnused";
    const retired = [`${name}.previous`, [previous, inputs["previousGeneration"]]] as const;
    return new Map<string, Numbered>([[name, [keyId, inputs["generation"]]], ...(waits ? [] : [retired])]);
  }
  if (kind !== "ApiKeySet") return new Map();
  const ids = state["ids"] as Properties;
  const entries = Object.entries(inputs["keys"] as Readonly<Record<string, Properties>>);
  const kept = entries.filter(([, { release }]) => release !== true);
  return new Map(kept.map(([alias, { generation }]) => [`${name}.${alias}`, [ids[alias], generation]]));
}

/** State lost an object that lives on. No call deletes an object other than a key, so for those only a refresh counts. */
function droppedAlive({ command }: Scene): readonly Finding[] {
  const { name, before, state, live } = command;
  const held = new Set(state.flatMap(idsIn));
  const released = releasedIn(command);
  const adopted = adoptedBy(command);
  const lives = (entry: Entry, id: string) =>
    holdsKeys(entry.kind) ? live.some((key) => key.id === id) : name === "refresh";
  return before.flatMap((entry) =>
    idsIn(entry)
      .filter((id) => !held.has(id) && !released.has(id) && !adopted.has(id) && lives(entry, id))
      .map((id) => ({ column: "droppedAlive", what: `${entry.name} (${id})` }) as const),
  );
}

/**
 * An edit changed a right that somebody had changed: the program declares it as state has it, so no preview shows that. Or
 * a destroy changed it.
 */
function reverted(scene: Scene): readonly Finding[] {
  const { command, asked, shared } = scene;
  const { before, liveBefore, name } = command;
  const program = name === "up" ? command.program : [];
  const edits = asked.filter(({ carriedOut, method }) => carriedOut && method === "PATCH");
  const declared = program.flatMap(declaredKeys);
  const ofKeys = before
    .filter(({ doomed }) => !doomed)
    .flatMap((entry) => settledKeys(entry).map((key) => ({ entry, ...key })))
    .flatMap(({ entry, place, id, inputs = {} }) => {
      const live = liveBefore.find((key) => key.id === id && !shared.has(id));
      const own = declared.find((key) => key.place === place || `${key.place}.previous` === place);
      const isRenamed = ({ inputs: { renamedFrom } }: DeclaredKey) =>
        `${entry.name}.${renamedFrom}` === place;
      const wanted = own ?? declared.find(isRenamed);
      if (live === undefined || wanted === undefined) return [];
      return Object.entries(rightsOf).flatMap(([right, of]) => {
        const [was, has] = [of(inputs), of({ ...live })];
        if (of(wanted.inputs) !== was || has === was) return [];
        return edits
          .filter((edit) => keyOf(edit) === id && of(edit.body as Properties) !== has)
          .map(
            ({ n }) =>
              ({ column: "reverted", what: `${right} of ${place} (${id}) by request ${n}` }) as const,
          );
      });
    });
  const ofSettings = before
    .filter(({ kind, state }) => kind === "WorkspaceSettings" && state["__failed"] !== true)
    .flatMap(({ name: resource, state }) => {
      const ips = ({ defaultAllowedIPs: all = [] }: Properties) =>
        JSON.stringify((all as string[]).map(bare).toSorted());
      const [was, has] = [
        ips({ ...state, ...(state["__written"] as object) }),
        ips({ ...command.workspaceBefore }),
      ];
      const kept = program.find((one) => one.name === resource)?.inputs ?? state;
      if (state["defaultAllowedIPs"] === undefined || ips(kept) !== ips(state) || has === was) return [];
      return edits
        .filter(
          ({ endpoint, body }) => endpoint === "editWorkspace" && "defaultAllowedIPs" in (body as object),
        )
        .filter(({ body }) => ips(body as Properties) !== has)
        .map(({ n }) => ({ column: "reverted", what: `addresses of ${resource} by request ${n}` }) as const);
    });
  return [...ofKeys, ...ofSettings];
}

/** An address without the length that a service may add. */
const bare = (address: string) => address.replace(/\/(32|128)$/, "");

const rightsOf: Readonly<Record<string, (key: Properties) => string>> = {
  enabled: ({ enabled }) => String(enabled !== false),
  scopes: ({ scopes }) => {
    const granted = ((scopes ?? []) as readonly Properties[]).map(({ id: _, representation, ...flags }) =>
      Object.entries(flags).flatMap(([flag, isOn]) => (isOn === true ? [`${representation}.${flag}`] : [])),
    );
    return granted.flat().toSorted().join();
  },
};

/** State still has a key, but no longer its secret, and the resource that has it hasn't adopted it. */
function secretLost({ command }: Scene): readonly Finding[] {
  const { before, state, live } = command;
  const now = keysIn(state);
  return keysIn(before)
    .filter(({ id, secret }) => secret !== undefined && live.some((key) => key.id === id))
    .filter(({ id, secret }) => {
      const same = now.filter((key) => key.id === id);
      return (
        same.length > 0 && !same.some((key) => key.secret === secret || key.inputs?.["existingId"] === id)
      );
    })
    .map(({ place, id }) => ({ column: "secretLost", what: `${place} (${id})` }));
}

/** After a green up, each key in state has its own secret, is the one that the program asks for, and may do no more. */
function afterGreenUp({ command, trace, secretOf, existing, shared }: Scene): readonly Finding[] {
  const { name, green, before, state, live, drifted } = command;
  if (name !== "up" || !green) return [];
  const keysBefore = keysIn(before.filter(({ doomed, halfDone }) => !doomed && !halfDone));
  const waits = (place: string) => keysBefore.some((key) => key.place === `${place}.previous`);
  return state
    .filter(({ doomed }) => !doomed)
    .flatMap((entry) => heldKeys(entry).map((held) => ({ entry, ...held })))
    .filter(({ inputs }) => inputs?.["release"] !== true)
    .flatMap(({ entry, place, id = "", secret, inputs = {} }) => {
      const isRight =
        (secret === undefined && (existing.has(id) || shared.has(id))) || secretOf.get(id) === secret;
      const was = keysBefore.find((key) => key.place === place && key.id === id);
      // A rotating key's wait for its previous key, and only its first key is the adopted one.
      const isAsked =
        (was === undefined ||
          waits(place) ||
          place.endsWith(".previous") ||
          isDeepStrictEqual(was.inputs?.["keepers"], inputs["keepers"])) &&
        (entry.kind === "RotatingApiKey" ||
          [undefined, id].includes(inputs["existingId"] as string | undefined));
      const key = live.find((one) => one.id === id && !drifted.has(id) && !shared.has(id));
      const more = key === undefined ? [] : excess(key, inputs);
      const what = `${place} (${id})`;
      const isOwn = id === "" || secretOf.has(id);
      const apart = isRight || isOwn ? undefined : mistakenCreate(trace);
      return [
        ...(isRight && id !== "" ? [] : [{ column: "withoutSecret", what, apart } as const]),
        ...(isAsked ? [] : [{ column: "notDone", what } as const]),
        ...more.map((right) => ({ column: "wider", what: `${what}: ${right}` }) as const),
      ];
    });
}

function excess({ scopes, enabled }: StoredKey, inputs: Properties): readonly string[] {
  const declared = (inputs["scopes"] ?? []) as readonly Properties[];
  const more = scopes.flatMap(({ id: _, representation, ...flags }) => {
    const granted = declared.find((scope) => scope["representation"] === representation) ?? {};
    return Object.entries(flags)
      .filter(([flag, isOn]) => isOn && granted[flag] !== true)
      .map(([flag]) => `${representation}.${flag}`);
  });
  return enabled && inputs["enabled"] === false ? [...more, "enabled"] : more;
}

/** After one Ctrl-C, no result is lost of what was under way: a key whose answer came is in state. */
function unsaved({ tier, command, asked, trace }: Scene): readonly Finding[] {
  if (tier === "process" || command.interruption !== "ctrlC") return [];
  const held = new Set(command.state.flatMap(idsIn));
  const answered = new Set(asked.filter(({ fault }) => fault === undefined).map(({ n }) => n));
  return trace.made
    .filter(({ request, key }) => answered.has(request) && !held.has(key.id))
    .filter(({ key }) => command.live.some(({ id }) => id === key.id))
    .map(({ key, request }) => ({ column: "unsaved", what: `${key.id} by request ${request}` }));
}

function refreshWrote({ command, asked }: Scene): readonly Finding[] {
  return asked
    .filter(({ method }) => command.name === "refresh" && method !== "GET")
    .map(({ n, method }) => ({ column: "refreshWrote", what: `request ${n}, a ${method},` }));
}

function defects({ command }: Scene): readonly Finding[] {
  return command.operations
    .filter(({ message }) => /defect|bug in pulumi-apikeys/.test(message))
    .map(({ name, resource, message }) => ({
      column: "defects",
      what: `${name} of ${resource}: ${message}`,
    }));
}

/** Programs give each value of `grant` a meter of its own. A scope is found again by its representation (S4). */
function secondPosts({ requests, commands, schedule }: Trace): readonly Finding[] {
  const first = new Map<string, number>();
  return requests.flatMap(({ n, endpoint, carriedOut, body }) => {
    if (!carriedOut || (endpoint !== "createBilling" && endpoint !== "createScope")) return [];
    const { externalMeterId, representation } = body as Readonly<Record<string, unknown>>;
    const about = `${endpoint} ${externalMeterId ?? representation}`;
    const before = first.get(about);
    first.set(about, before ?? n);
    if (before === undefined) return [];
    // Killed between POST and saved state, or with the result thrown away: the engine has forgotten (B3).
    const interruption = commands.find(({ until }) => before <= until)?.interruption;
    const isForgotten =
      endpoint === "createBilling" && interruption !== undefined && interruption !== "ctrlC";
    const isUnlisted = endpoint === "createScope" && isCut(schedule.variant);
    const reasons = [
      isForgotten && `${interruption} between POST and saved state`,
      isUnlisted && "a scope that a cut list lacks (S4)",
    ];
    const apart = reasons.find(Boolean) || undefined;
    return [{ column: "secondPosts", what: `${about} by requests ${before} and ${n}`, apart }];
  });
}

const secretProperties: ReadonlySet<string> = new Set(["key", "previousKey", "existingKey", "secrets"]);

/** A secret stands in a text, or in state outside the properties that are secret; or the token was led astray. */
function secretsShown({ command, asked, secrets }: Scene): readonly Finding[] {
  const { told, untold, operations, state } = command;
  const texts = [
    ...[told, untold, ...operations.map(({ message }) => message)],
    JSON.stringify(state, (name, value) => (secretProperties.has(name) ? undefined : value)),
  ];
  const shown = [...secrets].filter((secret) => texts.some((text) => text.includes(secret)));
  const led = asked.filter(({ path }) => path === astray).map(({ n }) => `the token, led astray by ${n},`);
  return [...shown, ...led].map((what) => ({ column: "secrets", what }));
}

/** Reports a stack that never became stable, and by which rule, if it had to. */
function stuck(trace: Trace): readonly Finding[] {
  const { converged, commands, schedule } = trace;
  if (converged) return [];
  const last = commands.filter(({ step, name }) => name !== "destroy" && step === schedule.steps.length);
  const what = last
    .slice(-2)
    .flatMap(({ name, green, operations }) => [
      `${name} ${green ? "green" : "red"}`,
      ...operations.filter(({ ended }) => ended === "failed").map(({ message }) => message),
    ])
    .join(" | ");
  const { patchScopes, scopeIds } = schedule.variant;
  // A service that merges removes by id.
  const neverNarrows = patchScopes === "neverNarrows" || (patchScopes === "merges" && scopeIds === "none");
  const apart =
    (neverNarrows &&
      /scopes: should be/.test(what) &&
      "permissions that the service never takes back (K4)") ||
    (isCut(schedule.variant) &&
      /Creating scope .*\b409\b/.test(what) &&
      "a scope that a cut list lacks (S4)") ||
    (/belongs to another customer/.test(what) && mistakenCreate(trace)) ||
    expected.find(([pattern]) => pattern.test(what))?.[1];
  return [{ column: "stuck", what, apart }];
}

/** The red ends that need a human, by the rule that says so. */
const expected: readonly (readonly [RegExp, string])[] = [
  [/set APIKEYS_NO_KEY_LIST=true/, "a key that is gone, where keys are not listed (R6)"],
  [/Check in the service\.\sIf the credits were granted/, "an open grant (B3)"],
  [/no such key, or the key was deleted/, "a key to adopt that is gone (K11)"],
  [/"(\w+)", the service has "\1_"/, "a value that the service always changes (R4)"],
  [/needs a new key, and there are never more than two/, "a change that needs a third key (T2)"],
  [/[Tt]wo resources can't manage one (key|ApiKey)/, "two resources that declare one key (R17)"],
  [/(Migrating|For each of) .*\b409\b/, "a value to take over that a record holds already (K5)"],
];
