import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoredKey } from "../../standin";
import { someOf } from "../all";
import { itInAll } from "../inAll";
import { expectQuiet, expectSilentUp, stepsFor } from "./expectations";
import { programWithSet, type SetText } from "./programs";
import { hurried, type Scene, setScene } from "./scene";
import { becomes, expectWhole, foundBy, sent, shownOf } from "./setExpectations";

const reading = (representation: string) => `[{ representation: "${representation}", read: true }]`;

/** What the program declares now. */
let text: SetText = {
  defaults: `{ customerId: "customer-1", scopes: ${reading("orders")} }`,
  keys: {
    plain: "{}",
    "named by hand": `{ name: "first name" }`,
    scoped: `{ scopes: [{ representation: "carts", read: true, update: true }] }`,
    switched: "{}",
    prefixed: `{ prefix: "old" }`,
    owned: `{ customerId: "customer-2" }`,
    rotated: `{ keepers: { month: "may" } }`,
    full: `{ expiresAt: 1924991999, externalMeterId: "meter", metadata: { team: "red" } }`,
  },
};
const withKeys = (keys: SetText["keys"]): SetText => {
  text = { ...text, keys: { ...text.keys, ...keys } };
  return text;
};
const without = (...gone: readonly string[]): SetText => {
  const keys = Object.fromEntries(Object.entries(text.keys).filter(([alias]) => !gone.includes(alias)));
  text = { ...text, keys };
  return text;
};

