import type { Checked } from "../../core/registry";
import { spelled } from "../../core/text";
import { fixedByExisting, rules as keyRules } from "../apiKey/rules";
import { msOf } from "./duration";
import type { RotatingDraft } from "./properties";

/**
 * Check failures of a rotating key. While existingKey or existingId stays, an ApiKey refuses changes that only rotate this
 * resource. A change of workspaceId replaces it, so only that is refused here (K5, K11).
 */
export function rules(
  declared: RotatingDraft,
  before: RotatingDraft | undefined,
  checked: Checked,
): readonly string[] {
  const { rotateEvery, overlap, retire } = declared;
  const [every, both] = [msOf(rotateEvery), msOf(overlap ?? "7d")];
  return [
    ...keyRules(declared, undefined, checked),
    ...fixedByExisting(declared, before)
      .filter(({ path: [field] }) => field === "workspaceId")
      .map(({ path, message }) => `${spelled(path)}: ${message}`),
    ...(every && both !== undefined && both >= every
      ? [
          'overlap: must be shorter than rotateEvery, because there are never more than two keys (its default is "7d").',
        ]
      : []),
    ...(both === 0 && retire === "whenUnused"
      ? [
          'overlap: must be longer than "0d" with retire "whenUnused", because only a time without use shows that a key is unused.',
        ]
      : []),
  ];
}
