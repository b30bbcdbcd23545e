import { describe, expect, test } from "vitest";
import type { AnyDefinition } from "../../../provider/core/definition";
import { secretsKey } from "../../../provider/core/state";
import { unknown } from "../../../provider/core/unknown";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { rotatingApiKey } from "../../../provider/resources/rotatingApiKey";
import { least } from "../offline";
import { replying } from "../replying";

const now = Date.parse("2026-11-22T12:00:00Z");
const day = 86_400_000;
const wayOut = "To replace a key, change expiresAt or, if that is not declared, keepers.";
const seconds = (ms: number) => Math.floor(ms / 1000);

type Properties = Readonly<Record<string, unknown>>;

const inSeconds = { APIKEYS_EXPIRES_AT_UNIT: "seconds" };
const inMilliseconds = { APIKEYS_EXPIRES_AT_UNIT: "milliseconds" };

/** A resource in a run at `now`, and its warnings. */
function subject(
  definition: AnyDefinition = apiKey,
  env: Readonly<Record<string, string>> = inSeconds,
  reply: () => unknown = () => expect.unreachable("no request is made here"),
) {
  const { warnings, ...operations } = replying(definition, reply, { env, now: () => now });
  const checked = (inputs: Properties) => operations.check(inputs, undefined).inputs;
  /** The warnings of a diff if the service chose this expiry. */
  const warned = (
    expiresAt: number,
    state: Properties = {},
    inputs: Properties = least,
  ): readonly string[] => {
    warnings.length = 0;
    operations.diff("key_1", { ...checked(least), ...state, effectiveExpiresAt: expiresAt }, checked(inputs));
    return [...warnings];
  };
  return { ...operations, warnings, checked, warned };
}

/** The warnings of one diff in a process of its own. */
const warnedOf = (...args: Parameters<ReturnType<typeof subject>["warned"]>) => subject().warned(...args);

describe("expiry warnings", () => {
  test("R21 name a key that has expired or expires within 14 days, with its id and date", () => {
    const line = (what: string) => [`Key "ci" in workspace ws_1 (key_1) ${what}. ${wayOut}`];
    expect(warnedOf(seconds(now))).toEqual(line("expired on 2026-11-22"));
    expect(warnedOf(seconds(now - 9 * day))).toEqual(line("expired on 2026-11-13"));
    expect(warnedOf(seconds(now) + 1)).toEqual(line("expires on 2026-11-22"));
    expect(warnedOf(seconds(now + 14 * day))).toEqual(line("expires on 2026-12-06"));
    expect(warnedOf(seconds(now + 14 * day) + 1)).toEqual([]);
  });

  test("R21 take the unit from configuration alone, even if the date is unlikely", () => {
    const inMs = () => subject(apiKey, inMilliseconds);
    expect(inMs().warned(now + day)[0]).toContain("expires on 2026-11-23");
    expect(inMs().warned(now + 14 * day + 1)).toEqual([]);
    expect(inMs().warned(seconds(now))[0]).toContain("expired on 1970-01-21");
    expect(warnedOf(now)).toEqual([]);
  });

  test.each([8.64e15 + 1, Number.MAX_VALUE, 0, -1, -8.64e18])(
    "R21 ignore %d, which is not a date",
    (value) => {
      expect(warnedOf(value)).toEqual([]);
      expect(subject(apiKey, inMilliseconds).warned(value)).toEqual([]);
    },
  );

  test("R21 are off without the unit, and begin the configured number of days before", () => {
    expect(subject(apiKey, {}).warned(1)).toEqual([]);
    const within = (days: string) => subject(apiKey, { ...inSeconds, APIKEYS_EXPIRY_WARNING_DAYS: days });
    expect(within("0").warned(seconds(now) + 1)).toEqual([]);
    expect(within("0").warned(seconds(now))).toHaveLength(1);
    expect(within("30").warned(seconds(now + 30 * day))).toHaveLength(1);
  });

  test("R21 use the declared expiresAt if the service returns none or 0", () => {
    for (const effective of [undefined, 0]) {
      const { diff, checked, warnings } = subject();
      const inputs = checked({ ...least, expiresAt: seconds(now + day) });
      diff("key_1", { ...inputs, effectiveExpiresAt: effective }, inputs);
      expect(warnings).toHaveLength(1);
    }
    const { diff, checked, warnings } = subject();
    const inputs = checked({ ...least, expiresAt: seconds(now + day) });
    diff("key_1", { ...inputs, effectiveExpiresAt: seconds(now + 20 * day) }, inputs);
    expect(warnings).toEqual([]);
  });

  test("R21 name a key that the update edits, but not one that it replaces", () => {
    expect(warnedOf(1, {}, { ...least, name: "renamed" })[0]).toContain('Key "ci"');
    expect(warnedOf(1, {}, { ...least, expiresAt: 5 })).toEqual([]);
    expect(warnedOf(1, {}, { ...least, keepers: { rotated: "now" } })).toEqual([]);
    expect(warnedOf(1, {}, { ...least, prefix: unknown })).toEqual([]);
    expect(warnedOf(1, { __keyLost: true })).toEqual([]);
  });

  test("R21 name a key once in a process", () => {
    const { warned } = subject();
    expect(warned(1)).toHaveLength(1);
    expect(warned(1)).toEqual([]);
  });

  test("R16 show neither a secret name nor the date of a secret expiresAt", () => {
    const { diff, checked, warnings } = subject();
    const named = checked({ ...least, name: "ws", [secretsKey]: [["name"]] });
    diff("key_1", { ...named, effectiveExpiresAt: 1 }, named);
    expect(warnings).toEqual([`The key in workspace [secret]_1 (key_1) expired on 1970-01-01. ${wayOut}`]);
    warnings.length = 0;
    const dated = checked({ ...least, expiresAt: seconds(now + day), [secretsKey]: [["expiresAt"]] });
    diff("key_2", { ...dated, effectiveExpiresAt: seconds(now + day) }, dated);
    expect(warnings).toEqual([`Key "ci" in workspace ws_1 (key_2) expires on [secret]. ${wayOut}`]);
    // In the run that makes it secret, state does not have it as secret yet.
    const { [secretsKey]: _, ...before } = dated;
    diff("key_3", { ...before, effectiveExpiresAt: seconds(now + day) }, dated);
    expect(warnings.at(-1)).toContain("(key_3) expires on [secret]");
  });

  test("R21 name both keys if two workspaces use the same id", () => {
    const { diff, checked, warnings } = subject();
    for (const workspaceId of ["ws_1", "ws_2"]) {
      const inputs = checked({ ...least, workspaceId });
      diff("key_1", { ...inputs, effectiveExpiresAt: 1 }, inputs);
    }
    expect(warnings).toHaveLength(2);
  });

  test("R21 come with the diff after a refresh, not with the refresh's own diff", async () => {
    const record = { id: "key_1", name: "ci", enabled: true, scopes: [], deleted: false };
    const { warnings, checked, ...operations } = subject(apiKey, inSeconds, () => ({ apiKey: record }));
    const held = { ...checked(least), key: "sk", effectiveExpiresAt: 1 };
    const other = { ...held, id: "key_2" };
    await operations.read("key_1", held);
    // With --run-program, the engine checks and compares other resources meanwhile.
    operations.check(least, least);
    operations.diff("key_2", other, least);
    expect(warnings).toHaveLength(1);
    operations.diff("key_1", held, least);
    expect(warnings).toHaveLength(1);
    operations.diff("key_1", held, least);
    expect(warnings).toHaveLength(2);
  });
});

