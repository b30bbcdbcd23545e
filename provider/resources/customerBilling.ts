/**
 * Credits granted to a customer. The service can only create such a record: it can't be read, changed or taken back.
 * So there is one POST for each change of `grant` to another value, never a repetition by itself, whatever happens to
 * the answer; a change of what was granted is refused; refresh and destroy make no request (interface, sections 2 and
 * 4.12).
 */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { CallError } from "../client/callError";
import { type CreateBilling, createBilling, type Written } from "../client/endpoints";
import type { BillingRecord } from "../client/responses";
import type { CheckContext } from "../core/declarations";
import {
  type Definition,
  facts,
  flag,
  type Outcome,
  type Session,
  text,
  withDefault,
} from "../core/definition";
import { Failure, sentences } from "../core/errors";
import { told } from "../core/outcome";
import { isSecret } from "../core/secrecy";
import type { Canonical, Properties } from "../core/state";
import { containsUnknown, isUnknown } from "../core/unknown";
import { canonicalCredits, creditsSchema } from "./fields/credits";
import { equal, optionalFlag, optionalText, requiredText } from "./fields/schemas";

// ---- Inputs: schema and facts -------------------------------------------------------------------------------------

const granted = (canonical = text) => ({ onChange: "refuse", canonical }) as const;
const trimmed: Canonical = (value) => text(typeof value === "string" ? value.trim() : value);

/** An empty variable must not stand for another grant. */
const notBlank = (what: string) =>
  optionalText().refine((value) => value?.trim() !== "", {
    error: `must not be empty: write ${what}, or leave it out`,
  });

const inputs = z.strictObject({
  workspaceId: requiredText("the id of a workspace").register(facts, granted()),
  totalCredits: creditsSchema().register(facts, granted(canonicalCredits)),
  allowOverages: optionalFlag().register(facts, { ...granted(flag), default: false }),
  spendCap: creditsSchema().register(facts, granted(canonicalCredits)),
  externalMeterId: optionalText().register(facts, granted()),
  billingId: notBlank("the id of a record").register(facts, { onChange: "update", canonical: text }),
  grant: notBlank("a name for this grant").register(facts, {
    onChange: "replace",
    canonical: trimmed,
    default: "initial",
  }),
});

export type CustomerBillingInputs = z.input<typeof inputs>;

const grantedNames = ["workspaceId", "totalCredits", "allowOverages", "spendCap", "externalMeterId"] as const;

function rules(
  declared: Properties,
  before: Properties | undefined,
  { twin, replacesItself = false }: CheckContext = {},
): readonly string[] {
  const credits = canonicalCredits(declared["totalCredits"]);
  // What is not known yet may be absent in the end.
  if (isUnknown(declared["billingId"])) return [];
  const adopts = text(declared["billingId"]) !== undefined;
  if (adopts && credits !== undefined) {
    return [
      "totalCredits: can't stand beside billingId, which adopts a record that was granted already; leave one of them out.",
    ];
  }
  if (!adopts && credits === undefined) {
    return [
      'totalCredits: must be given, the credits to grant, such as "100"; or give billingId to adopt a record.',
    ];
  }
  if (twin !== undefined) return [twinLine(twin)];
  if (replacesItself) return [replacementLine];
  // A grant that is not known yet may be another one.
  if (before === undefined || adopts || containsUnknown(declared["grant"])) return [];
  if (isChanged("grant", declared, before)) return [];
  return grantedNames
    .filter((name) => isChanged(name, declared, before))
    .map(
      (name) =>
        `${name}: can't change, since the service has no call that changes a grant, and creating another record would grant again. Put the old value back; or, to grant again on purpose, change grant as well.`,
    );
}

/** One grant: what is granted, and the program's name for it. A record that was granted already is none. */
function identity(declared: Properties): string | undefined {
  if (declared["totalCredits"] === undefined || declared["billingId"] !== undefined) return undefined;
  const names = [...grantedNames, "grant"];
  const values = names.map((name) => declared[name] ?? null);
  return containsUnknown(values) ? undefined : JSON.stringify(values);
}

const twinLine = (twin: string) =>
  `grant: the resource ${twin} declares the same grant (workspaceId, totalCredits, allowOverages, spendCap, externalMeterId and grant are equal), and both would grant it. Give one of the two another value of grant, or remove it.`;

const replacementLine =
  "grant: was granted already, and replacing the resource would grant it again. Remove what forces the replacement, such as replacementTrigger, replaceOnChanges or replaceWith; or, to grant again on purpose, change grant; or, to keep the record, set billingId to its id and leave totalCredits out.";

function isChanged(name: keyof typeof inputs.shape, declared: Properties, before: Properties): boolean {
  const known = facts.get(inputs.shape[name]);
  const canonical = known === undefined ? text : withDefault(known);
  return !containsUnknown(declared[name]) && !equal(canonical(declared[name]), canonical(before[name]));
}

