import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { unknownSentinels } from "../../../provider/core/fields";
import { handOver } from "../../../provider/core/registry";
import { openRun } from "../../../provider/core/run";
import { rotatingApiKey } from "../../../provider/resources/rotatingApiKey";
import { adopting, adoptingSet, adoptions } from "../adoptions";
import { asks } from "../keyService";
import { failureOf, type Options, replying } from "../replying";

const [unknown] = unknownSentinels;
const { existingId: _, ...without } = adopting();
const state = { ...adopting(), enabled: true, maskedKey: "…" };
/** Inputs whose change replaces a key. */
const changes = { keepers: { rotated: "1" }, customerId: "cus_2", workspaceId: "ws_2" };

/** A service with one key. */
function oneKey(key: object = {}, options: Options = {}) {
  const world = adoptions(options);
  world.service.add({ id: "key_1", ...key });
  return world;
}

describe("an ApiKey with existingId", () => {
  test("K11: an adoption takes the key without a POST, and without a PATCH if the key matches the program", async () => {
    const { keys, methods } = oneKey();
    const { id, state } = await keys.create(keys.checked(adopting()));
    expect([id, methods()]).toEqual(["key_1", "GET"]);
    expect(state).toMatchObject({ existingId: "key_1", name: "ci", maskedKey: "…key_1" });
    for (const absent of ["key", "__keyLost"]) expect(state).not.toHaveProperty(absent);
    expect(keys.diff(id, state, keys.checked(adopting()))).toMatchObject({ changes: false, replaces: [] });
  });

  test.each([
    ["name differs", { name: "another" }, {}],
    ["scopes differ", { scopes: [] }, {}],
    ["enabled differs", { enabled: false }, {}],
    ["scopes are not shown", { scopes: undefined }, { scopes: [] }],
    ["enabled is not shown", { enabled: undefined }, { enabled: false }],
  ])("K11 an adoption sends one PATCH with name, scopes and enabled if %s", async (_, key, more) => {
    const { keys, methods, asked } = oneKey(key);
    const inputs = keys.checked(adopting(more));
    await keys.create(inputs);
    expect(methods()).toMatch(/^GET PATCH/);
    const { name, enabled, scopes } = inputs as { name: string; enabled: boolean; scopes: object[] };
    expect(asked[1]?.body).toMatchObject({ name, enabled, scopes });
  });

  test.each([
    ["does not exist", undefined],
    ["was deleted", { deleted: true }],
  ])("K11 R6 an adoption fails if the key %s, and says how to create a new key", async (_, key) => {
    const { keys, asked } = key === undefined ? adoptions() : oneKey(key);
    const { message, kept } = await failureOf(keys.create(keys.checked(adopting())));
    expect(message).toBe(
      'Adopting key "ci" in workspace ws_1 (key_1): the workspace has no such key, or the key was deleted. State is unchanged. Check existingId, which is an id without a workspace, and workspaceId; to create a new key instead, leave existingId out.',
    );
    expect(kept).toBeUndefined();
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  test("K11 an adoption fails for a key of another customer, but not for one whose customer is not shown", async () => {
    const { keys, methods, service } = oneKey({ customerId: "cus_2" });
    const { message } = await failureOf(keys.create(keys.checked(adopting())));
    expect(message).toBe(
      'Adopting key "ci" in workspace ws_1 (key_1): the key belongs to another customer, "cus_2". State is unchanged. Check existingId, or declare that customer.',
    );
    const inputs = keys.checked(adopting({ __secrets: [["customerId"]] }));
    expect((await failureOf(keys.create(inputs))).message).not.toContain("cus_2");
    for (const customerId of [undefined, " CUS_1"]) {
      service.add({ id: "key_1", customerId });
      await keys.create(keys.checked(adopting()));
    }
    expect(methods()).toBe("GET GET GET GET");
  });

  test("K11 an adoption saves no state if its PATCH is refused, and the previous values if the answer is lost", async () => {
    const { keys, service } = oneKey({ enabled: false });
    const failed = () => failureOf(keys.create(keys.checked(adopting())));
    service.refuse(asks("PATCH"));
    expect(await failed()).toMatchObject({
      kept: undefined,
      message: expect.stringContaining("403. State is unchanged. Check that the access token is allowed to"),
    });
    service.always(asks("PATCH"), () => {
      throw new CallError("ambiguous", "it answered 502", 502);
    });
    expect((await failed()).kept).toMatchObject({
      id: "key_1",
      state: { enabled: false, existingId: "key_1" },
    });
  });
});

describe("an existing key that is adopted by an", () => {
  const resources = ["ApiKey", "ApiKeySet", "RotatingApiKey"] as const;
  /** The resource in one run, with inputs that adopt the key. */
  const adopter = (world: ReturnType<typeof oneKey>, kind: (typeof resources)[number], options: Options) => {
    const { keys, sets } = world.process();
    if (kind === "ApiKey") return { of: keys, inputs: adopting() };
    if (kind === "ApiKeySet") return { of: sets, inputs: adoptingSet({ a: "key_1" }) };
    const parts = { ...options, shared: new Map() };
    const of = replying(rotatingApiKey, world.service.reply, parts);
    return { of, inputs: { ...adopting(), rotateEvery: "90d" } };
  };

  test.each(resources)(
    "K11 an existing key in a resource of kind %s is adopted again, and stays, if the engine replaces the resource",
    async (kind) => {
      const world = oneKey();
      const { of: first, inputs } = adopter(world, kind, {});
      const { id, state } = await first.create(first.check(inputs, undefined, "ci").inputs);
      const { of } = adopter(world, kind, {});
      of.diff(id, state, of.check(inputs, first.check(inputs, undefined).inputs, "ci").inputs, "ci");
      const next = await of.create(of.check(inputs, undefined, "ci").inputs);
      await of.delete(id, state);
      expect(world.there()).toEqual(["key_1"]);
      expect(JSON.stringify(next.state)).toContain('"key_1"');
      const { of: last } = adopter(world, kind, {});
      await last.delete(next.id, next.state);
      expect(world.there()).toEqual([]);
    },
  );

  test.each(resources)(
    "K11 R20 an existing key in a resource of kind %s is not deleted if the result can't be saved to state",
    async (kind) => {
      const run = openRun();
      const world = oneKey({}, { run });
      const { of, inputs } = adopter(world, kind, { run });
      world.service.once(asks("GET", "key_1"), (answer) => {
        run.stop("the test ended it");
        return answer();
      });
      await of.create(of.check(inputs, undefined).inputs).catch(() => {});
      expect(world.there()).toEqual(["key_1"]);
      expect(of.warnings.filter((line) => line.includes("key_1") && !line.includes("stays"))).toEqual([]);
    },
  );
});

describe("check of an ApiKey with existingId", () => {
  const { keys } = adoptions();
  const failuresOf = (more: object) => keys.check(adopting({ ...more }), undefined).failures;

  test("K11 each field that an adopted key keeps fails the check beside existingId", () => {
    const others = {
      prefix: "p",
      expiresAt: 60,
      externalMeterId: "m",
      metadata: { a: 1 },
    };
    const before = adopting({});
    for (const [name, value] of Object.entries(others)) {
      const message = `${name}: can't be combined with existingId, because an adopted key keeps its own; leave it out.`;
      expect(failuresOf({ [name]: value })).toEqual([message]);
      expect(keys.check({ ...before, [name]: value }, before).failures).toContain(message);
    }
    expect(failuresOf(others)).toHaveLength(4);
    expect(failuresOf({ prefix: "", expiresAt: null, metadata: {}, existingKey: undefined })).toEqual([]);
    expect(failuresOf({ prefix: unknown })).toEqual([]);
    expect(failuresOf({ ...others, existingId: unknown })).toEqual([]);
    expect(failuresOf({ existingKey: "sk_1" })).toEqual([]);
  });

  test("K11 existingId needs scopes; in a set, the entry or the defaults may declare them", () => {
    const { sets } = adoptions();
    const line =
      "is missing: with existingId, declare the scopes that the key should have, or [] for none. The update removes all others.";
    for (const scopes of [undefined, null]) expect(failuresOf({ scopes })).toEqual([`scopes: ${line}`]);
    expect(failuresOf({ scopes: [] })).toEqual([]);
    const { defaults, ...set } = adoptingSet({ a: "key_1" }) as { readonly defaults: object };
    const failures = (scopes: unknown) =>
      sets.check({ ...set, defaults: { ...defaults, scopes } }, undefined).failures;
    expect(failures(undefined)).toEqual([expect.stringContaining(`keys.a.scopes: ${line}`)]);
    expect(failures([])).toEqual([]);
  });

  test("R17: an existingId that another resource or entry of the program declares fails the check, which names that one", () => {
    const { keys, sets } = adoptions();
    const twice = `existingId: the resource one has or declares the same key, but two resources can't manage one key. Remove it from one of them. ${handOver}`;
    for (const name of ["one", "one"]) keys.checked(adopting(), undefined, name);
    expect(keys.check(adopting({ name: "n" }), undefined, "two").failures).toEqual([twice]);
    expect(sets.check(adoptingSet({ a: "key_1" }), undefined, "set").failures).toEqual([`keys.a.${twice}`]);
    for (const other of [
      { workspaceId: "ws_2" },
      { existingId: "key_2" },
      { existingId: unknown },
      { workspaceId: unknown },
    ]) {
      expect(keys.check(adopting(other), undefined, JSON.stringify(other)).failures).toEqual([]);
    }
    expect(sets.check(adoptingSet({ a: "key_3", b: "key_3" }), undefined, "set").failures).toEqual([
      "keys.b.existingId: an entry has or names this key already, and one key can't have two entries; leave it out here, or remove the other entry.",
    ]);
  });

  const rejections = (names: readonly string[]) =>
    names.map(
      (name) =>
        `${name}: can't change while the resource keeps an existing key, because only a new key can have another value. Leave existingKey and existingId out, and the update creates a new key and deletes this one.`,
    );

  test("K11 a change that replaces fails the preview while existingId stays the same or is added", () => {
    const failures = (more: object, before: object) =>
      keys.check(adopting({ ...more }), { ...before }).failures;
    for (const before of [adopting(), without]) {
      for (const [name, value] of Object.entries(changes)) {
        expect(failures({ [name]: value }, before)).toEqual(rejections([name]));
        expect(failures({ [name]: value }, { ...before, [name]: value })).toEqual([]);
        expect(failures({ [name]: unknown }, before)).toEqual([]);
      }
      expect(new Set(failures(changes, before))).toEqual(new Set(rejections(Object.keys(changes))));
      expect(failures({}, { ...before, keepers: { rotated: "1" } })).toEqual(rejections(["keepers"]));
      expect(failures({ name: "another", scopes: [], enabled: false }, before)).toEqual([]);
    }
    for (const existingId of ["key_2", unknown]) {
      expect(failures({ ...changes, existingId }, adopting())).toEqual([]);
    }
    const fixed = { prefix: "p", expiresAt: 60, externalMeterId: "m", metadata: { a: 1 } };
    for (const [name, value] of Object.entries(fixed)) {
      expect(failures({}, { ...without, [name]: value })).toEqual(rejections([name]));
    }
    expect(failures({}, { ...without, prefix: "", metadata: {}, existingKey: "sk_1" })).toEqual([]);
  });
});

describe("diff of an ApiKey that was adopted", () => {
  const { keys } = adoptions();

  test("K11 an adopted key stays if existingId is removed, or added with the id of that key", () => {
    const quiet = { changes: false, replaces: [] };
    expect(keys.diff("key_1", state, keys.checked(without))).toMatchObject(quiet);
    const plain = { ...without, enabled: true, key: "sk_1" };
    expect(keys.diff("key_1", plain, keys.checked(adopting()))).toMatchObject(quiet);
  });

  test.each(["key_2", unknown])(
    "K11 R15 an adopted key is replaced if existingId changes to %s",
    (existingId) => {
      const found = keys.diff("key_1", state, keys.checked(adopting({ existingId })));
      expect(found).toMatchObject({ changes: undefined, replaces: ["existingId"] });
    },
  );

  test.each(Object.keys(changes))(
    "K11 K5 R15 an existing key is not replaced by an unknown %s, which no value of it could: the check decides once it is known",
    (name) => {
      const { keys } = adoptions();
      const replaces = (state: object, inputs: object) =>
        keys.diff("key_1", { ...state }, keys.checked({ ...inputs, [name]: unknown })).replaces;
      expect(replaces(state, adopting())).toEqual([]);
      const own = { ...without, enabled: true, key: "sk_1" };
      expect(replaces({ ...own, existingKey: "sk_1" }, { ...without, existingKey: "sk_1" })).toEqual([]);
      expect(replaces(own, without)).toEqual([name]);
    },
  );

  test("K11 R15 a key that a set adopts is not replaced by unknown keepers", () => {
    const { sets } = adoptions();
    const before = sets.checked(adoptingSet({ a: "key_1" }, { b: {} }));
    const held = { ...before, ids: { a: "key_1", b: "key_2" }, maskedKeys: {}, secrets: { b: "sk_b" } };
    const next = sets.checked(adoptingSet({}, { a: { existingId: "key_1", keepers: unknown }, b: {} }));
    sets.notes.length = 0;
    expect(sets.diff("keys-1", held, next).replaces).toEqual([]);
    expect(sets.notes.join()).not.toContain(`"a"`);
  });

  test("K11 the preview of a set does not say that a key is still to delete that an entry adopts", () => {
    const { sets } = adoptions();
    const held = { ...sets.checked(adoptingSet({}, { a: {} })), ids: { a: "key_1" }, secrets: { a: "sk_a" } };
    const next = sets.checked(adoptingSet({ b: "key_9" }, { a: {} }));
    sets.notes.length = 0;
    sets.diff("keys-1", { ...held, toDelete: ["key_9"] }, next);
    expect(sets.notes).toEqual(['1 to adopt, without a secret: "b".']);
  });

  test("K11 the preview of an adoption names the key to adopt once, and not again after it was adopted", () => {
    const { keys } = adoptions();
    const inputs = keys.checked(adopting());
    expect(keys.notes).toEqual([
      `ApiKey "ci": 1 existing key to adopt, without its secret: key_1; nothing to create.`,
    ]);
    keys.checked(adopting(), inputs);
    keys.checked(adopting({ existingId: unknown }));
    expect(keys.notes).toHaveLength(1);
  });

  test("K11 R18 the preview of an adoption promises no secret, neither for the adoption nor for a later update", () => {
    const inputs = keys.checked(adopting());
    expect(keys.preview(inputs)).not.toHaveProperty("key");
    expect(unknownSentinels).toContain(keys.preview(inputs)["maskedKey"]);
    const changed = keys.checked(adopting({ enabled: false }), inputs);
    const next = keys.preview(changed, { id: "key_1", state });
    expect(next).not.toHaveProperty("key");
    expect(next).toMatchObject({ maskedKey: "…", enabled: false });
    const held = { ...state, key: "sk_1" };
    expect(keys.preview(changed, { id: "key_1", state: held })).toMatchObject({ key: "sk_1" });
  });
});

describe("an ApiKey that was adopted", () => {
  test("K11 the other key is adopted and then the old one deleted if existingId changes", async () => {
    const { keys, service, methods, process, there } = oneKey();
    service.add({ id: "key_2" });
    const inputs = adopting({ existingId: "key_2" });
    keys.diff("key_1", state, keys.checked(inputs, process().keys.checked(adopting())));
    const { id } = await keys.create(keys.checked(inputs));
    await keys.delete("key_1", state);
    expect([id, there(), methods()]).toEqual(["key_2", ["key_2"], "GET DELETE"]);
  });

  test.each(["create", "delete"])(
    "K11 an adopted key is replaced by a new key with its secret if existingId is removed and keepers change (%s first)",
    async (first) => {
      const { keys, there, process } = oneKey();
      const inputs = { ...without, keepers: { rotated: "1" } };
      const compared = keys.checked(inputs, process().keys.checked(adopting()));
      expect(keys.diff("key_1", state, compared).replaces).toEqual(["keepers"]);
      const again = keys.checked(inputs);
      if (first === "delete") await keys.delete("key_1", state);
      const created = await keys.create(again);
      if (first === "create") await keys.delete("key_1", state);
      expect(created).toMatchObject({ id: "made_1", state: { key: "sk_made_1" } });
      expect(created.state).not.toHaveProperty("existingId");
      expect([there(), keys.notes, keys.warnings]).toEqual([["made_1"], [], []]);
    },
  );

  test("K11 an adopted key is kept if it is imported again when its former resource is deleted", async () => {
    const { keys, there } = oneKey();
    const found = await keys.find({ id: "ws_1/key_1", given: {}, isGet: false });
    keys.diff("key_1", found?.state ?? {}, keys.checked(without), "ci");
    await keys.delete("key_1", without, "ci");
    expect(there()).toEqual(["key_1"]);
    expect(keys.warnings).toEqual([expect.stringContaining("stays in the service")]);
  });

  test("K11 an adopted key is kept when its former resource is deleted, with a warning that state loses the secret", async () => {
    const { keys, there } = oneKey();
    await keys.create(keys.checked(adopting()));
    await keys.delete("key_1", { ...state, key: "sk_own" });
    expect(there()).toEqual(["key_1"]);
    expect(keys.warnings).toEqual([
      expect.stringMatching(
        /^Key "ci" in workspace ws_1 \(key_1\) stays in the service, because the resource ci has or adopts the same key\. If it was adopted without existingKey, state does not have its secret/,
      ),
    ]);
    expect(keys.warnings.join()).not.toContain("sk_own");
  });

  test("K11 an adopted key is kept, and its secret in state, until the adoption by another resource succeeds", async () => {
    const { keys, there } = oneKey();
    const renamed = adopting({ name: "renamed", customerId: "cus_2" });
    await failureOf(keys.create(keys.checked(renamed, undefined, "renamed")));
    const { headline } = await failureOf(keys.delete("key_1", { ...state, key: "sk_own" }));
    expect(headline).toBe(
      'Deleting key "ci" in workspace ws_1 (key_1): the resource renamed declares its id as existingId and has not adopted it. It stays in state. Run `pulumi up` again when the adoption succeeds, or remove that existingId.',
    );
    expect(there()).toEqual(["key_1"]);
  });

  const compare = (of: ReturnType<typeof oneKey>["keys"], name: string, inputs: object = without) =>
    of.diff("key_1", without, of.checked({ ...inputs }, without, name), name);
  const refusal = (name: string, other: string) =>
    `ApiKey "${name}": it has key_1, which the resource ${other} has or adopts too`;

  test.each(["its owner", "the other one"])(
    "K11 R17 an adopted key fails the preview if another resource adopts it, also if the engine comes to %s first",
    (first) => {
      const { keys } = oneKey();
      const adopt = () => keys.check(adopting(), undefined, "other").failures;
      if (first === "its owner") {
        compare(keys, "owner");
        expect(adopt()).toEqual([expect.stringMatching(/^existingId: the resource owner has or declares/)]);
      } else {
        expect(adopt()).toEqual([]);
        expect(() => compare(keys, "owner")).toThrow(refusal("owner", "other"));
      }
    },
  );

  test("K11 R17 an adopted key fails the preview if two resources have it in state, and is kept if one of them is removed", async () => {
    const { keys, process, there } = oneKey();
    compare(keys, "one");
    expect(() => compare(keys, "two")).toThrow(refusal("two", "one"));
    const { keys: next } = process();
    compare(next, "one");
    await next.delete("key_1", without);
    expect(there()).toEqual(["key_1"]);
    expect(next.warnings.join()).toContain("because the resource one has or adopts the same key");
  });
});

describe("existingKey beside existingId", () => {
  const existingKey = "sk_live_abcd";
  const given = adopting({ existingKey });
  const maskedKey = "sk_…abcd";
  const words =
    "existingKey is not the secret of this key: the service shows another end of it, or state has the secret. State is unchanged. Correct existingKey or existingId, or leave existingKey out.";

  test("K11 K5 an adoption with existingKey puts the value into state, with no POST and no PATCH", async () => {
    const { keys, methods, process, there } = oneKey({ maskedKey });
    const inputs = keys.checked(given);
    expect(keys.notes).toEqual([
      'ApiKey "ci": 1 existing key to adopt, with its secret: key_1; nothing to create.',
    ]);
    const { id, state } = await keys.create(inputs);
    expect([id, methods(), state["key"], state["maskedKey"]]).toEqual([
      ...["key_1", "GET", existingKey, maskedKey],
    ]);
    const { keys: next } = process();
    for (const more of [given, adopting(), without, { ...without, existingKey }])
      expect(next.diff(id, state, next.checked(more))).toMatchObject({ changes: false, replaces: [] });
    await process().keys.delete(id, state);
    expect(there()).toEqual([]);
  });

  test.each([
    ["a masked form that shows no end", { maskedKey: "****" }],
    ["no masked form", { maskedKey: undefined }],
  ])("K11 a value is taken over beside %s", async (_, key) => {
    const { keys } = oneKey(key);
    expect((await keys.create(keys.checked(given))).state).toMatchObject({ key: existingKey });
  });

  test("K11 R8 an adoption fails and changes nothing if the value ends differently than the service shows", async () => {
    const { keys, methods } = oneKey({ maskedKey: "sk_…wxyz", enabled: false });
    const { message, kept } = await failureOf(keys.create(keys.checked(given)));
    expect(message).toBe(`Adopting key "ci" in workspace ws_1 (key_1): ${words}`);
    expect([kept, methods()]).toEqual([undefined, "GET"]);
    expect(message).not.toContain(existingKey);
  });

  /** An update of a key in state that adds the value. */
  const adding = async (key: object, held: object, more: object = {}) => {
    const { keys, methods } = oneKey({ maskedKey, ...key });
    const inputs = keys.checked({ ...given, ...more });
    const before = { ...state, ...held };
    const { changes, replaces } = keys.diff("key_1", before, inputs);
    expect([changes, replaces]).toEqual([undefined, []]);
    expect(keys.preview(inputs, { id: "key_1", state: before })).toMatchObject({ key: existingKey });
    return { keys, methods, updating: keys.update("key_1", before, inputs) };
  };

  test.each([
    ["was adopted", {}],
    ["was imported", { existingId: undefined, maskedKey: undefined }],
    ["was regenerated in the service since", { key: "sk_live_former", maskedKey: "sk_…rmer" }],
  ])("K11 a key that %s gets the secret by an update that only reads it", async (_, held) => {
    const { keys, methods, updating } = await adding({}, held);
    const done = await updating;
    expect([methods(), done["key"]]).toEqual(["GET", existingKey]);
    expect(keys.diff("key_1", done, keys.checked(given))).toMatchObject({ changes: false, replaces: [] });
  });

  test("K11 K1 the update that adds the secret sends the other changes of the program too", async () => {
    const { methods, updating } = await adding({}, {}, { enabled: false });
    expect([await updating, methods()]).toMatchObject([
      { key: existingKey, enabled: false },
      expect.stringMatching(/^GET PATCH/),
    ]);
  });

  test.each([
    ["ends differently than the service shows", { maskedKey: "sk_…wxyz" }, {}],
    ["differs from the secret in state, which the service still shows", {}, { key: "sk_other_abcd" }],
    [
      "differs from the secret in state, of which the service shows no end",
      { maskedKey: "****" },
      { key: "sk_2" },
    ],
  ])("K11 an update fails and sends nothing if the value %s", async (_, key, held) => {
    const { methods, updating } = await adding(key, held, { name: "another" });
    const { message, kept } = await failureOf(updating);
    expect(message).toBe(`Updating key "another" in workspace ws_1 (key_1): ${words}`);
    expect([kept, methods()]).toEqual([undefined, "GET"]);
  });

  test("K11 R15 R18 a preview promises the value, or an unknown one, and no replacement", () => {
    const { keys } = oneKey();
    expect(keys.preview(keys.checked(given))).toMatchObject({ key: existingKey });
    const open = keys.checked({ ...given, existingKey: unknown });
    expect(keys.preview(open)).toMatchObject({ key: unknown });
    expect(keys.diff("key_1", state, open).replaces).toEqual([]);
    expect(keys.preview(open, { id: "key_1", state })).toMatchObject({ key: unknown });
  });

  test("K11 another id adopts that key, with its own value", async () => {
    const { keys, service } = oneKey({ maskedKey });
    service.add({ id: "key_2", maskedKey: "sk_…wxyz" });
    const { id, state } = await keys.create(keys.checked(given));
    const another = adopting({ existingId: "key_2", existingKey: "sk_live_wxyz" });
    const found = keys.diff(id, state, keys.checked(another));
    expect(found.replaces).toEqual(["existingKey", "existingId"]);
    expect(await keys.create(keys.checked(another))).toMatchObject({
      id: "key_2",
      state: { key: "sk_live_wxyz" },
    });
  });

  test("R17 a value and an id that two resources declare both fail the check of the second one", () => {
    const { keys } = oneKey();
    keys.checked(given, undefined, "one");
    expect(keys.check(given, undefined, "two").failures.map((line) => line.split(":")[0])).toEqual([
      ...["existingKey", "existingId"],
    ]);
  });
});
