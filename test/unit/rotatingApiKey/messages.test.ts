import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { isUnknown, unknown } from "../../../provider/core/fields";
import { openRun } from "../../../provider/core/run";
import { asks } from "../keyService";
import { failureOf } from "../replying";
import { declared, iso, openRotated, rotating } from "./rotatingService";

/** The outputs that the plugin's preview promises; "?" stands for an unknown one. */
function promised(
  ci: ReturnType<typeof rotating>,
  kept: { readonly id: string; readonly state: object } | undefined,
  inputs: Readonly<Record<string, unknown>>,
) {
  const all = ci.preview(
    ci.check(inputs, undefined).inputs,
    kept && { id: kept.id, state: { ...kept.state } },
  );
  const names = [
    "key",
    "keyId",
    "previousKey",
    "previousKeyId",
    "rotatedAt",
    "rotatesAt",
    "retiresAt",
    "keepers",
  ];
  return Object.fromEntries(
    names.flatMap((name) =>
      all[name] === undefined ? [] : [[name, isUnknown(all[name]) ? "?" : all[name]]],
    ),
  );
}

describe("the preview of a rotating key", () => {
  const disabled = { ...declared, enabled: false };
  const current = { key: "sk_key_2", keyId: "key_2", rotatedAt: iso(90), rotatesAt: iso(180) };
  const previous = { previousKey: "sk_key_1", previousKeyId: "key_1" };
  const unknownKey = { key: "?", keyId: "?", rotatedAt: "?", rotatesAt: "?" };

  test.each([
    ["both keys for an edit", 91, disabled, { ...current, ...previous, retiresAt: iso(97) }],
    [
      "both keys for another overlap",
      91,
      { ...declared, overlap: "8d" },
      { ...current, ...previous, retiresAt: iso(98) },
    ],
    ["the current key for a deletion of the previous one", 97, disabled, current],
    [
      "the current key for a deletion that depends on the previous key's use",
      97,
      { ...disabled, retire: "whenUnused" },
      { ...current, previousKey: "?", previousKeyId: "?", retiresAt: "?" },
    ],
    [
      "the current key for a deletion if another change has to wait for it",
      97,
      { ...declared, keepers: { a: "b" } },
      current,
    ],
    [
      "no outputs for an update that will fail",
      91,
      { ...declared, keepers: { a: "b" } },
      { ...unknownKey, previousKey: "?", previousKeyId: "?", retiresAt: "?", keepers: { a: "b" } },
    ],
    [
      "no outputs if a change is unknown",
      91,
      { ...declared, customerId: unknown },
      { ...unknownKey, previousKey: "?", previousKeyId: "?", retiresAt: "?" },
    ],
    [
      "the current key for a deletion even if another change, which has to wait, is unknown",
      97,
      { ...declared, customerId: unknown, keepers: { a: "b" } },
      current,
    ],
  ])("R18 the preview of a rotating key promises %s", async (_, day, inputs, expected) => {
    const { ci, kept } = await openRotated();
    ci.at(day);
    expect(promised(ci, kept, inputs)).toEqual(expected);
    if (Object.values(expected).includes("?")) return;
    expect((await ci.up(kept, inputs)).state).toMatchObject(expected);
  });

  test("R18 the preview of a rotating key promises for a rotation that the current key becomes the previous one", async () => {
    const ci = rotating();
    const kept = await ci.create();
    ci.at(90);
    const expected = { previousKey: "sk_key_1", previousKeyId: "key_1" };
    expect(promised(ci, kept, declared)).toEqual({ ...unknownKey, ...expected, retiresAt: "?" });
    expect((await ci.up(kept)).state).toMatchObject(expected);
  });
});

