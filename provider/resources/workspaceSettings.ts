/** The defaults of a workspace for its keys. Only declared settings are managed (interface, sections 2, 4.7 and 4.8). */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import * as z from "zod/mini";
import { editWorkspace, readWorkspace, type WorkspaceRecord } from "../client/service";
import { converge, driftIn, report, type Settled, settledAs, showValue, stateAfter } from "../core/converge";
import {
  type DraftOf,
  define,
  type Former,
  type InputsOf,
  type Outcome,
  type OwnerOf,
  type PlanArgs,
  type Resource,
  type Session,
  type StateOf,
} from "../core/definition";
import { explain, ifDeleted, orFail } from "../core/errors";
import { pollUntil } from "../core/existence";
import {
  aMap,
  announced,
  aString,
  type Canonical,
  defaulted,
  fieldsOf,
  isUnknown,
  knownString,
  list,
  number,
  observed,
  optional,
  required,
  stable,
  string,
  updatableFields,
} from "../core/fields";
import { compareFields, type Plan } from "../core/plan";
import { objectIdentity } from "../core/registry";
import { applyDrift, failedKey, nonEmpty, observedKey, type Properties, pick, same } from "../core/state";
import { optionalString, pathSegment } from "./fields/schemas";

// ---- Addresses -----------------------------------------------------------------------------------------------------

/** IP addresses and CIDR blocks, as a program declares them. An empty list is a value. */
export const addressesSchema = z.nullish(
  z.array(
    z.string().check(
      z.refine((value) => isUnknown(value) || parsed(value) !== undefined, {
        error: "must be an IP address or a CIDR block, such as 10.0.0.1 or 2001:db8::/32",
      }),
    ),
  ),
);

/**
 * Addresses in canonical form: a set, sorted, each spelled one way: a block of one address is that address, and what
 * lies below a block's prefix is 0. All other entries, and unknown ones, come last, untouched.
 */
export const canonicalAddresses: Canonical<readonly string[]> = (value) => {
  if (!Array.isArray(value)) return undefined;
  const spelled = value.map((entry) => (typeof entry === "string" ? parsed(entry) : undefined));
  const known = [...new Set(spelled.filter((entry) => entry !== undefined))].sort();
  return [...known, ...value.filter((_, place) => spelled[place] === undefined)];
};

function parsed(text: string): string | undefined {
  const [address, bits, ...rest] = text.trim().split("/");
  // A zone, as in fe80::1%eth0, is not for a service.
  if (address === undefined || rest.length > 0 || isIP(address) === 0 || address.includes("%"))
    return undefined;
  const { length } = ipaddr.parse(address).toByteArray();
  if (bits === undefined || bits === String(length * 8)) return ipaddr.process(address).toString();
  if (!/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > length * 8) return undefined;
  const block = `${address}/${bits}`;
  const network =
    length === 4 ? ipaddr.IPv4.networkAddressFromCIDR(block) : ipaddr.IPv6.networkAddressFromCIDR(block);
  return `${network.toString()}/${bits}`;
}

// ---- Properties ----------------------------------------------------------------------------------------------------

const wholeNumber = z.nullish(z.int({ error: "must be a whole number without quotes, within ±2^53" }));
const update = { onChange: "update" } as const;

const shape = {
  inputs: {
    workspaceId: required(pathSegment, { onChange: "replace", canonical: string }),
    defaultKeyPrefix: optional(optionalString, { ...update, canonical: string }),
    defaultAllowedIPs: optional(addressesSchema, {
      ...update,
      exact: true,
      canonical: canonicalAddresses,
      empty: [],
    }),
    defaultRateLimitPerSecond: optional(wholeNumber, { ...update, canonical: number, empty: 0 }),
    defaultExpiration: optional(wholeNumber, { ...update, canonical: number, empty: 0 }),
    onDestroy: defaulted(z.nullish(z.enum(["retain", "restore"])), {
      ...update,
      local: true,
      canonical: string,
      default: "retain",
    }),
  },
  /** Settings that were declared once, and keep their values in the service. */
  announced: { unmanaged: announced(list) },
  outputs: { name: stable(aString), teamId: stable(aString) },
  hidden: {
    /** The declared settings before this stack managed them, without those that had no value. */
    __before: aMap,
    /** The values after our last write, of settings that a refresh has seen changed since. */
    __written: aMap,
  },
};

export type Shape = typeof shape;
type SettingsInputs = InputsOf<Shape>;
type SettingsState = StateOf<Shape>;

const fields = fieldsOf(shape.inputs);
/** The settings that a PATCH sets. */
const settings = updatableFields(shape.inputs);
type Setting = (typeof settings)[number];