describe("a set of keys on the engine", () => {
  let scene: Scene;
  /** The keys by alias, when a test last compared them. */
  let keys: ReadonlyMap<string, StoredKey> = new Map();
  const idOf = (alias: string) => keys.get(alias)?.id ?? `no id of ${alias}`;
  /** Runs `act`, which returns the new keys. Returns the aliases that then have another key, or none. */
  const changedBy = async (act: () => Promise<ReadonlyMap<string, StoredKey>>) => {
    const before = keys;
    keys = await act();
    return [...before].flatMap(([alias, { id }]) => (keys.get(alias)?.id === id ? [] : [alias])).toSorted();
  };
  /** As `becomes`, with the aliases that then have another key, or none. */
  const change = async (next: SetText, shown: Readonly<Record<string, string>>) => {
    const result = await becomes(scene, next, shown);
    return { ...result, changed: await changedBy(async () => result.keys) };
  };

  beforeAll(async () => {
    scene = await setScene("set", {
      env: hurried,
      program: programWithSet(text),
      variant: { delete: "marks" },
    });
  });
  afterAll(() => scene?.close());

  /** The program uses the secret of one key. */
  const using = (alias: string, of = text) =>
    scene.declare(programWithSet({ ...of, after: `export const used = set.key("${alias}");` }));
  const expectNoKey = async (alias: string) => {
    scene.service.clearRequests();
    const preview = await scene.stack.preview();
    expect(preview.ok, preview.output).toBe(false);
    expect(preview.output).toContain(`ApiKeySet "set" has no key "${alias}".`);
    expect(preview.output).not.toMatch(/^\s+at /m);
    expect(sent(scene)).toEqual({});
  };

  itInAll(
    "fails the first preview for key(alias) of an undeclared alias, before any key is created",
    async () => {
      await using("nobody");
      await expectNoKey("nobody");
      await scene.declare(programWithSet(text));
    },
  );

  it("R12 is previewed without a request, then created: a POST for each key, and one list", async () => {
    const preview = await scene.stack.preview();
    expect(preview.ok, preview.output).toBe(true);
    expect(sent(scene)).toEqual({});
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(sent(scene)).toEqual({ listApiKeys: 1, createApiKey: 8 });
    keys = await expectWhole(scene);
    expect(keys.get("plain")).toMatchObject({ name: "plain", customerId: "customer-1", enabled: true });
    expect(keys.get("plain")?.scopes).toMatchObject([{ representation: "orders", read: true, del: false }]);
    expect(keys.get("named by hand")).toMatchObject({ name: "first name" });
    expect(keys.get("scoped")?.scopes).toMatchObject([{ representation: "carts", read: true, update: true }]);
    expect(keys.get("prefixed")).toMatchObject({ prefix: "old" });
    expect(keys.get("owned")).toMatchObject({ customerId: "customer-2" });
    expect(keys.get("full")).toMatchObject({
      expiresAt: 1924991999,
      externalMeterId: "meter",
      metadata: { team: "red" },
    });
    await expectQuiet(scene);
  });

  it("R13 an update with nothing to change sends no request", () => expectSilentUp(scene));

  itInAll("key(alias) is one secret, and fails the preview before its entry is removed", async () => {
    await using("plain");
    await expectSilentUp(scene);
    const { used, ids } = await scene.stack.outputs();
    expect([used, ids?.secret]).toEqual([{ value: keys.get("plain")?.key, secret: true }, false]);
    const { plain: _, ...others } = text.keys;
    await using("plain", { ...text, keys: others });
    await expectNoKey("plain");
    await scene.declare(programWithSet(text));
    await expectSilentUp(scene);
  });

  const changes = [
    {
      field: "name",
      alias: "named by hand",
      entry: `{ name: "second name" }`,
      reads: 1,
      shown: { 'keys["named by hand"].name': "update" },
      said: ["~ named by hand: {", '    ~ name: "first name" => "second name"', "  }"],
      holds: { name: "second name" },
    },
    {
      field: "enabled",
      alias: "switched",
      entry: "{ enabled: false }",
      reads: 2,
      shown: { "keys.switched.enabled": "add" },
      said: ["~ switched: {", "    + enabled: false", "  }"],
      holds: { enabled: false },
    },
    {
      field: "scopes",
      alias: "scoped",
      entry: `{ scopes: [{ representation: "carts", read: true }] }`,
      reads: 2,
      shown: { "keys.scoped.scopes[0].update": "delete" },
      said: [
        "~ scoped: {",
        "    ~ scopes: [",
        "        ~ [0]: {",
        "                - update: true",
        "              }",
        "      ]",
        "  }",
      ],
      holds: { scopes: [{ representation: "carts", read: true, update: false }] },
    },
  ];
  it.each(someOf(changes, ({ field }) => field === "scopes"))(
    "K1 a changed $field of one entry is the only change in the preview, and takes one PATCH, with a GET before it and, if rights are lost, after it",
    async (given) => {
      const { said, requests, changed } = await change(withKeys({ [given.alias]: given.entry }), given.shown);
      const lines = ["  ~ keys: {", ...given.said.map((line) => `      ${line}`), "    }", "Resources:"];
      expect(said).toContain(lines.map((line) => (line === "Resources:" ? line : `    ${line}`)).join("\n"));
      expect(requests).toEqual({ readApiKey: given.reads, editApiKey: 1 });
      expect(keys.get(given.alias)).toMatchObject(given.holds);
      expect(changed).toEqual([]);
    },
  );

  it("K1 a change of the defaults edits each entry that has no value of its own", async () => {
    text = { ...text, defaults: `{ customerId: "customer-1", scopes: ${reading("refunds")} }` };
    const { requests, changed } = await change(text, { "defaults.scopes[0].representation": "update" });
    // Each key loses a scope, so a read confirms it.
    expect(requests).toEqual({ readApiKey: 1 + 7, listApiKeys: 1, editApiKey: 7 });
    expect(keys.get("plain")?.scopes).toMatchObject([{ representation: "refunds", read: true }]);
    expect(keys.get("scoped")?.scopes).toMatchObject([{ representation: "carts", read: true }]);
    expect(changed).toEqual([]);
  });

  itInAll(
    "R2 a value that moves between entries and defaults, or is written differently, is no change",
    async () => {
      const reversed = Object.entries(text.keys).toReversed();
      text = { ...text, keys: Object.fromEntries(reversed) };
      await scene.declare(programWithSet({ ...text, keys: { ...text.keys, plain: `{ name: "plain" }` } }));
      await expectSilentUp(scene);
      const elsewhere = `{ customerId: "customer-1", scopes: [{ representation: "carts", read: true }] }`;
      const own = Object.entries(text.keys).map(([alias, entry]) => [
        alias,
        alias === "scoped" ? "{}" : entry.replace("{", `{ scopes: ${reading("refunds")}, `),
      ]);
      await scene.declare(programWithSet({ ...text, defaults: elsewhere, keys: Object.fromEntries(own) }));
      await expectSilentUp(scene);
      await scene.declare(programWithSet(text));
      await expectSilentUp(scene);
      await expectQuiet(scene);
    },
  );

  itInAll(
    "R5 drift in one entry is shown as old → now and now → declared, and `up --refresh` reverts it",
    async () => {
      scene.service.editKey(idOf("plain"), { enabled: false, name: "renamed elsewhere" });
      const preview = await scene.stack.previewRefresh();
      scene.service.clearRequests();
      const up = await scene.stack.up({ refresh: true });
      for (const outcome of [preview, up]) {
        expect(outcome.ok, outcome.output).toBe(true);
        expect(foundBy(outcome)).toEqual({ "keys.plain.enabled": "add", "keys.plain.name": "add" });
        expect(shownOf(outcome)).toEqual({ "keys.plain.enabled": "delete", "keys.plain.name": "delete" });
      }
      // The drifted key is also read by itself, because the list only confirms.
      expect(sent(scene)).toEqual({ listApiKeys: 1, readApiKey: 3, editApiKey: 1 });
      expect(await changedBy(() => expectWhole(scene))).toEqual([]);
      expect(keys.get("plain")).toMatchObject({ enabled: true, name: "plain" });
      await expectQuiet(scene);
    },
  );

  it("K2 R10 keys are replaced within the update, which creates the new keys before it deletes the old ones", async () => {
    const before = keys;
    const replaced = {
      prefixed: `{ prefix: "new" }`,
      owned: "{}",
      rotated: `{ keepers: { month: "june" } }`,
    };
    const { requests, wire, changed, said } = await change(withKeys(replaced), {
      "keys.prefixed.prefix": "update",
      "keys.owned.customerId": "delete",
      "keys.rotated.keepers.month": "update",
    });
    const notes = said.split("\n").filter((line) => line.startsWith("ApiKeySet"));
    expect(notes).toEqual([
      'ApiKeySet "set": Keys of workspace ws_main: 3 to replace, with a new secret: "owned", "prefixed", "rotated".',
    ]);
    expect(requests).toEqual({ listApiKeys: 1, createApiKey: 3, deleteApiKey: 3 });
    expect(wire.slice(-3)).toEqual(["DELETE", "DELETE", "DELETE"]);
    expect(changed).toEqual(["owned", "prefixed", "rotated"]);
    for (const alias of changed) {
      expect(scene.service.key(before.get(alias)?.id ?? "")).toMatchObject({ deleted: true });
    }
  });

  it("a removed entry's key is deleted, a new entry's key created, and the other keys stay", async () => {
    without("full");
    const { requests, changed, said } = await change(withKeys({ late: `{ name: "late one" }` }), {
      "keys.full": "delete",
      "keys.late": "add",
    });
    expect(said).toContain('Keys of workspace ws_main: 1 to delete: "full".\n');
    expect(requests).toEqual({ listApiKeys: 1, createApiKey: 1, deleteApiKey: 1 });
    expect(changed).toEqual(["full"]);
  });

  it("an entry with renamedFrom keeps the key of its former alias", async () => {
    const id = idOf("late");
    without("late");
    const moved = withKeys({ later: `{ name: "late one", renamedFrom: "late" }` });
    const { requests, said } = await change(moved, { "keys.late": "delete", "keys.later": "add" });
    expect(requests).toEqual({});
    expect(said).toContain('Keys of workspace ws_main: 1 to keep under a new alias: "later".\n');
    expect(keys.get("later")).toMatchObject({ id, name: "late one" });
    await scene.declare(programWithSet(withKeys({ later: `{ name: "late one" }` })));
    await expectSilentUp(scene);
  });

  itInAll("an entry under a new alias without renamedFrom gets a new key", async () => {
    const id = idOf("later");
    without("later");
    const anew = withKeys({ latest: `{ name: "late one" }` });
    const other = await change(anew, { "keys.later": "delete", "keys.latest": "add" });
    expect(other.requests).toEqual({ listApiKeys: 1, createApiKey: 1, deleteApiKey: 1 });
    expect(idOf("latest")).not.toBe(id);
  });

  itInAll(
    "a changed workspace replaces the set, and all new keys are created before the old ones are deleted",
    async () => {
      text = { ...text, workspaceId: "ws_second" };
      await scene.declare(programWithSet(text));
      const preview = await scene.stack.preview();
      expect(stepsFor(preview, "set").map(({ op }) => op)).toEqual([
        "create-replacement",
        "replace",
        "delete-replaced",
      ]);
      expect(stepsFor(preview, "set")[1]).toMatchObject({ replacedFor: ["workspaceId"] });
      scene.service.clearRequests();
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(true);
      const count = keys.size;
      expect(sent(scene)).toEqual({ listApiKeys: 1, createApiKey: count, deleteApiKey: count });
      const methods = scene.service.requests.map(({ method }) => method);
      expect(methods.lastIndexOf("POST")).toBeLessThan(methods.indexOf("DELETE"));
      expect(await changedBy(() => expectWhole(scene))).toHaveLength(count);
      await expectQuiet(scene);
    },
  );

  it("R7 destroy deletes every key, even if one was deleted outside Pulumi", async () => {
    const [first] = scene.service.keys({ deleted: false });
    scene.service.deleteKey(first?.id ?? "");
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys({ deleted: false })).toEqual([]);
    expect((await scene.stack.exportState()).resources ?? []).toEqual([]);
  });
});

