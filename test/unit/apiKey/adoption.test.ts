import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { unknownSentinels } from "../../../provider/core/fields";
import { handOver } from "../../../provider/core/registry";
import { openRun } from "../../../provider/core/run";
import { adopting, adoptingSet, adoptions, orders } from "../adoptions";
import { least } from "../offline";

/** A service with one key. */
function oneKey(key: object = {}, trouble: Parameters<typeof adoptions>[0] = {}) {
  const world = adoptions(trouble);
  world.service.add({ id: "key_1", ...key });
  return world;
}

describe("an ApiKey with existingId", () => {
  test("K11 adopts the key without a POST, and without a PATCH if the key matches the program", async () => {
    const { keys, methods } = oneKey();
    const { id, state } = await keys.create(keys.checked(adopting()));
    expect(id).toBe("key_1");
    expect(methods()).toBe("GET");
    expect(state).toMatchObject({ existingId: "key_1", name: "ci", maskedKey: "…key_1" });
    for (const absent of ["key", "__keyLost"]) expect(state).not.toHaveProperty(absent);
    expect(keys.diff(id, state, keys.checked(adopting()))).toMatchObject({ changes: false, replaces: [] });
  });

  test.each([
    ["name", { name: "another" }],
    ["scopes", { scopes: [] }],
    ["enabled", { enabled: false }],
    ["scopes not shown", { scopes: undefined }],
    ["enabled not shown", { enabled: undefined }],
  ])("K11 sends one PATCH with name, scopes and enabled if one of them differs (%s)", async (_, key) => {
    const { keys, asked, service } = oneKey(key);
    await keys.create(keys.checked(adopting()));
    expect(asked.map(({ method }) => method)).toEqual(["GET", "PATCH"]);
    expect(asked[1]?.body).toMatchObject({ name: "ci", enabled: true });
    expect(service.live.get("key_1")).toMatchObject({ name: "ci", enabled: true, scopes: [orders[0]] });
  });

  test("K11 sends a PATCH even for no scopes, or for a disabled key, if the service leaves the field out", async () => {
    for (const hidden of [{ scopes: undefined }, { enabled: undefined }]) {
      const { keys, methods } = oneKey({ enabled: false, scopes: [], ...hidden });
      await keys.create(keys.checked(adopting({ enabled: false, scopes: [] })));
      expect(methods()).toBe("GET PATCH");
    }
  });

  test.each([
    ["does not exist", undefined],
    ["was deleted", { deleted: true }],
  ])("K11 R6 fails if the key %s, and says how to create a new key", async (_, key) => {
    const { keys, asked, failureOf } = key === undefined ? adoptions() : oneKey(key);
    const { message, kept } = await failureOf(keys.create(keys.checked(adopting())));
    expect(message).toBe(
      'Adopting key "ci" in workspace ws_1 (key_1): the workspace has no such key, or the key was deleted. Nothing was changed. Check existingId, which is an id without a workspace, and workspaceId; to create a new key instead, leave existingId out.',
    );
    expect(kept).toBeUndefined();
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  test("K11 R6 adopts the key if only the first GET is answered with 404", async () => {
    let isLate = true;
    const { keys } = oneKey(
      {},
      {
        odd: ({ method, path }) => {
          if (method !== "GET" || !path.endsWith("key_1") || !isLate) return undefined;
          isLate = false;
          throw new CallError("refused", "the service answered 404", 404);
        },
      },
    );
    expect((await keys.create(keys.checked(adopting()))).id).toBe("key_1");
  });

  test("K11 fails for a key of another customer, and adopts a key whose customer is not shown", async () => {
    const { keys, failureOf, methods, service } = oneKey({ customerId: "cus_2" });
    const { message } = await failureOf(keys.create(keys.checked(adopting())));
    expect(message).toBe(
      'Adopting key "ci" in workspace ws_1 (key_1): the key belongs to another customer, "cus_2". Nothing was changed. Check existingId, or declare that customer.',
    );
    const inputs = keys.checked(adopting({ __secrets: [["customerId"]] }));
    expect((await failureOf(keys.create(inputs))).message).not.toContain("cus_2");
    service.add({ id: "key_1", customerId: undefined });
    await keys.create(keys.checked(adopting()));
    service.add({ id: "key_1", customerId: " CUS_1" });
    await keys.create(keys.checked(adopting()));
    expect(methods()).toBe("GET GET GET GET");
  });

  test("K11 requires scopes; in a set, the entry or the defaults may declare them", () => {
    const { keys, sets } = adoptions();
    const line =
      "is missing: with existingId, declare the scopes that the key should have, because the update removes all others; use [] for none.";
    for (const scopes of [undefined, null]) {
      expect(keys.check(adopting({ scopes }), undefined).failures).toEqual([`scopes: ${line}`]);
    }
    expect(keys.check(adopting({ scopes: [] }), undefined).failures).toEqual([]);
    const { defaults, ...set } = adoptingSet({ a: "key_1" }) as { readonly defaults: object };
    const without = { ...defaults, scopes: undefined };
    expect(sets.check({ ...set, defaults: without }, undefined).failures).toEqual([`keys.a.scopes: ${line}`]);
    expect(sets.check({ ...set, defaults: { ...without, scopes: [] } }, undefined).failures).toEqual([]);
  });

  test("K11 fails as for a missing key if the key is deleted just before the PATCH", async () => {
    const { keys, service, failureOf } = oneKey(
      { enabled: false },
      { odd: ({ method }) => void (method === "PATCH" && service.live.delete("key_1")) },
    );
    const { message, kept } = await failureOf(keys.create(keys.checked(adopting())));
    expect(message).toContain("the workspace has no such key, or the key was deleted. Nothing was changed.");
    expect(kept).toBeUndefined();
  });

  test("K11 saves no state if the PATCH is refused, and the previous values if its answer is lost", async () => {
    let status = 403;
    const { keys, failureOf } = oneKey(
      { enabled: false },
      {
        odd: ({ method }) => {
          if (method !== "PATCH") return undefined;
          throw new CallError(status === 403 ? "refused" : "ambiguous", `it answered ${status}`, status);
        },
      },
    );
    const refused = await failureOf(keys.create(keys.checked(adopting())));
    expect(refused.kept).toBeUndefined();
    expect(refused.message).toContain(
      "it answered 403. Nothing was changed. Check that the access token is allowed to edit",
    );
    status = 502;
    const unseen = await failureOf(keys.create(keys.checked(adopting())));
    expect(unseen.kept).toMatchObject({ id: "key_1", state: { enabled: false, existingId: "key_1" } });
  });

  test("K11 deletes no key, and names none as left behind, if the run ends during the adoption", async () => {
    const run = openRun();
    run.stop("the test ended it");
    const { keys, methods } = oneKey({}, { run });
    await keys.create(keys.checked(adopting()));
    expect(keys.warnings).toEqual([]);
    expect(methods()).toBe("GET");
  });
});

describe("check of an ApiKey with existingId", () => {
  const { keys } = adoptions();
  const failuresOf = (more: object) => keys.check(adopting({ ...more }), undefined).failures;

  test("K11 rejects existingKey, and each field that an adopted key keeps", () => {
    const others = {
      existingKey: "sk_1",
      prefix: "p",
      expiresAt: 60,
      externalMeterId: "m",
      metadata: { a: 1 },
    };
    const before = adopting({});
    for (const [name, value] of Object.entries(others)) {
      const message = `${name}: can't be combined with existingId, because an adopted key keeps its own; leave it out.`;
      expect(failuresOf({ [name]: value })).toEqual([message]);
      expect(keys.check({ ...before, [name]: value }, before).failures).toEqual([message]);
    }
    expect(failuresOf(others)).toHaveLength(5);
    expect(failuresOf({ prefix: "", expiresAt: null, metadata: {}, existingKey: undefined })).toEqual([]);
    expect(failuresOf({ prefix: unknownSentinels[0] })).toEqual([]);
    expect(failuresOf({ ...others, existingKey: undefined, existingId: unknownSentinels[0] })).toEqual([]);
  });

  test("K11 rejects an id that is empty, or that can't be part of a URL", () => {
    expect(failuresOf({ existingId: "" })).toEqual(["existingId: must not be empty."]);
    expect(failuresOf({ existingId: ".." })).toEqual([
      expect.stringMatching(/^existingId: must not be "\." or "\.\.", or have control characters/),
    ]);
    for (const none of [null, undefined]) expect(failuresOf({ existingId: none })).toEqual([]);
  });

  test("K11 R17 rejects an id that another resource or entry in the workspace declares, and names that one", () => {
    const { keys, sets } = adoptions();
    const twice = `existingId: the resource one has or adopts the same key, but two resources can't manage one key. ${handOver}`;
    for (const name of ["one", "one"]) keys.checked(adopting(), undefined, name);
    expect(keys.check(adopting({ name: "n" }), undefined, "two").failures).toEqual([twice]);
    expect(sets.check(adoptingSet({ a: "key_1" }), undefined, "set").failures).toEqual([`keys.a.${twice}`]);
    for (const other of [
      { workspaceId: "ws_2" },
      { existingId: "key_2" },
      { existingId: unknownSentinels[0] },
      { workspaceId: unknownSentinels[0] },
    ]) {
      expect(keys.check(adopting(other), undefined, JSON.stringify(other)).failures).toEqual([]);
    }
    expect(sets.check(adoptingSet({ a: "key_3", b: "key_3" }), undefined, "set").failures).toEqual([
      "keys.b.existingId: another entry has the same value, but one key can't have two entries; remove it from one of them.",
    ]);
  });
});

describe("an ApiKey that was adopted", () => {
  const changes = { keepers: { rotated: "1" }, customerId: "cus_2", workspaceId: "ws_2" };
  const state = { ...adopting(), enabled: true, maskedKey: "…" };
  const { existingId: _, ...without } = adopting();

  test("K11 keeps its key if existingId is removed, or added with the id of that key", () => {
    const { keys } = adoptions();
    expect(keys.diff("key_1", state, keys.checked(without))).toMatchObject({ changes: false, replaces: [] });
    const plain = { ...without, enabled: true, key: "sk_1" };
    expect(keys.diff("key_1", plain, keys.checked(adopting()))).toMatchObject({
      changes: false,
      replaces: [],
    });
  });

  test.each(["key_2", unknownSentinels[0]])(
    "K11 R15 is replaced if existingId changes, also to an unknown value: %s",
    (existingId) => {
      const { keys } = adoptions();
      const found = keys.diff("key_1", state, keys.checked(adopting({ existingId })));
      expect(found).toMatchObject({ changes: undefined, replaces: ["existingId"] });
    },
  );

  test.each(Object.entries(changes))(
    "K11 R15 is not replaced by an unknown %s, which no value of it could: the check decides once it is known",
    (name) => {
      const { keys } = adoptions();
      const unknown = { [name]: unknownSentinels[0] };
      const found = keys.diff("key_1", state, keys.checked(adopting(unknown)));
      expect(found).toMatchObject({ changes: undefined, replaces: [] });
      const migrated = { ...without, enabled: true, existingKey: "sk_1", key: "sk_1" };
      const next = keys.checked({ ...without, existingKey: "sk_1", ...unknown });
      expect(keys.diff("key_1", migrated, next).replaces).toEqual([]);
      const own = { ...without, enabled: true, key: "sk_1" };
      expect(keys.diff("key_1", own, keys.checked({ ...without, ...unknown })).replaces).toEqual([name]);
    },
  );

  test("K11 R15 neither is a set that adopts a key by an unknown workspaceId, nor that key by an unknown keepers", () => {
    const { sets } = adoptions();
    const before = sets.checked(adoptingSet({ a: "key_1" }, { b: {} }));
    const held = { ...before, ids: { a: "key_1", b: "key_2" }, maskedKeys: {}, secrets: { b: "sk_b" } };
    const [unknown] = unknownSentinels;
    const moved = sets.checked({ ...before, workspaceId: unknown });
    expect(sets.diff("keys-1", held, moved)).toMatchObject({ changes: undefined, replaces: [] });
    const entry = { existingId: "key_1", keepers: unknown };
    const next = sets.checked(adoptingSet({}, { a: entry, b: {} }));
    expect(sets.diff("keys-1", held, next).replaces).toEqual([]);
    expect(sets.progress.filter((line) => line.includes("to replace")).join()).not.toContain(`"a"`);
    const own = { ...adoptingSet({}, { b: {} }), workspaceId: "ws_1" };
    const plain = { ...sets.checked(own), ids: { b: "key_2" }, maskedKeys: {}, secrets: { b: "sk_b" } };
    const other = sets.checked({ ...own, workspaceId: unknown });
    expect(sets.diff("keys-1", plain, other).replaces).toEqual(["workspaceId"]);
  });

  test("K11 adopts the other key and then deletes the old one if existingId changes", async () => {
    const { keys, service, methods, process } = oneKey();
    service.add({ id: "key_2" });
    const inputs = adopting({ existingId: "key_2" });
    const before = process().keys.checked(adopting());
    keys.diff("key_1", state, keys.checked(inputs, before));
    const { id } = await keys.create(keys.checked(inputs));
    await keys.delete("key_1", state);
    expect(id).toBe("key_2");
    expect([...service.live.keys()]).toEqual(["key_2"]);
    expect(methods()).toBe("GET DELETE");
  });

  test.each(["create", "delete"])(
    "K11 is replaced by a new key with its secret if existingId is removed and keepers change (%s first)",
    async (first) => {
      const { keys, service, asked, process } = oneKey();
      const before = process().keys.checked(adopting());
      const inputs = { ...without, keepers: { rotated: "1" } };
      expect(keys.diff("key_1", state, keys.checked(inputs, before)).replaces).toEqual(["keepers"]);
      const again = keys.checked(inputs);
      expect(keys.progress).toEqual([]);
      if (first === "delete") await keys.delete("key_1", state);
      const created = await keys.create(again);
      if (first === "create") await keys.delete("key_1", state);
      expect(created).toMatchObject({ id: "made_1", state: { key: "sk_made_1" } });
      expect(created.state).not.toHaveProperty("existingId");
      expect(asked.map(({ method }) => method).filter((method) => method !== "GET")).toHaveLength(2);
      expect([...service.live.keys()]).toEqual(["made_1"]);
      expect(keys.warnings).toEqual([]);
    },
  );

  const rejections = (names: readonly string[]) =>
    names.map(
      (name) =>
        `${name}: can't change while existingId stays the same or is added, because only a new key can have another value; leave existingId out, and the update replaces the key with a new one; or, to adopt another key, declare that under a new name.`,
    );

  test("K11 fails the preview if a field that replaces changes while existingId stays, and names the ways out", () => {
    const { keys } = oneKey();
    const failures = (more: object, before: object = {}) =>
      keys.check(adopting({ ...more }), adopting({ ...before })).failures;
    for (const [name, value] of Object.entries(changes)) {
      expect(failures({ [name]: value })).toEqual(rejections([name]));
      expect(failures({ [name]: value }, { [name]: value })).toEqual([]);
      expect(failures({ [name]: unknownSentinels[0] })).toEqual([]);
    }
    expect(new Set(failures(changes))).toEqual(new Set(rejections(Object.keys(changes))));
    expect(failures({}, { keepers: { rotated: "1" } })).toEqual(rejections(["keepers"]));
    expect(failures({ name: "another", scopes: [], enabled: false })).toEqual([]);
    for (const existingId of ["key_2", unknownSentinels[0]]) {
      expect(failures({ ...changes, existingId })).toEqual([]);
    }
  });

  test("K11 fails the preview if existingId is added together with a change that replaces, so no secret is lost", () => {
    const { keys } = oneKey();
    const failures = (more: object, before: object = {}) =>
      keys.check(adopting({ ...more }), { ...without, ...before }).failures;
    expect(failures({ name: "another", enabled: false })).toEqual([]);
    for (const [name, value] of Object.entries(changes)) {
      expect(failures({ [name]: value })).toEqual(rejections([name]));
    }
    const fixed = { prefix: "p", expiresAt: 60, externalMeterId: "m", metadata: { a: 1 } };
    for (const [name, value] of Object.entries(fixed)) {
      expect(failures({}, { [name]: value })).toEqual(rejections([name]));
    }
    expect(failures({}, { prefix: "", metadata: {}, existingKey: "sk_1", existingId: null })).toEqual([]);
  });

  test("K11 keeps a key that is imported again when its former resource is deleted", async () => {
    const { keys, service } = oneKey();
    const found = await keys.find({ id: "ws_1/key_1", given: {}, isGet: false });
    keys.diff("key_1", found?.state ?? {}, keys.checked(without), "ci");
    await keys.delete("key_1", without, "ci");
    expect([...service.live.keys()]).toEqual(["key_1"]);
    expect(keys.warnings).toEqual([expect.stringContaining("stays in the service")]);
  });

  test("K11 keeps the key when its former resource is deleted, with a warning that state loses the secret", async () => {
    const { keys, service } = oneKey();
    await keys.create(keys.checked(adopting()));
    await keys.delete("key_1", { ...state, key: "sk_own" });
    expect([...service.live.keys()]).toEqual(["key_1"]);
    expect(keys.warnings).toEqual([
      expect.stringMatching(
        /has or adopts the same key\. If that resource has adopted it by existingId, state no longer has/,
      ),
    ]);
    expect(keys.warnings.join()).not.toContain("sk_own");
  });

  test.each(["before", "after"])(
    "K11 keeps the key if only the engine replaces the resource, with the delete %s the create",
    async (order) => {
      const { keys, service } = oneKey();
      const inputs = keys.checked(adopting());
      if (order === "before") await keys.delete("key_1", state);
      const { id } = await keys.create(inputs);
      if (order === "after") await keys.delete("key_1", state);
      expect(id).toBe("key_1");
      expect([...service.live.keys()]).toEqual(["key_1"]);
      expect(keys.warnings).toEqual([
        'Key "ci" in workspace ws_1 (key_1) stays in the service, because the resource ci has or adopts the same key.',
      ]);
    },
  );

  test("K11 keeps the key, and its secret in state, until the adoption by another resource succeeds", async () => {
    const { keys, service, failureOf } = oneKey();
    const renamed = adopting({ name: "renamed", customerId: "cus_2" });
    await failureOf(keys.create(keys.checked(renamed, undefined, "renamed")));
    const { headline } = await failureOf(keys.delete("key_1", { ...state, key: "sk_own" }));
    expect(headline).toBe(
      'Key "ci" in workspace ws_1 (key_1) is not deleted, because the resource renamed declares its id as existingId and has not adopted it. It stays in state: run `pulumi up` again when the adoption succeeds, or remove that existingId.',
    );
    expect([...service.live.keys()]).toEqual(["key_1"]);
  });

  test("K11 deletes the key on destroy", async () => {
    const { keys, service, process } = oneKey();
    const inputs = keys.checked(adopting());
    const first = await keys.create(inputs);
    const { keys: next } = process();
    await next.delete(first.id, first.state);
    expect(service.live.size).toBe(0);
  });

  const refusal = (name: string, other: string) =>
    `ApiKey ${name}: it has key key_1, which the resource ${other} has or adopts too`;

  test.each(["its owner", "the other one"])(
    "K11 R17 fails the preview if another resource adopts the key, also if the engine comes to %s first",
    (first) => {
      const { keys } = oneKey();
      const adopt = () => keys.check(adopting(), undefined, "other").failures;
      const compare = () => keys.diff("key_1", without, keys.checked(without, without, "owner"), "owner");
      if (first === "its owner") {
        compare();
        expect(adopt()).toEqual([expect.stringMatching(/^existingId: the resource owner has or adopts/)]);
      } else {
        expect(adopt()).toEqual([]);
        expect(compare).toThrow(refusal("owner", "other"));
      }
    },
  );

  test("K11 R17 fails the preview if two resources have the key in state, and keeps it if one of them is removed", async () => {
    const { keys, process, service } = oneKey();
    const compare = (of: typeof keys, name: string) =>
      of.diff("key_1", without, of.checked(without, without, name), name);
    compare(keys, "one");
    expect(() => compare(keys, "two")).toThrow(refusal("two", "one"));
    const { keys: next } = process();
    compare(next, "one");
    await next.delete("key_1", without);
    expect(service.live.size).toBe(1);
    expect(next.warnings.join()).toContain(
      "stays in the service, because the resource one has or adopts the same key",
    );
  });

  test("K11 a key that a replacement leaves behind is deleted, although its resource had it", async () => {
    const { keys, service } = oneKey();
    const compare = (before?: object) =>
      keys.checked({ ...without, keepers: { a: "1" } }, before as typeof without, "one");
    expect(keys.diff("key_1", without, compare(without), "one").replaces).toEqual(["keepers"]);
    await keys.create(compare());
    await keys.delete("key_1", without);
    expect([...service.live.keys()]).toEqual(["made_1"]);
  });
});

describe("the preview of an ApiKey with existingId", () => {
  test("K11 names a key to adopt once, and not again after it was adopted", () => {
    const { keys } = adoptions();
    const inputs = keys.checked(adopting());
    expect(keys.progress).toEqual([
      'Key "ci" in workspace ws_1: 1 existing key to adopt, without its secret: key_1; nothing to create.',
    ]);
    keys.checked(adopting(), inputs);
    keys.checked({ ...least, existingId: unknownSentinels[0] });
    expect(keys.progress).toHaveLength(1);
  });

  test("K11 R18 promises no secret, neither for the adoption nor for a later update", () => {
    const { keys } = adoptions();
    const inputs = keys.checked(adopting());
    expect(keys.preview(inputs)).not.toHaveProperty("key");
    expect(unknownSentinels).toContain(keys.preview(inputs)["maskedKey"]);
    const state = { ...adopting(), enabled: true, maskedKey: "…" };
    const changed = keys.checked(adopting({ enabled: false }), inputs);
    const next = keys.preview(changed, { id: "key_1", state });
    expect(next).not.toHaveProperty("key");
    expect(next).toMatchObject({ maskedKey: "…", enabled: false });
    const held = { ...state, key: "sk_1" };
    expect(keys.preview(changed, { id: "key_1", state: held })).toMatchObject({ key: "sk_1" });
  });
});
