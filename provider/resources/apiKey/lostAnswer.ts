import type { ApiKeyRecord } from "../../client/service";
import { plainText } from "../../client/words";
import { isSecret } from "../../core/secrecy";
import { listed } from "../../core/text";
import type { Reading } from "../../reads";
import type { Creation } from "./keysBefore";
import { isNamesake } from "./matching";

/** Messages about keys that a create may have created, or that earlier creates may have left behind. */

/** Keys of the declared name and customer that no resource of this run manages, as far as the run has come. */
export function unmanagedNamesakes({ session, declared, seen }: Creation): readonly ApiKeyRecord[] {
  if (seen.before.kind === "unavailable") return [];
  const { registry } = session;
  const { workspaceId } = declared;
  return seen.before.value
    .namesakesOf(declared)
    .filter(({ id }) => !registry.has(workspaceId, id) && !registry.isDropped(workspaceId, id));
}

/** What to do with such a key. */
function remedyOf({ session, declared }: Creation): string {
  return declared.existingKey === undefined
    ? "delete it, because nobody has its secret"
    : `${session.importKey} (don't delete it: its value may be in use)`;
}

/** What to look for if the list doesn't show it, and what to do with it. */
export function whatToLookFor(creation: Creation): string {
  return `look for ${wanted(creation)}; if there is one, ${remedyOf(creation)}; then run \`pulumi up\` again`;
}

function wanted({ seen }: Creation): string {
  return `a key with this name and customer, created since ${seen.since.toISOString()}`;
}

interface Findings {
  /** The keys that may be it. */
  readonly found: string;
  /** What to do with these. */
  readonly say: (found: string) => string;
}

/** What the list shows of a key whose answer was lost, and what to do. */
export function findings(creation: Creation, now: Reading<readonly ApiKeyRecord[]>): Findings {
  const { declared, seen } = creation;
  const alone = (text: string) => ({ found: "", say: () => text });
  if (now.kind === "unavailable") {
    return alone(
      `The workspace's list of keys could not be read (${now.error.message}): ${whatToLookFor(creation)}.`,
    );
  }
  const alike = now.value.filter((key) => isNamesake(key, declared));
  const isUnsure = seen.before.kind === "unavailable";
  // Without a list of the keys before, a key of another name is no more likely to be new than any other.
  const all = alike.length > 0 || isUnsure ? alike : now.value;
  if (all.length === 0) {
    const nothing = isUnsure
      ? "The workspace's list shows no key with this name and customer"
      : "The workspace's list shows no new key";
    return alone(
      `${nothing}: run \`pulumi up\` again. The list may lag or be truncated: if ${wanted(creation)} shows up later, ${remedyOf(creation)}.`,
    );
  }
  const [where, which] = isUnsure
    ? ["Perhaps new in the workspace's list:", `If one was created since ${seen.since.toISOString()}, and`]
    : ["New in the workspace's list:", all.length === 1 ? "If" : "If it is one of these and"];
  return {
    found: inWords(creation, all),
    say: (found) =>
      `${where} ${found}. ${which} no other stack or person created it, ${remedyOf(creation)}; then run \`pulumi up\` again.`,
  };
}

/** What earlier runs may have left behind, with and without what names it. */
export function leftover(creation: Creation, alike: readonly ApiKeyRecord[]) {
  const [what, it] = alike.length === 1 ? ["a key", "it"] : [`${alike.length} keys`, "one"];
  const found = `already has ${what} with this name and customer`;
  const advice = `If another resource or stack manages ${it}, do nothing; if a failed or interrupted run left ${it} behind, ${remedyOf(creation)}.`;
  return {
    named: `the workspace ${found}: ${inWords(creation, alike)}. ${advice}`,
    general: `workspace ${creation.declared.workspaceId} ${found}. ${advice}`,
  };
}

const longestName = 60;

/** Ids and times from the service, and the name if it is the declared one; those come first. */
export function inWords({ declared }: Creation, keys: readonly ApiKeyRecord[]): string {
  const ordered = keys.toSorted((a, b) => Number(isNamesake(b, declared)) - Number(isNamesake(a, declared)));
  const words = ordered.map((key) => {
    const { id, name = "", createdAt } = key;
    // The name of another key may be a secret of its program.
    const isTold = isNamesake(key, declared) && !isSecret(declared, "name");
    const about = [isTold && `"${short(name)}"`, createdAt && `created ${short(createdAt)}`].filter(Boolean);
    return about.length === 0 ? id : `${id} (${about.join(", ")})`;
  });
  return listed(words, 10);
}

function short(text: string): string {
  return plainText(text, []).slice(0, longestName);
}
