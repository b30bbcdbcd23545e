import { expect, test } from "vitest";
import { unknown } from "../../../provider/core/fields";
import { secretsKey } from "../../../provider/core/state";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { offline } from "../offline";

const __written = {
  defaultKeyPrefix: "ours",
  defaultAllowedIPs: ["10.0.0.0/8"],
  defaultRateLimitPerSecond: 5,
  defaultExpiration: 60,
};
const declared = { workspaceId: "ws_1", ...__written };
/** The lines of a preview in which the program leaves out all settings but one. */
function told(state: object, inputs: object = {}): readonly string[] {
  const lines: string[] = [];
  const telling = offline(undefined, {}, workspaceSettings, (line) => lines.push(line));
  const given = { workspaceId: "ws_1", defaultExpiration: 60, ...inputs };
  telling.diff("ws_1", { ...declared, __written, ...state }, telling.check(given, undefined).inputs);
  return lines;
}
const subject = "Settings of workspace ws_1 that are no longer declared:";
const stay = (...names: readonly string[]) => names.map((name) => `${name} stays as it is`).join("; ");
const back = (name: string, value: string) =>
  `${name} goes back to ${value}, unless it was changed outside Pulumi`;

test('W1 with "retain", the preview says that settings that are no longer declared stay', () => {
  const __before = { defaultKeyPrefix: "theirs" };
  expect(told({ onDestroy: "retain", __before })).toEqual([
    `${subject} ${stay("defaultKeyPrefix", "defaultAllowedIPs", "defaultRateLimitPerSecond")}.`,
  ]);
  expect(told({}, declared)).toEqual([]);
  expect(told({}, { ...declared, defaultKeyPrefix: unknown })).toEqual([]);
});

test('W1 with "restore", the preview lists which settings that are no longer declared stay and which are restored', () => {
  const __before = { defaultKeyPrefix: "theirs", defaultRateLimitPerSecond: 5 };
  const restore = { onDestroy: "restore" };
  const left = stay("defaultAllowedIPs", "defaultRateLimitPerSecond");
  expect(told({ ...restore, __before }, restore)).toEqual([
    `${subject} ${back("defaultKeyPrefix", '"theirs"')}; ${left}.`,
  ]);
  const secret = { ...restore, __before, [secretsKey]: [["defaultKeyPrefix"]] };
  expect(told(secret, restore)).toEqual([expect.stringContaining("defaultKeyPrefix goes back to [secret],")]);
  const all = { ...restore, __before: { ...__before, defaultRateLimitPerSecond: 7, defaultAllowedIPs: [] } };
  expect(told(all, restore)).toEqual([
    `${subject} ${back("defaultKeyPrefix", '"theirs"')}; ${back("defaultAllowedIPs", "no addresses")}; ${back("defaultRateLimitPerSecond", "7")}.`,
  ]);
});

test("W5 the preview of another workspaceId lists which settings of the former workspace stay and which are restored", () => {
  const other = { ...declared, workspaceId: "ws_2" };
  const three = stay("defaultKeyPrefix", "defaultAllowedIPs", "defaultRateLimitPerSecond");
  const left = "Settings of workspace ws_1 that are no longer managed";
  expect(told({}, other)).toEqual([`${left}: ${three}; ${stay("defaultExpiration")}.`]);
  const restore = { onDestroy: "restore", __before: { defaultExpiration: 30 } };
  // Its own onDestroy counts, not the one that the program has now.
  expect(told(restore, { ...other, workspaceId: unknown, onDestroy: "retain" })).toEqual([
    `${left}: ${three}; ${back("defaultExpiration", "30")}.`,
  ]);
});

test("R18 an update that the engine repeats because the last one failed says so, if no other line does", () => {
  const line = "WorkspaceSettings ws_1: its last create or update failed halfway, so it is updated again.";
  expect(told({ __failed: true }, declared)).toEqual([line]);
  // The engine may show no difference here: its inputs are those of the last update.
  expect(told({ __failed: true }, { ...declared, defaultExpiration: 61 })).toEqual([line]);
  expect(told({ __failed: true })).toEqual([expect.stringMatching("no longer declared")]);
  expect(told({ __failed: true }, { ...declared, workspaceId: "ws_2" })).toHaveLength(1);
});
