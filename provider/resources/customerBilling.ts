/**
 * Credits granted in a workspace. The service can only create such a record: it can't read, change or delete one
 * (interface, sections 2 and 4.12).
 */
import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { CallError } from "../client/send";
import { createBilling } from "../client/service";
import {
  type DraftOf,
  define,
  type InputsOf,
  type Outcome,
  type PlanArgs,
  type Session,
  type StateOf,
} from "../core/definition";
import { explain, Failure, ifElsewhere } from "../core/errors";
import { isDoubtful } from "../core/existence";
import {
  aString,
  boolean,
  type Canonical,
  canonicalInputs,
  certainlyChanged,
  containsUnknown,
  defaulted,
  fieldsOf,
  isUnknown,
  optional,
  required,
  stable,
  string,
} from "../core/fields";
import { compareFields, type Plan } from "../core/plan";
import type { Identity, Registry } from "../core/registry";
import { isSecret } from "../core/secrecy";
import { sharedReads } from "../reads";
import { optionalFlag, optionalString, requiredString } from "./fields/schemas";

// ---- Credits -------------------------------------------------------------------------------------------------------

/** Numeric text, as the service has credits: decimal digits, a sign and a point at most (interface, section 2). */
const decimalText = /^[+-]?(\d{1,60}(\.\d{0,60})?|\.\d{1,60})$/;

export const creditsSchema = z.nullish(
  z.custom<string | number>((value) => isUnknown(value) || digits(value) !== undefined, {
    error:
      'must be a number as a string, such as "100" or "99.50"; a number without quotes must be a whole number',
  }),
);

/** Credits in canonical form: text, compared by value, so "100.00" and 100 are "100". */
export const canonicalCredits: Canonical<string> = (value) => {
  const text = digits(value);
  if (text === undefined) return undefined;
  const [whole, decimals = ""] = text.replace(/^[+-]?0*/, "").split(".");
  const amount = `${whole || "0"}.${decimals}`.replace(/\.0*$|(\.\d*?)0+$/, "$1");
  return text.startsWith("-") && amount !== "0" ? `-${amount}` : amount;
};

function digits(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === "string" && decimalText.test(value.trim()) ? value.trim() : undefined;
}

// ---- Properties ---------------------------------------------------------------------------------------------------

const refuse = { onChange: "refuse" } as const;
const trimmed: Canonical<string> = (value) => string(typeof value === "string" ? value.trim() : value);

/** An empty variable must not count as another grant. */
const notBlank = optionalString.check(
  z.refine((value) => value?.trim() !== "", { error: "must not be empty: set it, or leave it out" }),
);

const shape = {
  inputs: {
    workspaceId: required(requiredString, { ...refuse, canonical: string }),
    totalCredits: optional(creditsSchema, { ...refuse, canonical: canonicalCredits }),
    allowOverages: defaulted(optionalFlag, { ...refuse, canonical: boolean, default: false }),
    spendCap: optional(creditsSchema, { ...refuse, canonical: canonicalCredits }),
    externalMeterId: optional(optionalString, { ...refuse, canonical: string }),
    billingId: optional(notBlank, { onChange: "update", local: true, canonical: string }),
    grant: defaulted(notBlank, { onChange: "replace", canonical: trimmed, default: "initial" }),
  },
  outputs: { billingId: stable(aString), createdAt: stable(aString) },
  hidden: {},
};

export type Shape = typeof shape;
type BillingInputs = InputsOf<Shape>;
type BillingDraft = DraftOf<Shape>;
type BillingState = StateOf<Shape>;
type BillingOutcome = Outcome<BillingState>;

function rules(declared: BillingDraft, before: BillingDraft | undefined): readonly string[] {
  // An unknown value may turn out to be absent.
  if (isUnknown(declared.billingId)) return [];
  const adopts = string(declared.billingId) !== undefined;
  const grants = (declared.totalCredits ?? undefined) !== undefined;
  if (adopts === grants) {
    return [
      'totalCredits: set either totalCredits to the credits to grant, such as "100", or billingId to the id of a record to adopt.',
    ];
  }
  // A grant that is not known yet may be another one.
  if (before === undefined || adopts || containsUnknown(declared.grant)) return [];
  const changed = certainlyChanged(fields, before, declared);
  // The default is another grant, too, but a variable may only be unset.
  if (changed.includes("grant") && trimmed(declared.grant) !== undefined) return [];
  return changed
    .filter((name) => name !== "billingId")
    .map(
      (name) =>
        `${name}: has another value or is no longer declared (an unset variable?), and would grant credits again. The service has no call that changes a grant: restore the old value; or, to grant again on purpose, set grant to a new one.`,
    );
}

/** The grant that a resource declares: none if it adopts a record, or if its credits are missing or wrong. */
function identities(declared: BillingDraft): readonly Identity[] {
  const canonical = canonicalInputs(fields, declared);
  if (canonical["billingId"] !== undefined || canonical["totalCredits"] === undefined) return [];
  const twice = (other: string) =>
    `grant: the resource ${other} declares the same grant with equal values, so the credits would be granted twice. Change grant in one of them, or remove one.`;
  const held = (urn: string) =>
    new Failure(
      "grantInState",
      `grant: this grant is already in state, and would be granted again. State has it as ${urn}. If the resource was renamed or moved, give it the option aliases. If something forces its replacement, such as --replace, a taint, replaceOnChanges, replaceWith or replacementTrigger, remove that. To grant again on purpose, use another value of grant.`,
    );
  return containsUnknown(canonical) ? [] : [{ identity: JSON.stringify(canonical), twice, held }];
}

const fields = fieldsOf(shape.inputs);

