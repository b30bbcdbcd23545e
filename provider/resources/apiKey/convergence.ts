import { CallError } from "../../client/callError";
import { type EditApiKey, editApiKey, recordOf } from "../../client/endpoints";
import type { ApiKeyRecord } from "../../client/responses";
import { flag, type Session, text } from "../../core/definition";
import { Doubt, sentences } from "../../core/errors";
import { told } from "../../core/outcome";
import { lookAgain } from "../../core/polling";
import { shown } from "../../core/secrecy";
import {
  extended,
  folded,
  hiddenIn,
  type ManagedField,
  observedKey,
  type Properties,
  same,
} from "../../core/state";
import { type Found, find, type KeyPath, lookUp } from "./presence";
import { canonicalScopes, excess, inWords, toWire, toWireWithout } from "./scopes";

/** Whether a key is as declared after a write, and what to do when it is not (R4, K1, K4). */

const name = { name: "name", canonical: text } satisfies ManagedField;
const enabled = { name: "enabled", canonical: flag } satisfies ManagedField;
const scopes = { name: "scopes", canonical: canonicalScopes } satisfies ManagedField;

/** What changes in place. */
export const managed: readonly ManagedField[] = [name, enabled, scopes];
/** What must be exactly as declared; a name may come back rewritten. */
const exact: readonly ManagedField[] = [enabled, scopes];

/** The managed fields as the service has them, in canonical form. */
export function observe(record: ApiKeyRecord): Properties {
  return { name: record.name, enabled: record.enabled ?? false, scopes: canonicalScopes(record.scopes) };
}

/** The PATCH that carries all three fields, so that it means the same whether the service merges or replaces (K1). */
export function edit(declared: Properties, current: ApiKeyRecord): EditApiKey {
  return {
    name: declared["name"] as string,
    enabled: declared["enabled"] === true,
    scopes: toWire(declared["scopes"], current.scopes),
  };
}

interface Unmet {
  readonly field: string;
  readonly words: string;
}

export interface Settled {
  readonly record: ApiKeyRecord;
  readonly unmet: readonly Unmet[];
  /** What stopped it; `record` is then what was seen last. */
  readonly error?: unknown;
}

/** What a write answered, and what the key was before it. */
interface Written {
  /** Absent where it can't be used. */
  readonly answer: ApiKeyRecord | undefined;
  /** The key as it was; absent where the write made it. */
  readonly before?: ApiKeyRecord;
  /** The same, if its name is to change. */
  readonly renamed?: ApiKeyRecord | undefined;
}

/**
 * After a write: reads the key if the answer leaves doubt, and writes again if what must be exact is not. Never throws:
 * a key that exists must not be lost by what comes after. `last` is what was seen of it last.
 */
export async function settle(
  session: Session,
  path: KeyPath,
  declared: Properties,
  last: ApiKeyRecord,
  { answer, before, renamed }: Written,
): Promise<Settled> {
  let seen = answer ?? last;
  try {
    seen = await undoubted(session, path, declared, answer, before);
    // What changed nothing was waited for already.
    const isDeaf = before !== undefined && holds(managed, observe(before), seen);
    for (const body of holds(exact, declared, seen) ? [] : corrections(declared, seen)) {
      const answer = recordOf(await editApiKey(session.call, path, body(seen)));
      seen = await undoubted(session, path, declared, answer, isDeaf ? undefined : seen);
      if (holds(exact, declared, seen)) break;
    }
    if (renamed?.name === seen.name && extended(declared["name"], seen.name)) {
      const says = inQuotes(declared);
      session.warn(
        `Key ${path.keyId}: declared the name ${says(declared["name"])}, the service still has ${says(seen.name)}; it may have rewritten the name.`,
        [path.keyId],
      );
    }
    return { record: seen, unmet: unmet(declared, seen, renamed) };
  } catch (error) {
    return unseen(declared, seen, renamed, error);
  }
}

/** A write that could not be seen through: what was seen last stands. */
export function unseen(
  declared: Properties,
  record: ApiKeyRecord,
  before: ApiKeyRecord | undefined,
  error: unknown,
): Settled {
  return { record, unmet: unmet(declared, record, before), error };
}

/**
 * The PATCHes that a key which is not as declared gets in turn, until it is. The first is the declared one again, which
 * names what should not be granted at all with no permission. Only where a declared scope keeps a permission too many
 * is it taken away whole and given back: better a moment with too little than a key that can do too much (K4).
 */
function corrections(
  declared: Properties,
  record: ApiKeyRecord,
): readonly ((now: ApiKeyRecord) => EditApiKey)[] {
  const wanted = new Set(
    (declared["scopes"] as { representation: string }[]).map((scope) => scope.representation),
  );
  const tooMuch = excess(declared["scopes"], record.scopes ?? []);
  const undeclared = [...tooMuch].filter((representation) => !wanted.has(representation));
  const without = (revoked: Iterable<string>) => (now: ApiKeyRecord) => ({
    ...edit(declared, now),
    scopes: toWireWithout(revoked, declared["scopes"], now.scopes ?? []),
  });
  const first = without(undeclared);
  return undeclared.length === tooMuch.size ? [first] : [first, without(tooMuch), without([])];
}