/** The settings as the service has them, in canonical form; an absent list is empty, an absent number 0 (R2). */
export const observe = (record: WorkspaceRecord) => observed(settings, record);

const outputs = (properties: Properties) => pick(properties, ["name", "teamId"]);

/**
 * The values that a request can carry, exactly as they were read: nothing can be unset, so absent ones are left out,
 * and one of the numbers must be above 0. Above 2^53, such as a service's greatest number for "never", it would be
 * another number.
 */
function sendable(fields: readonly Setting[], record: WorkspaceRecord): Properties {
  const isSendable = (value: unknown) =>
    typeof value !== "number" || (value > 0 && value <= Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(Object.entries(only(fields, record)).filter(([, value]) => isSendable(value)));
}

// ---- Resource ------------------------------------------------------------------------------------------------------

export const workspaceSettings = define({
  kind: "WorkspaceSettings",
  shape,
  objects: {
    // A workspace belongs to no resource: one may begin to declare what another one leaves.
    of: () => [],
    identities: (declared) => {
      const id = knownString(declared.workspaceId);
      return id === undefined ? [] : [{ identity: objectIdentity(id, id), twice }];
    },
    stay: ({ onDestroy }) => onDestroy !== "restore",
  },
  rules: () => [],
  announce,
  plan,
  create: (session, declared) => apply(session, {}, declared),
  importing: { form: "workspaceId", read: find },
  read,
  update: (session, { state }, declared) => apply(session, state, declared),
  delete: remove,
});

function twice(other: string): string {
  return `workspaceId: the resource ${other} declares the settings of the same workspace, and the two would undo each other's changes. Declare all settings of a workspace in one resource.`;
}

type SettingsOutcome = Outcome<SettingsState>;

// ---- State ---------------------------------------------------------------------------------------------------------

function declaredIn(properties: Properties): readonly Setting[] {
  return settings.filter(({ name }) => properties[name] !== undefined);
}

function only(fields: readonly Setting[], properties: Properties): Properties {
  return pick(
    properties,
    fields.map(({ name }) => name),
  );
}

// ---- Operations ----------------------------------------------------------------------------------------------------

/** Creates or updates. Remembers the former values of settings that the program begins to declare. */
async function apply(
  session: Session,
  state: SettingsState,
  declared: SettingsInputs,
): Promise<SettingsOutcome> {
  const { workspaceId } = declared;
  const record = await readOrFail(session, workspaceId);
  const wanted = declaredIn(declared);
  const added = wanted.filter(({ name }) => state[name] === undefined);
  const doing = `Setting the defaults of workspace ${workspaceId}`;
  const advice = `Check that the access token is allowed to edit workspace ${workspaceId}, and that the service accepts the values: one of the two numbers must be above 0.`;
  const writing = write(session, record, state, only(settings, declared));
  const settled = await orFail(writing, session, { doing, notDone: "Nothing was changed", advice });
  const next = {
    ...outputs(settled.record),
    // Previews show them as unchanged: only a refresh reads them again (R18).
    ...outputs(state),
    ...stateAfter(wanted, declared, settled, observe),
    __before: nonEmpty(only(wanted, { ...sendable(added, record), ...state.__before })),
  };
  const failure = report(session, settled, { doing, secretIn: [declared, state] });
  return { id: workspaceId, state: next, failure };
}

async function read(session: Session, { id, state }: Resource<Shape>): Promise<SettingsOutcome> {
  const record = await readOrFail(session, id);
  const next = applyDrift(declaredIn(state), state, observe(record));
  // After a write that failed halfway, the change may be our own.
  const changed = settings.filter(({ name }) => !state[failedKey] && next[name] !== state[name]);
  const __written = nonEmpty({ ...only(changed, state), ...state.__written });
  return { id, state: { ...next, ...outputs(record), __written } };
}

/** All settings that have a value, as if they were declared as they are. */
async function find(session: Session, [workspaceId = ""]: readonly string[]): Promise<SettingsOutcome> {
  const record = await readOrFail(session, workspaceId);
  const __before = sendable(settings, record);
  const values = pick(observe(record), Object.keys(__before));
  return { id: workspaceId, state: { workspaceId, ...values, ...outputs(record), __before } };
}

function readOrFail(session: Session, workspaceId: string): Promise<WorkspaceRecord> {
  const doing = `Reading the defaults of workspace ${workspaceId}`;
  const advice = `Check the id, and that the access token is allowed to read the workspace. ${ifDeleted}`;
  return orFail(readWorkspace(session.call, { workspaceId }), session, { doing, advice });
}

async function remove(session: Session, { id, state }: Resource<Shape>, ownerOf: OwnerOf): Promise<void> {
  if (state.onDestroy !== "restore") return;
  const { __before: former = {} } = state;
  const fields = declaredIn(former);
  const inWords = (some: readonly { readonly name: string }[]) =>
    some.map(({ name }) => `${name} ${showValue([state], name, former[name])}`).join(", ");
  if (ownerOf(id, id) !== undefined) {
    if (fields.length === 0) return;
    return session.warn(
      `The program still declares settings of workspace ${id}, so these former values are not restored and are no longer in state: ${inWords(fields)}. To rename a resource and keep them, use the option aliases.`,
    );
  }
  const doing = `Restoring the defaults of workspace ${id}`;
  // A token of another account gets the same answer as for a deleted workspace.
  const advice = `Check that the access token is allowed to read and edit the workspace: it may belong to another account. ${session.setup.tokenAdvice} Or restore the settings by hand first; or, to leave them as they are, run \`pulumi up\` with onDestroy: "retain" first; or, if the workspace was deleted, remove the resource from state with \`pulumi state delete\``;
  const words = { doing, state: "It stays in state", advice, secretIn: [state] };
  const change = { fields, declared: former, state: { ...state, ...state.__written } };
  const drift = (seen: WorkspaceRecord) => driftIn(change, observe(seen));
  const read = () => readWorkspace(session.call, { workspaceId: id });
  const record = await orFail(
    pollUntil(session, read, (seen) => drift(seen).length === 0),
    session,
    words,
  );
  const changed = drift(record);
  const line = `Workspace ${id}: settings that were changed outside Pulumi stay as they are. Their former values: ${inWords(changed)}.`;
  if (changed.length > 0) session.warn(line);
  const restored = fields.filter((field) => !changed.includes(field));
  const writing = write(session, record, state, only(restored, former), true);
  const settled = await orFail(writing, session, words);
  if (settled.error !== undefined) throw explain(settled.error, session, words);
  const failure = report(session, settled, { ...words, ifOpen: `Run the command again. ${advice}` });
  if (failure !== undefined) throw failure;
  const left = declaredIn(state).filter(({ name }) => !(name in former));
  if (left.length === 0) return;
  const names = left.map(({ name }) => name).join(", ");
  session.warn(`Workspace ${id}: settings that had no value before stay as they are: ${names}.`);
}

// ---- Writing -------------------------------------------------------------------------------------------------------

/**
 * Writes these settings. The PATCH repeats all others, so that it means the same whether the service merges or replaces; a
 * warning names one of these that changes nevertheless. Sends nothing if the workspace has the values already (W1, W2).
 * `isLast`: a GET must show them, because state will forget them (W5).
 */
async function write(
  session: Session,
  before: WorkspaceRecord,
  state: SettingsState,
  target: Properties,
  isLast = false,
): Promise<Settled<WorkspaceRecord>> {
  const workspaceId = before.id;
  const [wanted, old] = [declaredIn(target), observe(before)];
  if (wanted.every((field) => same(field, target[field.name], old[field.name]))) return settledAs(before);
  // A service may refuse an empty list, even if that is what it has.
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
  const repeated = (seen: WorkspaceRecord) =>
    Object.entries(sendable(settings, seen)).filter(([, value]) => !isEmpty(value));
  const read = () => readWorkspace(session.call, { workspaceId });
  return converge(session, {
    ...{ before, observe, declared: target },
    fields: settings.map((field) => ({ ...field, exact: field.exact && field.name in target })),
    state: pick(state, [...wanted.map(({ name }) => name), observedKey, failedKey]),
    write: (_, seen) =>
      editWorkspace(session.call, { workspaceId }, { ...Object.fromEntries(repeated(seen)), ...target }),
    isShown: (answer) => !isLast && wanted.every(({ name }) => (answer as Properties)[name] !== undefined),
    read,
    explainMissing: read,
  });
}

// ---- Plan ----------------------------------------------------------------------------------------------------------

/** The engine shows settings that are no longer declared as removed: this shows that they keep their values. */
function announce(inputs: DraftOf<Shape>, { before = {} }: Former<Shape>): DraftOf<Shape> {
  const left = new Set([before.unmanaged ?? [], declaredIn(before).map(({ name }) => name)].flat());
  const unmanaged = [...left].filter((name) => inputs[name as keyof typeof inputs] === undefined);
  return { unmanaged: nonEmpty(unmanaged.sort()) };
}

function plan(args: PlanArgs<Shape>): Plan {
  const { state = {}, inputs } = args;
  const compared = compareFields(fields, args);
  const left = declaredIn(state).filter(({ name }) => inputs[name] === undefined);
  if (left.length === 0 || compared.replaces.length > 0) return compared;
  const names = left.map(({ name }) => name).join(", ");
  const note = `settings that are no longer declared stay as they are: ${names}.`;
  return { ...compared, note };
}
