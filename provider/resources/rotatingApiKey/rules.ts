import type { Checked } from "../../core/declarations";
import { rules as keyRules } from "../apiKey/rules";
import { msOf } from "./duration";
import type { RotatingDraft } from "./properties";

/** What check refuses of a rotating key. Another value makes a new key, so nothing is fixed by the one that was migrated. */
export function rules(
  declared: RotatingDraft,
  _before: RotatingDraft | undefined,
  checked: Checked,
): readonly string[] {
  const { rotateEvery, overlap, retire } = declared;
  const [every, both] = [msOf(rotateEvery), msOf(overlap ?? "7d")];
  return [
    ...keyRules(declared, undefined, checked),
    ...(every && both !== undefined && both >= every
      ? [
          'overlap: must be shorter than rotateEvery, since there are never more than two keys (its default is "7d").',
        ]
      : []),
    ...(both === 0 && retire === "whenUnused"
      ? [
          'overlap: must be longer than nothing with retire "whenUnused", since only a time without use tells that a key is not used.',
        ]
      : []),
  ];
}