test.each([
  ["a key that only `.get` reads has no expiry warning", true, []],
  ["a managed key has its expiry warning even if `.get` reads the same key", false, ["(key_1) expired"]],
])("R21 %s", async (_what, isRead, expected) => {
  const record = { id: "key_1", ...least, enabled: true, deleted: false, expiresAt: 1 };
  const { warnings, ...key } = subject(apiKey, inSeconds, () => ({ apiKey: record }));
  const found = await key.find({ id: "key_1", given: { workspaceId: "ws_1" }, isGet: true });
  const managed = { ...least, key: "sk", effectiveExpiresAt: 1 };
  key.diff("key_1", isRead ? (found?.state ?? {}) : managed, least);
  expect(warnings).toEqual(expected.map((words) => expect.stringContaining(words)));
});

describe("expiry warnings of a set", () => {
  const set = { workspaceId: "ws_1", defaults: { customerId: "cus_1" } };
  /** The state of a set whose keys expire this many days from now. */
  const stateOf = (days: Readonly<Record<string, number | undefined>>, declared: Properties = {}) => {
    const all = Object.entries(days);
    return {
      ...set,
      keys: Object.fromEntries(all.map(([alias]) => [alias, {}])),
      ids: Object.fromEntries(all.map(([alias]) => [alias, `key_${alias}`])),
      secrets: Object.fromEntries(all.map(([alias]) => [alias, `sk_${alias}`])),
      __chosen: Object.fromEntries(
        all.map(([alias, of]) => [
          alias,
          of === undefined ? {} : { effectiveExpiresAt: seconds(now + of * day) },
        ]),
      ),
      ...declared,
    };
  };
  const warned = (state: Properties, inputs: Properties = state) => {
    const { diff, checked, warnings } = subject(apiKeySet);
    const { workspaceId, defaults, keys, [secretsKey]: secrets } = inputs;
    const spelled = { workspaceId, defaults, keys, ...(secrets !== undefined && { [secretsKey]: secrets }) };
    diff("set_1", state, checked(spelled));
    return warnings;
  };

  test("R21 name the keys that are due, the earliest first", () => {
    expect(warned(stateOf({ later: 40, soon: 3, gone: -2, never: undefined }))).toEqual([
      `Keys of workspace ws_1: 2 expired or about to expire: "gone" (key_gone) expired on 2026-11-20, "soon" (key_soon) expires on 2026-11-25. ${wayOut}`,
    ]);
    expect(warned(stateOf({ later: 40, never: undefined }))).toEqual([]);
  });

  test("R21 name the first 20 of many keys, and count the others", () => {
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`a${n}`, n / 1500]));
    const [line = "", ...others] = warned(stateOf(many));
    expect(others).toEqual([]);
    expect(line).toMatch(/: 1,500 expired or about to expire: "a0" .* and 1,480 more\. To replace a/);
    expect(line.match(/\(key_/g)).toHaveLength(20);
  });

  test("R21 leave out keys that the update replaces or removes, but none while `keys` is unknown", () => {
    const state = stateOf({ kept: 1, edited: 1, replaced: 1, removed: 1 });
    const keys = { kept: {}, edited: { enabled: false }, replaced: { prefix: "new" }, added: {} };
    const [line = "", ...others] = warned(state, { ...state, keys });
    expect(others).toEqual([]);
    expect(line.match(/\(key_\w+\)/g)).toEqual(["(key_kept)", "(key_edited)"]);
    expect(warned(state, { ...state, keys: unknown })[0]).toContain("4 expired or about");
    expect(warned(state, { ...state, workspaceId: "ws_2" })).toEqual([]);
  });

  test("R16 show no date if one entry has a secret one", () => {
    const secretOnes = { [secretsKey]: [["keys", "*", "expiresAt"]] };
    const open = stateOf({ a: 1, b: 2 });
    expect(warned(open, { ...open, ...secretOnes })[0]).toMatch(/"a" \(key_a\) expires on \[secret\]/);
    const state = stateOf({ a: 1, b: 2 }, secretOnes);
    expect(warned(state)[0]).toMatch(
      /"a" \(key_a\) expires on \[secret\], "b" \(key_b\) expires on \[secret\]/,
    );
  });
});