// ---- State: projections -------------------------------------------------------------------------------------------

/** "uncertain" where the answer to a grant was lost (B3). */
const grantKey = "__grant";

function isUncertain(state: Properties): boolean {
  return state[grantKey] === "uncertain";
}

function body(declared: Properties): CreateBilling {
  return {
    totalCredits: declared["totalCredits"] as string,
    allowOverages: declared["allowOverages"] === true,
    spendCap: declared["spendCap"] as string | undefined,
    externalMeterId: declared["externalMeterId"] as string | undefined,
    workspaceId: declared["workspaceId"] as string,
  };
}

function label(declared: Properties): string {
  const credits = isSecret(declared, "totalCredits") ? "credits" : `${declared["totalCredits"]} credits`;
  return `${credits} in workspace ${declared["workspaceId"]}`;
}

const waysOn =
  "Look in the service whether the credits are there. If they are, set billingId to the record's id and leave totalCredits out; if they are not, change grant, which sends it again.";

const unsaved =
  "state does not hold the result, so that the next up would grant again. Before it, look in the service whether the credits are there, and if they are, set billingId to the record's id and leave totalCredits out.";

// ---- Operations ---------------------------------------------------------------------------------------------------

export const customerBilling: Definition = {
  kind: "CustomerBilling",
  schema: inputs,
  rules,
  identity,
  pending: (state) => (isUncertain(state) ? [] : undefined),
  // An output too: it is in state where the program does not declare it.
  unchanged: (field, _state, value) => field === "billingId" && value === undefined,
  // The two never stand side by side in a program.
  declared: (state) => (state["totalCredits"] === undefined ? state : { ...state, billingId: undefined }),
  create,
  abandon,
  read: async (_session, id, state) => ({ id, state }),
  update,
  delete: async (session, id, state) => {
    const record = state["billingId"] ?? (isUncertain(state) ? "a grant whose answer was lost" : id);
    session.warn(
      `The credits of ${record} in workspace ${state["workspaceId"]} stay in the service, which has no call to take a grant back; only this stack no longer knows them.`,
    );
  },
};

async function create(session: Session, declared: Properties): Promise<Outcome> {
  const existing = text(declared["billingId"]);
  if (existing !== undefined) return { id: String(existing), state: declared };
  const doing = `Granting ${label(declared)}`;
  let at = "";
  const sending = () => {
    at = new Date().toISOString();
    session.leaves(`${doing}: this was under way at ${at} when the run ended, and ${unsaved}`);
  };
  let answer: Written<BillingRecord>;
  try {
    answer = await createBilling({ ...session.call, sending }, body(declared));
  } catch (error) {
    const failure = told(session, error, {
      doing,
      notDone: notGranted(error),
      unclear: `The request was sent at ${at}, and whether they were granted is not known. They are not sent again by themselves. ${waysOn}`,
      advice: `Check that the access token may create billing records in ${declared["workspaceId"]}.`,
    });
    if (error instanceof CallError && error.verdict === "ambiguous") {
      return { ...uncertain(declared), failure: failure.message };
    }
    session.leaves(undefined);
    throw failure;
  }
  const { record } = answer;
  if (record !== undefined) {
    return { id: record.id, state: { ...declared, billingId: record.id, createdAt: record.createdAt } };
  }
  const failure = sentences(
    `${doing}: the service accepted the request at ${at}, but ${answer.problem ?? "its answer can't be used"}`,
    waysOn,
  );
  return { ...uncertain(declared), failure };
}

function notGranted(error: unknown): string {
  const sent = error instanceof CallError && error.verdict !== "notSent";
  return sent ? "Nothing was granted" : "Nothing was granted: no part of the request was sent";
}

/** A grant can't be taken back, and the next up would make another one (B3). */
async function abandon(_session: Session, { state }: Outcome): Promise<readonly string[]> {
  if (state["totalCredits"] === undefined) return [];
  const record = isUncertain(state) ? "" : ` They were granted, as ${state["billingId"]}.`;
  return [`Granting ${label(state)}: ${unsaved}${record}`];
}

/** The engine is to keep what may have been granted, under an id of ours, so that it is never sent again unasked. */
function uncertain(declared: Properties): { id: string; state: Properties } {
  return { id: `uncertain-${randomUUID()}`, state: { ...declared, [grantKey]: "uncertain" } };
}

/** No update makes a request: it adopts a record, or repeats the open question. */
async function update(
  _session: Session,
  id: string,
  state: Properties,
  declared: Properties,
): Promise<Outcome> {
  const billingId = text(declared["billingId"]);
  if (isUncertain(state) && billingId === undefined) {
    throw new Failure(`Granting ${label(declared)}: whether they were granted is still not known. ${waysOn}`);
  }
  return {
    id,
    state: { createdAt: state["createdAt"], ...declared, billingId: billingId ?? state["billingId"] },
  };
}
