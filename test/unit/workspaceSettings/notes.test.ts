import { expect, test } from "vitest";
import { unknown } from "../../../provider/core/fields";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { offline } from "../offline";

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
const subject = "settings that are no longer declared stay as they are:";

test.each(["retain", "restore"])(
  "W1 with %j, the preview says that settings that are no longer declared stay",
  (onDestroy) => {
    const __before = { defaultKeyPrefix: "theirs" };
    expect(told({ onDestroy, __before }, { onDestroy })).toEqual([
      `${subject} defaultKeyPrefix, defaultAllowedIPs, defaultRateLimitPerSecond.`,
    ]);
    for (const inputs of [
      declared,
      { ...declared, defaultKeyPrefix: unknown },
      { ...declared, workspaceId: "ws_2" },
    ])
      expect(told({ onDestroy, __before }, { ...inputs, onDestroy })).toEqual([]);
  },
);

test("R18 an update that the engine repeats because the last one failed says so, if no other line does", () => {
  const line = "ws_1: its last create or update failed halfway, so it is updated again.";
  expect(told({ __failed: true }, declared)).toEqual([line]);
  // The engine may show no difference here: its inputs are those of the last update.
  expect(told({ __failed: true }, { ...declared, defaultExpiration: 61 })).toEqual([line]);
  expect(told({ __failed: true })).toEqual([expect.stringMatching("no longer declared")]);
});