describe("expiry warnings of a rotating key", () => {
  const declared = { ...least, rotateEvery: "90d", overlap: "7d", retire: "afterOverlap" };
  const iso = (days: number) => new Date(now + days * day).toISOString();
  const expiresIn = (days: number) => ({ effectiveExpiresAt: seconds(now + days * day) });
  /** The warnings if the current key was created `age` days ago, and expires in `days`. */
  const warned = (age: number, days: number, more: Properties = {}, inputs: Properties = declared) => {
    const { diff, checked, warnings } = subject(rotatingApiKey);
    const state = {
      ...declared,
      keyId: "key_b",
      key: "sk_b",
      rotatedAt: iso(-age),
      ...expiresIn(days),
      ...more,
    };
    diff("rotating-1", state, checked(inputs));
    return warnings;
  };
  /** A previous key that expires in `days`, and is to be deleted in `retires`. */
  const previous = (days: number, retires: number) => ({
    previousKeyId: "key_a",
    previousKey: "sk_a",
    retiresAt: iso(retires),
    __previous: expiresIn(days),
  });

  test("R21 name the current and the previous key", () => {
    expect(warned(5, 10, previous(1, 2))).toEqual([
      `Rotating key "ci" in workspace ws_1: 2 expired or about to expire: the previous key (key_a) expires on 2026-11-23, the current key (key_b) expires on 2026-12-02. ${wayOut}`,
    ]);
  });

  test("R21 leave out a key that will be deleted before it expires", () => {
    expect(warned(5, 100, previous(3, 2))).toEqual([]);
    // Rotated in 5 days, and deleted in 12.
    expect(warned(85, 12)).toEqual([]);
    expect(warned(85, 11)[0]).toContain("the current key (key_b) expires on 2026-12-03");
    // Rotated now, and deleted in 7 days.
    expect(warned(100, 7)).toEqual([]);
    expect(warned(100, 6)[0]).toContain("expires on 2026-11-28");
    expect(warned(5, 7, {}, { ...declared, keepers: { now: "1" } })).toEqual([]);
    expect(warned(100, -1)[0]).toContain("expired on 2026-11-21");
    // The next key would expire at the same time.
    const dated = { ...declared, expiresAt: seconds(now + 12 * day) };
    expect(warned(85, 12, dated, dated)[0]).toContain("the current key (key_b) expires on 2026-12-04");
  });

  test("R21 leave out the previous key in the update that deletes it, unless `retire` may keep it", () => {
    for (const days of [1, -2]) expect(warned(8, 100, previous(days, -1))).toEqual([]);
    const whenUnused = { ...declared, retire: "whenUnused" };
    expect(warned(8, 100, { ...previous(1, -1), retire: "whenUnused" }, whenUnused)[0]).toContain("key_a");
    expect(warned(8, 100, { ...previous(3, 2), retire: "whenUnused" }, whenUnused)[0]).toContain("key_a");
  });
});
