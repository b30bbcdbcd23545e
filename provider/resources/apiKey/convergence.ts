import { type ApiKeyRecord, type EditApiKey, editApiKey } from "../../client/apiKeys";
import type { Written } from "../../client/call";
import { type Aim, type Convergence, converge, type Settled, saying } from "../../core/converge";
import type { Session } from "../../core/definition";
import { InconclusiveError } from "../../core/errors";
import { isSecret } from "../../core/secrecy";
import { hiddenIn, type ManagedField, observedKey, type Properties, same } from "../../core/state";
import { findKey, type KeyPath, lookUpKey } from "./presence";
import { type KeyInputs, type KeyState, updatable } from "./properties";
import { type Granted, inWords, isWider, toWireWithout, undeclared } from "./scopes";
import { editBody, isWhole, observe } from "./state";

/** Writes a key until it is seen to match the program (R4, K1, K4). */

export interface KeyEdit {
  readonly path: KeyPath;
  readonly declared: KeyInputs;
  /** Its previous state. */
  readonly state: KeyState;
  /** What the service has. */
  readonly current: ApiKeyRecord;
  /** Whether `current` is from a list, which may be older than the key: then every field must come back exactly. */
  readonly isListed?: boolean;
}

export function edit(
  session: Session,
  { path, declared, state, current, isListed = false }: KeyEdit,
): Promise<Settled<ApiKeyRecord>> {
  const before = observe(current);
  const aims = updatable.map((field): Aim => {
    const isAimed = isListed || field.exact || isChanging(field, declared, state, before);
    const value = isAimed ? declared[field.name] : before[field.name];
    return { field, value, exact: isListed || field.exact };
  });
  return converge(session, { ...convergence(session, path, declared, current), isEdit: true, aims });
}

/** Checks that a new key matches the program, and corrects it. Never throws: its secret must not be lost. */
export function confirm(
  session: Session,
  path: KeyPath,
  declared: KeyInputs,
  created: Written<ApiKeyRecord> & { readonly record: ApiKeyRecord },
): Promise<Settled<ApiKeyRecord>> {
  const by = convergence(session, path, declared, created.record);
  const aims = updatable.map((field): Aim => ({ field, value: declared[field.name], exact: field.exact }));
  return converge(session, { ...by, isEdit: false, aims }, created);
}

function convergence(session: Session, path: KeyPath, declared: KeyInputs, last: ApiKeyRecord) {
  return {
    waitingFor: `key ${path.keyId} to match the program`,
    last,
    fields: updatable,
    observe,
    body: bodies(declared),
    send: (body: EditApiKey) => editApiKey(session.call, path, body),
    isShown: (answer: ApiKeyRecord, before: ApiKeyRecord) =>
      isWhole(answer) && !losesRights(before, declared),
    read: async () => {
      const found = await findKey(session, path);
      return "record" in found ? found.record : undefined;
    },
    explainMissing: async () => {
      const record = await lookUpKey(session, path);
      if (record === undefined) throw deletedOutside();
      return record;
    },
    say: saying(
      (field) => isSecret(declared, field),
      (_field, value) => (Array.isArray(value) ? inWords(value as readonly Granted[]) : inQuotes(value)),
    ),
  } satisfies Partial<Convergence<ApiKeyRecord, EditApiKey>>;
}

/**
 * Whether an edit takes rights away. Its answer may repeat the request although the service only adds scopes, so a read must
 * confirm it (K4).
 */
function losesRights(before: ApiKeyRecord, { enabled, scopes }: KeyInputs): boolean {
  return (before.enabled === true && !enabled) || isWider(before.scopes ?? [], scopes);
}

/** The PATCHes that are sent until the key matches the program. The second also revokes scopes that are not declared (K4). */
function bodies(declared: KeyInputs) {
  const { scopes } = declared;
  return (attempt: number, { scopes: current = [] }: ApiKeyRecord): EditApiKey | undefined => {
    if (attempt > 1) return undefined;
    const revoked = attempt === 0 ? [] : undeclared(scopes, current);
    return editBody(declared, toWireWithout(revoked, scopes, current));
  };
}

/** A value in a message; a string, or none, in quotes. */
function inQuotes(value: unknown): string {
  return value === undefined || typeof value === "string" ? `"${value ?? ""}"` : `${value}`;
}

/** A field that doesn't change may stay as the service rewrote it (R4). */
function isChanging(field: ManagedField, declared: Properties, state: Properties, now: Properties): boolean {
  const { name } = field;
  const settled = { ...state, ...hiddenIn(state, observedKey) };
  return !(same(field, state[name], declared[name]) && same(field, settled[name], now[name]));
}

export function deletedOutside(): InconclusiveError {
  return new InconclusiveError(
    "the key no longer exists: it was deleted outside Pulumi",
    "Run `pulumi up --refresh`: it removes the key from state, and creates a new one if the program needs one.",
  );
}
