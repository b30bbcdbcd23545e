import { plainText } from "../../client/errorText";
import type { Session } from "../../core/definition";
import { isSecret } from "../../core/secrecy";
import type { Properties } from "../../core/state";
import type { Unavailable } from "../../reads/sharedReads";
import { type Listed, resembles, type Witness } from "./keysBefore";

/** What users are told of the keys that a create may have made, or that earlier ones may have left. */

/** A key that is being made or taken over. */
export interface Creation {
  readonly session: Session;
  readonly declared: Properties;
  /** The value of the key that is taken over; `undefined` for a new key. */
  readonly existing: string | undefined;
  /** Tells the resource from others that may have the key too; "" where it is the only one. */
  readonly holder: string;
  readonly doing: string;
  readonly seen: Witness;
}

/**
 * Of keys of the declared name and customer those that no resource of this run is known to hold: neither by id, nor by
 * the inputs that it had in the last up.
 */
export function strangers({ session, declared }: Creation, keys: readonly Listed[]): readonly Listed[] {
  const { known } = session;
  const isNamesake = (inputs: Properties) =>
    inputs["workspaceId"] === declared["workspaceId"] && resembles(inputs, declared);
  const unknown = keys.filter(({ id }) => !known.has(declared, id) && !known.isDropped(declared, id));
  if (unknown.length === 0) return [];
  const held = [...known.noted].filter(isNamesake).length;
  return keys.length > held ? unknown : [];
}

const remedy = {
  created: "delete it, since nobody has its secret",
  migrated:
    "don't delete it, since its value may be in use, but take it in as an ApiKey with `pulumi import --file`",
};

function remedyOf({ existing }: Creation): string {
  return existing === undefined ? remedy.created : remedy.migrated;
}

/** What to look for where the list does not tell, and what to do with it. */
export function sought(creation: Creation): string {
  return `look for ${wanted(creation)}; if there is one, ${remedyOf(creation)}; then run up again`;
}

function wanted({ seen }: Creation): string {
  return `a key of this name and customer made since ${seen.since.toISOString()}`;
}

/** What the list tells of a key whose answer was lost, and what to do. */
export function findings(creation: Creation, now: readonly Listed[] | Unavailable): string {
  const { declared, seen } = creation;
  if ("problem" in now) {
    return `The workspace's list of keys could not be had to find it (${now.problem}): ${sought(creation)}.`;
  }
  if ("problem" in seen.before) {
    const alike = now.filter((key) => resembles(key, declared));
    const some = alike.length > 0 ? inWords(creation, alike) : "none by now";
    return `The list of keys before it could not be had (${seen.before.problem}), so it may be any key of this name and customer, of which the workspace has ${some}: if one was made since ${seen.since.toISOString()}, ${remedyOf(creation)}; then run up again.`;
  }
  if (now.length === 0) {
    return `The workspace's list shows no new key: run up again. A list may lag or be cut: should ${wanted(creation)} show later, ${remedyOf(creation)}.`;
  }
  const one = now.length === 1 ? "If" : "If it is one of these, and";
  return `New in the workspace's list: ${inWords(creation, now)}. ${one} no other stack or person made it, ${remedyOf(creation)}; then run up again.`;
}

/** What earlier runs may have left behind. */
export function leftover(creation: Creation, alike: readonly Listed[]): string {
  const [what, it] = alike.length === 1 ? ["a live key", "it"] : [`${alike.length} live keys`, "one"];
  return `the workspace has ${what} of this name and customer already, ${inWords(creation, alike)}. If another resource or stack manages ${it}, or this one under another name before, there is nothing to do; if a run that failed or was interrupted left ${it}, ${remedyOf(creation)}.`;
}

const most = { keys: 10, characters: 60 };

/** Ids, names and times as the service told them, but no secret name; those of the declared name first. */
export function inWords({ declared, session }: Creation, keys: readonly Listed[]): string {
  const ordered = [...keys].sort((a, b) => Number(resembles(b, declared)) - Number(resembles(a, declared)));
  const named = ordered.slice(0, most.keys).map(({ id, name, createdAt }) => {
    const isTold = name !== undefined && !isSecret(declared, "name") && !session.known.isConcealed(name);
    const about = [isTold && `"${short(name)}"`, createdAt && `created ${short(createdAt)}`].filter(Boolean);
    return about.length === 0 ? id : `${id} (${about.join(", ")})`;
  });
  const rest = keys.length - named.length;
  return named.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function short(text: string): string {
  return plainText(text, []).slice(0, most.characters);
}
