import { expect, test } from "vitest";
import { secretsKey } from "../../provider/core/state";
import { unknown } from "../../provider/core/unknown";
import { workspaceSettings } from "../../provider/resources/workspaceSettings";
import { offline } from "./offline";

const declared = {
  workspaceId: "ws_1",
  defaultKeyPrefix: "ours",
  defaultAllowedIPs: ["10.0.0.0/8"],
  defaultRateLimitPerSecond: 5,
  defaultExpiration: 60,
};
/** The lines of a preview in which the program leaves out all settings but one. */
function told(state: object, inputs: object = {}): readonly string[] {
  const lines: string[] = [];
  const telling = offline(undefined, {}, workspaceSettings, (line) => lines.push(line));
  const given = { workspaceId: "ws_1", defaultExpiration: 60, ...inputs };
  telling.diff("ws_1", { ...declared, ...state }, telling.check(given, undefined).inputs);
  return lines;
}
const subject = "Settings of workspace ws_1 that are no longer declared:";

test('W1 with "retain", the preview says that settings that are no longer declared stay', () => {
  const __before = { defaultKeyPrefix: "theirs" };
  expect(told({ onDestroy: "retain", __before })).toEqual([
    `${subject} left as they are: defaultKeyPrefix, defaultAllowedIPs, defaultRateLimitPerSecond.`,
  ]);
  expect(told({}, declared)).toEqual([]);
  expect(told({}, { ...declared, defaultKeyPrefix: unknown })).toEqual([]);
});

test('W1 with "restore", the preview lists which settings that are no longer declared stay and which are restored', () => {
  const __before = { defaultKeyPrefix: "theirs", defaultRateLimitPerSecond: 5 };
  const restore = { onDestroy: "restore" };
  const left = `${subject} left as they are: defaultAllowedIPs, defaultRateLimitPerSecond;`;
  expect(told({ ...restore, __before }, restore)).toEqual([
    `${left} restored if unchanged since the last update: defaultKeyPrefix (before: "theirs").`,
  ]);
  const secret = { ...restore, __before, [secretsKey]: [["defaultKeyPrefix"]] };
  expect(told(secret, restore)).toEqual([
    expect.stringMatching(/: defaultKeyPrefix \(before: \[secret\]\)\.$/),
  ]);
  const all = { ...restore, __before: { ...__before, defaultRateLimitPerSecond: 7, defaultAllowedIPs: [] } };
  expect(told(all, restore)).toEqual([
    `${subject} restored if unchanged since the last update: defaultKeyPrefix (before: "theirs"), defaultAllowedIPs (before: no addresses), defaultRateLimitPerSecond (before: 7).`,
  ]);
});
