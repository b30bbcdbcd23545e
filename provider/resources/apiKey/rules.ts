/** Rules that concern several inputs of an API key. */

import { createHash } from "node:crypto";
import { certainlyChanged, isUnknown, knownString } from "../../core/fields";
import { handOver, type Identity, objectIdentity } from "../../core/registry";
import { spelled } from "../../core/text";
import { adoptedId, existing, fields, inputs, type KeyDraft, onlyForNew } from "./model";
import { repeated } from "./scopes";

/** An error in an input: its path, and what to do about it. */
export interface Problem {
  readonly path: readonly [string, ...PropertyKey[]];
  readonly message: string;
}

export function lineOf({ path, message }: Problem): string {
  return `${spelled(path)}: ${message}`;
}

export function rules(declared: KeyDraft, before: KeyDraft | undefined): readonly string[] {
  return [...contradictions(declared), ...fixedByExisting(declared, before)].map(lineOf);
}

/** Only one resource of a program can declare the same existing key (R17). `entry`: the path of the key in a set. */
export function identities(declared: KeyDraft, entry: readonly string[] = []): readonly Identity[] {
  const [value, id] = [knownString(declared.existingKey), adoptedId(declared)];
  const { workspaceId } = declared;
  const twice = (name: string) => (other: string) =>
    `${spelled([...entry, name])}: the resource ${other} has or declares the same key, but two resources can't manage one key. Remove it from one of them. ${handOver}`;
  const hash = value && createHash("sha256").update(value).digest("base64url");
  return [
    ...(hash ? [{ identity: hash, twice: twice("existingKey") }] : []),
    ...(id === undefined || isUnknown(workspaceId)
      ? []
      : [{ identity: objectIdentity(workspaceId, id), twice: twice("existingId") }]),
  ];
}

/** Inputs that can't be combined (K3, K5, K11). */
export function contradictions(declared: KeyDraft): readonly Problem[] {
  const twice = repeated(declared.scopes).map((index): Problem => {
    const message = "is listed twice in scopes; merge the two entries into one.";
    return { path: ["scopes", index, "representation"], message };
  });
  const beside = (names: readonly (keyof typeof inputs)[], message: string) =>
    names
      .filter((name) => inputs[name].canonical(declared[name]) !== undefined && !isUnknown(declared[name]))
      .map((name): Problem => ({ path: [name], message }));
  if (adoptedId(declared) !== undefined) {
    const message = "can't be combined with existingId, because an adopted key keeps its own; leave it out.";
    const isBare = declared.scopes === undefined || declared.scopes === null;
    const bare =
      "is missing: with existingId, declare the scopes that the key should have, or [] for none. The update removes all others.";
    const scopes: readonly Problem[] = isBare ? [{ path: ["scopes"], message: bare }] : [];
    return [...twice, ...scopes, ...beside([...onlyForNew, "metadata"], message)];
  }
  if (knownString(declared.existingKey) === undefined) return twice;
  const message =
    "can't be combined with existingKey, because the service migrates a key without it; leave it out.";
  return [...twice, ...beside(onlyForNew, message)];
}

const replacingFields = fields.filter(
  ({ name, onChange }) => onChange === "replace" && !existing.some((one) => one === name),
);

/**
 * Inputs that can't change while the resource keeps the key that was migrated or adopted (K5, K11): the service can't have one
 * value twice, and deleting the old record would revoke it.
 */
export function fixedByExisting(declared: KeyDraft, before: KeyDraft | undefined): readonly Problem[] {
  const [value, id] = [knownString(declared.existingKey), adoptedId(declared)];
  const isMigrated = value !== undefined && value === before?.existingKey;
  // An id that is added may be that of the resource's own key, whose secret its adoption would lose.
  const isAdopted = id !== undefined && id === (before?.existingId ?? id);
  if (before === undefined || !(isMigrated || isAdopted)) return [];
  const message =
    "can't change while the resource keeps an existing key, because only a new key can have another value. Leave existingKey and existingId out, and the update creates a new key and deletes this one.";
  return certainlyChanged(replacingFields, before, declared).map(
    (name): Problem => ({ path: [name], message }),
  );
}