/** A program never declares the two together. */
function inputsOf(state: BillingState): BillingDraft {
  return state.totalCredits === undefined ? state : { ...state, billingId: undefined };
}

// ---- Projections --------------------------------------------------------------------------------------------------

/** The id of a grant whose outcome is open, because its answer was lost, begins so. */
const uncertain = "uncertain-";

function isUncertain(id: string, { billingId }: BillingState): boolean {
  return id.startsWith(uncertain) && billingId === undefined;
}

function label(declared: BillingState): string {
  const credits = isSecret(declared, "totalCredits") ? "credits" : `${declared.totalCredits} credits`;
  return `${credits} in workspace ${declared.workspaceId}`;
}

function staying(id: string, state: BillingState): string {
  const { billingId = id, workspaceId } = state;
  const lost = "If they were granted, the credits of a lost grant";
  const credits = isUncertain(id, state) ? lost : `The credits of ${billingId}`;
  return `${credits} in workspace ${workspaceId} stay in the service, which has no call to take a grant back.`;
}

const waysOut =
  "Check in the service. If the credits were granted, set billingId to the record's id and leave totalCredits out; if they were not, set grant to another value to grant them.";

const checkFirst = `Another update would grant the credits again, so check first. ${waysOut}`;

// ---- Operations ---------------------------------------------------------------------------------------------------

export const customerBilling = define({
  kind: "CustomerBilling",
  shape: { ...shape, inputsOf },
  objects: {
    of: (id, state) => (isUncertain(id, state) ? [] : [{ workspaceId: state.workspaceId, id }]),
    identities,
    stay: () => true,
    // State alone tells a new grant from one that is renamed, or replaced because the engine was told to.
    readFirst: true,
  },
  rules,
  plan,
  create,
  ifUnsaved: (inputs) =>
    inputs.billingId === undefined ? { what: label(inputs), advice: checkFirst } : undefined,
  read: async (_session, held) => held,
  // No update sends a request: it adopts a record.
  update: async (_session, { id, state }, declared) => ({
    id,
    state: { createdAt: state.createdAt, ...declared, billingId: declared.billingId ?? state.billingId },
  }),
  delete: async (session, { id, state }) =>
    session.warn(`${staying(id, state)} The grant is only removed from state.`),
});

/** An open grant has no record, and every update fails until the program says whether there is one (B3). */
function plan(args: PlanArgs<Shape>): Plan {
  const { id = "", state = {}, inputs } = args;
  // An output too: it is in state where the program does not declare it.
  const isSame = (name: string, value: unknown) => name === "billingId" && value === undefined;
  const compared = compareFields(fields, args, { isSame });
  if (inputs.billingId !== undefined) {
    const replaces = isUnknown(inputs.billingId) ? compared.replaces : [];
    return { ...compared, replaces, isPending: isUncertain(id, state) };
  }
  if (compared.replaces.length > 0)
    return { ...compared, note: `another value of grant grants credits in addition. ${staying(id, state)}` };
  if (!isUncertain(id, state)) return compared;
  const words = `Granting ${label(state)}: it is still not known whether the credits were granted. ${waysOut}`;
  return { ...compared, isPending: true, refusal: new Failure("grantUnclear", words) };
}

async function create(session: Session, declared: BillingInputs): Promise<BillingOutcome> {
  const { billingId } = declared;
  if (billingId !== undefined) return { id: billingId, state: declared };
  const open = openGrants.get(session.registry) ?? new Map<string, BillingOutcome>();
  openGrants.set(session.registry, open);
  const identity = identities(declared)[0]?.identity ?? "";
  const outcome = open.get(identity) ?? (await grant(session, declared));
  if (isUncertain(outcome.id, outcome.state)) open.set(identity, outcome);
  return outcome;
}

/** By registry, the grants of a process whose answer was lost: an onError hook may have the engine repeat the create (B3). */
const openGrants = new WeakMap<Registry, Map<string, BillingOutcome>>();

/** The error of a grant: a refusal is none if only the grant got it, because a gateway may have answered after the service. */
async function orDoubt(session: Session, workspaceId: string, error: unknown): Promise<unknown> {
  if (!isDoubtful(error)) return error;
  const workspace = await sharedReads(session.call).workspace(workspaceId).fresh();
  const isAlike = workspace.kind === "unavailable" && workspace.error.status === error.status;
  return isAlike ? error : new CallError("ambiguous", error.message, error.status);
}

async function grant(session: Session, declared: BillingInputs): Promise<BillingOutcome> {
  const { workspaceId, totalCredits = "", allowOverages, spendCap, externalMeterId } = declared;
  const body = { totalCredits, allowOverages, spendCap, externalMeterId, workspaceId };
  const doing = `Granting ${label(declared)}`;
  // State keeps it under an id of the provider's, so that it is never sent again unasked.
  const open = { id: uncertain + randomUUID(), state: declared };
  const since = new Date().toISOString();
  try {
    const { record, problem = "the answer can't be used" } = await createBilling(session.call, body);
    if (record === undefined) throw new CallError("ambiguous", problem);
    return { id: record.id, state: { ...declared, billingId: record.id, createdAt: record.createdAt } };
  } catch (thrown) {
    const failure = explain(await orDoubt(session, workspaceId, thrown), session, {
      doing,
      notDone: "Nothing was granted",
      unclear: `The request was sent after ${since}, and it is not known whether the credits were granted. The provider does not send it again. ${waysOut} ${ifElsewhere(session)}`,
      advice: `Check that workspace ${workspaceId} exists, that the access token is allowed to create billing records in it, and that the service accepts the values.`,
    });
    if (failure.kind !== "outcomeUnclear") throw failure;
    return { ...open, failure: new Failure("grantUnclear", failure.parts, { subject: `${doing}:` }) };
  }
}