describe("a secret value", () => {
  const secretName = { ...declared, name: "hush", __secrets: [["name"]], prefix: "quiet" };

  test("R16 a secret value of a rotating key appears in no line, warning or error", async () => {
    const { ci, kept } = await openRotated(secretName);
    ci.at(97);
    ci.always(asks("DELETE"), () => {
      throw new CallError("refused", 'the service answered 403 "hush"', 403);
    });
    const changed = { ...secretName, keepers: { a: "b" } };
    const { message } = await failureOf(ci.up(kept, changed));
    const all = [message, ...ci.told(), ...ci.warnings].join("\n");
    expect(all).toContain("the overlap of key_1 is over");
    expect(all).not.toContain("hush");
  });

  test("R16 a secret value of a rotating key appears in no error even if only the previous key still has it", async () => {
    const {
      ci,
      kept: { id, state },
    } = await openRotated({ ...secretName, name: "hush" });
    ci.always(asks("GET"), () => {
      throw new CallError("refused", 'the service answered 403 "hush"', 403);
    });
    const renamed = {
      ...state,
      name: "other",
      __previous: { ...(state["__previous"] as object), name: "hush" },
    };
    const { message } = await failureOf(ci.read(id, renamed));
    expect(message).toContain("the service answered 403");
    expect(message).not.toContain("hush");
  });

  test("R16 a secret value makes all hidden properties secret, and the outputs", async () => {
    const {
      ci,
      kept: { state },
    } = await openRotated(secretName);
    const paths = ci.secretPaths(state).map((path) => path.join("."));
    expect(paths).toEqual(expect.arrayContaining(["name", "retiresAt", "__previous"]));
  });

  test("R16 the secret of a rotating key appears in state only as key or previousKey", async () => {
    const { kept } = await openRotated();
    const { state } = kept;
    const { key, previousKey, ...others } = state;
    expect([key, previousKey]).toEqual(["sk_key_2", "sk_key_1"]);
    expect(JSON.stringify(others)).not.toMatch(/sk_/);
  });
});

describe("once nobody takes the results, the provider", () => {
  test("R20 once the run is over, the provider deletes the key of a create again", async () => {
    const run = openRun();
    const ci = rotating({ run });
    ci.once(asks("POST"), (answer) => {
      run.stop("the engine exited");
      return answer();
    });
    await failureOf(ci.create());
    expect(ci.live.size).toBe(0);
  });
});

describe("an unknown value in a preview", () => {
  test("R15 an unknown value appears in no line", async () => {
    const { ci, kept } = await openRotated();
    const draft = { ...declared, name: unknown, keepers: unknown };
    ci.told();
    ci.diff(kept.id, kept.state, ci.check(draft, declared).inputs);
    ci.check({ ...draft, workspaceId: unknown, scopes: [], existingId: "key_9" }, undefined);
    expect(ci.told()).toEqual(["1 existing key to adopt, without its secret: key_9; nothing to create."]);
  });
});

describe("check of a RotatingApiKey", () => {
  const length = 'must be a whole number of hours, days or weeks, such as "36h", "90d" or "12w".';
  const wrong =
    'overlap: must be shorter than rotateEvery, and longer than "0d" with retire "whenUnused" (its default is "7d"). There are never more than two keys.';
  test.each([
    [{ rotateEvery: undefined }, `rotateEvery: ${length}`],
    [{ rotateEvery: 90 }, `rotateEvery: ${length}`],
    [{ rotateEvery: "90" }, `rotateEvery: ${length}`],
    [{ rotateEvery: "-1d" }, `rotateEvery: ${length}`],
    [{ rotateEvery: "" }, `rotateEvery: ${length}`],
    [{ rotateEvery: "100000d" }, `rotateEvery: ${length}`],
    [{ rotateEvery: "0d", overlap: "0h" }, wrong],
    [{ overlap: "1.5d" }, `overlap: ${length}`],
    [{ overlap: "13w" }, wrong],
    [{ rotateEvery: "24h" }, wrong],
    [{ retire: "later" }, 'retire: must be "afterOverlap" or "whenUnused".'],
    [{ retire: "whenUnused", overlap: "0h" }, wrong],
    [
      { existingKey: "sk", prefix: "p" },
      "prefix: can't be combined with existingKey, because the service migrates a key without it; leave it out.",
    ],
  ])("T2 R8 the check of a RotatingApiKey fails for %j", (change, line) => {
    expect(rotating().check({ ...declared, ...change }, undefined).failures).toEqual([line]);
  });
});