/**
 * The key after a write: as answered, if that shows the key as declared, else as read. Where it is not there yet, or
 * still just as it was before, the service may carry the write out a little later.
 */
async function undoubted(
  session: Session,
  path: KeyPath,
  declared: Properties,
  answer: ApiKeyRecord | undefined,
  before: ApiKeyRecord | undefined,
): Promise<ApiKeyRecord> {
  if (answer !== undefined && isWhole(answer) && holds(managed, declared, answer)) return answer;
  const old = before && observe(before);
  const isSettled = (found: Found) => {
    if ("missing" in found) return false;
    return holds(managed, declared, found.record) || !(old && holds(managed, old, found.record));
  };
  const waitingFor = `key ${path.keyId} to be as declared`;
  const found = await lookAgain(session, waitingFor, () => find(session, path), isSettled);
  const record = "record" in found ? found.record : await lookUp(session, path);
  if (record === undefined) throw goneElsewhere();
  return record;
}

/** What an answer to a write leaves out is not known from it; what a GET leaves out is nothing (R2, R4). */
export function isWhole({ deleted, enabled, scopes }: ApiKeyRecord): boolean {
  return !deleted && enabled !== undefined && scopes !== undefined;
}

export function goneElsewhere(): Doubt {
  return new Doubt(
    "the key no longer exists: it was deleted elsewhere",
    "Run `pulumi up --refresh` to make a new one.",
  );
}

function holds(fields: readonly ManagedField[], declared: Properties, record: ApiKeyRecord): boolean {
  const observed = observe(record);
  return fields.every((field) => same(field, declared[field.name], observed[field.name]));
}

/** The fields that the service did not make as declared. `before` is the key as it was before an update. */
function unmet(
  declared: Properties,
  record: ApiKeyRecord,
  before: ApiKeyRecord | undefined,
): readonly Unmet[] {
  const found: Unmet[] = [];
  const wanted = declared["name"] as string;
  const says = inQuotes(declared);
  if (before !== undefined && ignored(wanted, before.name, record.name)) {
    found.push({
      field: "name",
      words: `name: declared ${says(wanted)}, the service still has ${says(record.name)}`,
    });
  }
  const observed = observe(record);
  if (!same(enabled, declared["enabled"], observed["enabled"])) {
    const [declaredly, now] = [declared, observed].map(({ enabled: is }) =>
      shown(declared, "enabled", `${is}`),
    );
    found.push({ field: "enabled", words: `enabled: declared ${declaredly}, the service has ${now}` });
  }
  if (!same(scopes, declared["scopes"], observed["scopes"])) {
    const [declaredly, now] = [declared, observed].map(({ scopes: of }) =>
      shown(declared, "scopes", inWords(of)),
    );
    found.push({ field: "scopes", words: `scopes: declared ${declaredly}, the service has ${now}` });
  }
  return found;
}

/** A name in the words of a message. */
function inQuotes(declared: Properties): (name: unknown) => string {
  return (value) => shown(declared, "name", `"${value ?? ""}"`);
}

/** The key of now if its name is to become another one: a name that stays may stay as the service rewrote it (R4). */
export function renames(
  declared: Properties,
  state: Properties,
  now: ApiKeyRecord,
): ApiKeyRecord | undefined {
  const settled = { ...state, ...hiddenIn(state, observedKey) };
  const stays = same(name, state["name"], declared["name"]) && same(name, settled["name"], now.name);
  return stays ? undefined : now;
}

/** A changed text that still has its old value was not applied, unless the service folds case or trims. */
function ignored(wanted: string, old: string | undefined, now: string | undefined): boolean {
  return now === old && wanted !== old && folded(wanted) !== folded(old) && !extended(wanted, now);
}

/** What kept a write from being seen through, if anything did. The key exists: whatever it is, state keeps it. */
export function stopped(session: Session, doing: string, { error }: Settled): string | undefined {
  if (error === undefined) return undefined;
  const notDone = "State holds what was seen of the key last";
  const again = "Run `pulumi up` again, which sends what is declared";
  if (!(error instanceof CallError || error instanceof Doubt))
    return sentences(`${doing}: unforeseen`, notDone, again);
  return told(session, error, { doing, notDone, again }).message;
}

export function unmetLine(doing: string, { error, unmet }: Settled): string | undefined {
  if (unmet.length === 0 || error !== undefined) return undefined;
  return `${doing}: the service did not make it so. ${unmet.map(({ words }) => words).join("; ")}. State holds what the service has, and the next preview shows what is still to do.`;
}