describe("a set whose entries have null instead of a default, which the engine takes for nothing", () => {
  let scene: Scene;
  const keys = (beta: string) => ({ alpha: `{ customerId: "customer" }`, beta: `{ ${beta} }` });
  const rotated = (beta: string) => ({ keys: keys(beta), defaults: `{ keepers: { rotated: "today" } }` });
  const idOf = (name: string) => scene.service.keys({ deleted: false }).find((key) => key.name === name)?.id;

  beforeAll(async () => {
    scene = await setScene("nulls", { program: programWithSet({ keys: keys(`customerId: "customer"`) }) });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  it("K2 a replacement that failed is made by the next `up --refresh`", async () => {
    const before = idOf("beta");
    await scene.declare(programWithSet(rotated(`customerId: "customer"`)));
    const isBeta = ({ body }: { body: unknown }) => (body as { name?: unknown }).name === "beta";
    scene.service.inject({ endpoint: "createApiKey", when: isBeta, fault: { kind: "status", status: 422 } });
    const failed = await scene.stack.up({ refresh: true });
    expect(failed.ok).toBe(false);
    expect(idOf("beta")).toBe(before);
    scene.service.clearFaults();
    const up = await scene.stack.up({ refresh: true });
    expect(up.ok, up.output).toBe(true);
    expect(stepsFor(up, "set").map(({ op }) => op)).toContain("update");
    expect(idOf("beta")).not.toBe(before);
    await expectSilentUp(scene);
  });

  it("K2 is updated if an entry's null is all that changes", async () => {
    const before = idOf("beta");
    await scene.declare(programWithSet(rotated(`customerId: "customer", keepers: null`)));
    const up = await scene.stack.up();
    expect(stepsFor(up, "set").map(({ op }) => op)).toEqual(["update"]);
    expect(idOf("beta")).not.toBe(before);
    await expectSilentUp(scene);
  });
});
