import { describe, expect, it } from "vitest";
import { knobs, type PresetName, type Variant } from "../../../standin";
import { entry, heldKey, type Json, newKey, open, type Reply, send } from "./standInCaller";

type At = Awaited<ReturnType<typeof open>>;

const workspacePath = "/workspace/ws_main";
const listPath = `${workspacePath}/api-key`;
const scopePath = `${workspacePath}/scope`;
const scope = { name: " Orders ", representation: "orders", description: "" };
const names = (records: Json[]) => records.map(({ name }) => name);
const statusOf = ({ status }: Reply) => status;
const text = expect.any(String);

const tested = new Set<string>();

/** Tests what a request shows with each of these values of a knob. */
function shows<Knob extends keyof Variant>(
  knob: Knob,
  probe: (at: At) => Promise<unknown>,
  ...values: readonly (readonly [Variant[Knob], unknown])[]
): void {
  tested.add(knob);
  it.each(values)(`${knob}: %j`, async (value, expected) => {
    expect(await probe(await open({ [knob]: value }))).toEqual(expected);
  });
}

describe("the stand-in's variant, for writes,", () => {
  shows(
    "patchFields",
    async ({ standIn, create, patch, keyPath }) => {
      standIn.editWorkspace("ws_main", { defaultKeyPrefix: "p", defaultExpiration: 9 });
      const { id } = await create();
      const { workspace } = (await patch(workspacePath, { defaultExpiration: 8 })).body;
      const { name, enabled, scopes } = (await patch(keyPath(id), { name: "new" })).body.apiKey;
      return [workspace.defaultKeyPrefix, name, enabled, scopes.length];
    },
    ["merges", ["p", "new", true, 2]],
    ["replaces", [undefined, "new", false, 0]],
  );
  shows(
    "patchAnswer",
    async ({ create, patch, keyPath }) => {
      const { id } = await create({ name: "old" });
      const { status, body, text } = await patch(keyPath(id), { name: "new" });
      return [status, body?.apiKey?.name ?? text];
    },
    ["after", [200, "new"]],
    ["before", [200, "old"]],
    ["nothing", [204, ""]],
    ["emptyBody", [200, ""]],
    ["emptyObject", [200, "{}"]],
  );
  shows(
    "createStatus",
    async ({ post }) => [
      statusOf(await post("/api-key", newKey)),
      statusOf(await post("/api-key/migrate", heldKey)),
      statusOf(await post(scopePath, scope)),
      statusOf(await post("/customer-billing", { totalCredits: "1", workspaceId: "ws_main" })),
    ],
    [200, [200, 200, 200, 200]],
    [202, [202, 202, 202, 202]],
  );
  shows(
    "createAnswer",
    async ({ create, post }) => {
      const migrated = (await post("/api-key/migrate", heldKey)).body.apiKey;
      return [await create(), migrated].map(({ id, key, name }) => [typeof id, typeof key, name]);
    },
    ["withoutKey", Array(2).fill(["string", "undefined", "ci"])],
    ["brief", Array(2).fill(["string", "string", undefined])],
  );
  shows(
    "enabledOnCreate",
    async ({ create }) => (await create({ enabled: false })).enabled,
    ["used", false],
    ["ignored", true],
  );
  shows(
    "keyScopes",
    async ({ post, patch, create, keyPath }) => {
      const early = [await post("/api-key", newKey), await post("/api-key/migrate", heldKey)];
      await post(scopePath, scope);
      const { id } = await create({ scopes: [entry("orders", "read")] });
      return [...early, await patch(keyPath(id), { scopes: [entry("bills", "read")] })].map(statusOf);
    },
    ["mustBeDefined", [400, 400, 400]],
  );
  shows(
    "duplicateScope",
    async ({ standIn, post }) => {
      const first = (await post(scopePath, scope)).body.scope;
      const { status, body } = await post(scopePath, { ...scope, name: "other" });
      return [status, body.scope?.id === first.id, names(standIn.scopes("ws_main"))];
    },
    [409, [409, false, [" Orders "]]],
    ["returned", [200, true, [" Orders "]]],
    ["created", [201, false, [" Orders ", "other"]]],
  );
  shows(
    "duplicateKey",
    async ({ standIn, post }) => {
      const first = (await post("/api-key/migrate", heldKey)).body.apiKey;
      const again = () => post("/api-key/migrate", { ...heldKey, workspaceId: "ws_second" });
      const { status, body } = await again();
      for (const { id } of standIn.keys()) standIn.deleteKey(id);
      return [status, body.apiKey?.id === first.id, statusOf(await again())];
    },
    [409, [409, false, 201]],
    ["returned", [200, true, 201]],
    ["created", [201, false, 201]],
  );
  shows(
    "positiveNumber",
    async ({ patch }) => [
      statusOf(await patch(workspacePath, { defaultRateLimitPerSecond: 0 })),
      statusOf(await patch(workspacePath, { defaultExpiration: 0 })),
    ],
    ["defaultRateLimitPerSecond", [400, 200]],
    ["defaultExpiration", [200, 400]],
    ["both", [400, 400]],
    ["neither", [200, 200]],
  );

  tested.add("patchScopes");
  it.each<[Variant["patchScopes"], string[][], string[]]>([
    ["replaces", [["orders", "update"]], ["orders update"]],
    ["replaces", [], []],
    [
      "upserts",
      [
        ["orders", "update"],
        ["users", "read"],
      ],
      ["orders update", "bills read", "users read"],
    ],
    ["upserts", [["orders", ""]], ["orders", "bills read"]],
    ["merges", [["orders", "update"]], ["orders create read update", "bills read"]],
    ["merges", [["orders", "update", "withId"]], ["orders update", "bills read"]],
    ["merges", [["orders", "", "withId"]], ["orders", "bills read"]],
    [
      "neverNarrows",
      [
        ["orders", "", "withId"],
        ["bills", "del", "withId"],
      ],
      ["orders create read", "bills read del"],
    ],
  ])("patchScopes: %j, after a PATCH with %j: %j", async (patchScopes, given, expected) => {
    const { create, patch, keyPath } = await open({ patchScopes });
    const { id, scopes } = await create();
    const idOf = (name: string) => scopes.find((one: Json) => one.representation === name).id;
    const { body } = await patch(keyPath(id), {
      scopes: given.map(([name = "", flags = "", how]) => entry(name, flags, how && idOf(name))),
    });
    const held = body.apiKey.scopes.map((one: Json) => {
      const granted = ["create", "read", "update", "del"].filter((flag) => one[flag]);
      return [one.representation, ...granted].join(" ");
    });
    expect(held).toEqual(expected);
  });

  it("refuse a scope entry with an id that the key does not have", async () => {
    const { create, patch, keyPath } = await open();
    const { id } = await create();
    expect((await patch(keyPath(id), { scopes: [entry("orders", "read", "ks_none")] })).status).toBe(400);
  });

  it("refuse to migrate another tenant's value", async () => {
    const { standIn, post } = await open({ duplicateKey: "returned" });
    await post("/api-key/migrate", heldKey);
    standIn.addTenant({ accessToken: "other", workspaces: [{ id: "ws_other" }] });
    const foreign = { ...heldKey, workspaceId: "ws_other" };
    const asOther = { authorization: "Bearer other" };
    expect((await send(standIn, "POST", "/api-key/migrate", foreign, asOther)).status).toBe(409);
  });
});

describe("the stand-in's variant, for deletions,", () => {
  shows(
    "delete",
    async ({ standIn, create, del, get, keyPath }) => {
      const { id } = await create();
      const answered = (await del(keyPath(id))).body.apiKey.deleted;
      const read = await get(keyPath(id));
      const listed = (await get(listPath)).body.apiKeys.map(({ deleted }: Json) => deleted);
      const kept = standIn.keys({ deleted: true }).length;
      return [answered, read.body.apiKey?.deleted ?? read.status, listed, kept];
    },
    ["removes", [true, 404, [], 0]],
    ["marks", [true, true, [], 1]],
    ["marksAndLists", [true, true, [true], 1]],
    ["marksAndOnlyLists", [true, 404, [true], 1]],
  );
  shows(
    "deleteAnswer",
    async ({ create, del, keyPath }) => {
      const { status, body } = await del(keyPath((await create()).id));
      return [status, body?.apiKey.deleted];
    },
    ["before", [200, false]],
    ["nothing", [204, undefined]],
    ["emptyBody", [200, undefined]],
  );
  shows(
    "deleteAgain",
    async ({ standIn, create, del, keyPath }) => {
      const { id } = await create();
      await del(keyPath(id));
      const paths = [keyPath("key_never"), `/workspace/ws_second/api-key/${id}`, keyPath(id)];
      const statuses: number[] = [];
      for (const path of paths) statuses.push(statusOf(await del(path)));
      return [...statuses, standIn.requests.at(-1)?.carriedOut];
    },
    ...([410, 409, 400, 422, 200] as const).map((status) => [status, [404, 404, status, false]] as const),
  );
  shows(
    "readDeleted",
    async ({ create, del, get, patch, keyPath }) => {
      const { id } = await create();
      await del(keyPath(id));
      const answers = [await get(keyPath(id)), await patch(keyPath(id), {}), await get(keyPath("key_never"))];
      return answers.map(({ status, body }) => [status, body.apiKey]);
    },
    [
      410,
      [
        [410, undefined],
        [410, undefined],
        [404, undefined],
      ],
    ],
    [
      "null",
      [
        [200, null],
        [200, null],
        [404, undefined],
      ],
    ],
  );
  tested.add("editDeleted");
  it.each([
    ["marks", "gone", 404],
    ["marks", "edited", 200],
    ["removes", "edited", 404],
  ] as const)(
    "editDeleted: with delete %j and %j, a PATCH is answered with %d",
    async (how, editDeleted, status) => {
      const { create, del, patch, keyPath } = await open({ delete: how, editDeleted });
      const { id } = await create();
      await del(keyPath(id));
      expect((await patch(keyPath(id), { name: "x" })).status).toBe(status);
    },
  );
});

describe("the stand-in's variant, for errors and limits,", () => {
  const why = "there is no such workspace";
  const json = "application/json";
  const problem = { type: "about:blank", title: "Refused", status: 404, detail: why };
  shows(
    "errorBody",
    async ({ get }) => {
      const { text, headers } = await get("/workspace/ws_none");
      return [text, headers.get("content-type")];
    },
    ["message", [JSON.stringify({ message: why }), json]],
    ["error", [JSON.stringify({ error: why }), json]],
    ["nested", [JSON.stringify({ error: { code: "E404", message: why } }), json]],
    ["list", [JSON.stringify({ errors: [{ message: why }] }), json]],
    ["problem", [JSON.stringify(problem), "application/problem+json"]],
    ["text", [why, "text/plain"]],
    ["empty", ["", null]],
  );
  shows(
    "errorEchoes",
    async ({ standIn, post }) => {
      const { text } = await post("/api-key/migrate", { ...heldKey, enabled: 1 });
      return [text.includes(standIn.accessToken), text.includes(heldKey.key)];
    },
    ["nothing", [false, false]],
    ["request", [true, true]],
  );
  shows(
    "invalidStatus",
    async ({ post }) => [statusOf(await post("/api-key", {})), statusOf(await post("/api-key", "{"))],
    [422, [422, 400]],
  );
  shows(
    "otherTenant",
    async ({ standIn, get }) => {
      standIn.addTenant({ accessToken: "other", workspaces: [{ id: "ws_other" }] });
      const answers: unknown[] = [];
      for (const path of ["/ws_other", "/ws_none", "/ws_other/api-key", "/ws_other/scopes"]) {
        const { status, text } = await get(`/workspace${path}`);
        answers.push(status === 200 ? text : status);
      }
      return answers;
    },
    [404, [404, 404, 404, 404]],
    [403, [403, 404, 403, 403]],
    ["empty", [404, 404, '{"apiKeys":[]}', '{"scopes":[]}']],
  );
  const burst = async ({ get }: At) => Promise.all(Array.from({ length: 20 }, () => get("/workspace")));
  shows(
    "rateLimitPerSecond",
    async (at) => [...new Set((await burst(at)).map(statusOf))].sort(),
    [0, [200]],
    [2, [200, 429]],
  );
  tested.add("retryAfter");
  it.each([
    ["seconds", "1"],
    ["date", expect.stringMatching(/ GMT$/)],
    ["none", null],
  ] as const)("retryAfter: %j", async (retryAfter, expected) => {
    const replies = await burst(await open({ rateLimitPerSecond: 1, retryAfter }));
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toEqual(expected);
  });
  shows(
    "keyLists",
    async ({ get }) => [statusOf(await get(listPath)), statusOf(await get("/workspace/ws_none/api-key"))],
    ...([403, 404, 405, 501] as const).map((status) => [status, [status, status]] as const),
  );
});

describe("the stand-in's variant, for stored values,", () => {
  shows(
    "names",
    async ({ create, patch, post, keyPath }) => {
      const { id, name } = await create({ name: " My Key " });
      const edited = (await patch(keyPath(id), { name: " New Key" })).body.apiKey.name;
      return [name, edited, (await post(scopePath, scope)).body.scope.name];
    },
    ["trimmed", ["My Key", "New Key", "Orders"]],
    ["lowerCased", ["my key", "new key", "orders"]],
  );
  shows(
    "prefix",
    async ({ create, patch }) => {
      const [first, second] = [await create({ prefix: "ci" }), await create({ prefix: "ci_" })];
      const { workspace } = (await patch(workspacePath, { defaultKeyPrefix: "team" })).body;
      return [first.key, first.prefix, second.prefix, workspace.defaultKeyPrefix];
    },
    ["underscored", [expect.stringMatching(/^sk_ci_\w{32}$/), "ci_", "ci_", "team_"]],
  );
  shows(
    "decimals",
    async ({ post }) => {
      const asked = { totalCredits: "100", spendCap: "1.005", workspaceId: "ws_main" };
      const { totalCredits, spendCap, usedCredits } = (await post("/customer-billing", asked)).body.billing;
      return [totalCredits, spendCap, usedCredits];
    },
    ["twoPlaces", ["100.00", "1.005", "0.00"]],
  );
  shows(
    "addresses",
    async ({ patch }) => {
      const defaultAllowedIPs = ["10.0.0.1", "::1", "10.1.0.0/16", "anything"];
      return (await patch(workspacePath, { defaultAllowedIPs })).body.workspace.defaultAllowedIPs;
    },
    ["cidr", ["10.0.0.1/32", "::1/128", "10.1.0.0/16", "anything"]],
  );
  shows(
    "numbers",
    async ({ patch }) => {
      const numbers = { defaultRateLimitPerSecond: 3, defaultExpiration: 29 };
      const { workspace } = (await patch(workspacePath, numbers)).body;
      return [workspace.defaultRateLimitPerSecond, workspace.defaultExpiration];
    },
    ["rounded", [10, 20]],
  );
  shows(
    "expiresAt",
    async ({ create }) => [
      (await create({ expiresAt: 125 })).expiresAt,
      (await create({ expiresAt: 1 })).expiresAt,
      (await create()).expiresAt,
    ],
    ["rounded", [120, 60, undefined]],
    ["defaulted", [125, 1, 2_592_000]],
  );
  shows(
    "ids",
    async ({ create, get, patch, keyPath }) => {
      const { id, scopes } = await create();
      const read = (await get(keyPath(id))).body.apiKey;
      const given = [entry("orders", "read", String(scopes[0].id))];
      const edited = (await patch(keyPath(id), { scopes: given })).body.apiKey;
      return [id, read.id === id, edited.scopes[0].id === scopes[0].id];
    },
    ["numeric", [expect.any(Number), true, true]],
    ["odd", [expect.stringMatching(/^key .*\/ü%2F\?#/), true, true]],
  );
});

describe("the stand-in's variant, for records in answers,", () => {
  shows(
    "timestamps",
    async ({ standIn, create }) => {
      const { id, createdAt } = await create();
      const stored = standIn.key(id)?.createdAt ?? "";
      return createdAt === null ? null : Date.parse(stored) / new Date(createdAt).getTime();
    },
    ["iso", 1],
    ["epochMillis", 1],
    ["epochSeconds", expect.closeTo(1_000, 2)],
    ["null", null],
  );
  const optional = ({ prefix, expiresAt, lastUsedAt, billingId }: Json) => [
    prefix,
    expiresAt,
    lastUsedAt,
    billingId,
  ];
  shows(
    "absent",
    async ({ create, get }) => {
      const { defaultKeyPrefix, defaultAllowedIPs, defaultExpiration } = (await get(workspacePath)).body
        .workspace;
      return [...optional(await create()), defaultKeyPrefix, defaultAllowedIPs, defaultExpiration];
    },
    ["omitted", Array(7).fill(undefined)],
    ["null", Array(7).fill(null)],
    ["empty", ["", 0, "", "", "", [], 0]],
  );
  shows(
    "zeroValues",
    async ({ create, get, patch }) => {
      const bare = await create({ enabled: false, customerId: "", scopes: [] });
      const [shown] = (await create()).scopes;
      const { workspace } = (await patch(workspacePath, { defaultExpiration: 0 })).body;
      const lists = (await get(`${workspacePath}/scopes`)).body;
      const left = ["enabled", "customerId", "scopes", "deleted"].filter((field) => field in bare);
      return [left, Object.keys(shown).sort(), "defaultExpiration" in workspace, lists];
    },
    ["omitted", [[], ["create", "id", "read", "representation"], false, {}]],
  );
  shows(
    "emptyLists",
    async ({ create, get }) => [
      (await create({ scopes: [] })).scopes,
      (await get("/workspace/ws_second/api-key")).body,
      (await get(`${workspacePath}/scopes`)).body,
    ],
    ["null", [null, { apiKeys: null }, { scopes: null }]],
  );
  shows(
    "extraFields",
    async ({ post, get }) => {
      const { requestId, apiKey } = (await post("/api-key", newKey)).body;
      const [workspace] = (await get("/workspace")).body.workspaces;
      return [typeof requestId, ...[apiKey, apiKey.scopes[0], workspace].map((record) => "_links" in record)];
    },
    [true, ["string", true, true, true]],
  );
  shows(
    "scopeOrder",
    async ({ create, get, keyPath }) => {
      const given = ["c", "a", "b", "e", "d", "g", "f"];
      const { id } = await create({ scopes: given.map((name) => entry(name, "read")) });
      const orders = new Set<string>();
      for (let n = 0; n < 10; n += 1) {
        const { scopes } = (await get(keyPath(id))).body.apiKey;
        orders.add(scopes.map(({ representation }: Json) => representation).join(""));
      }
      return [orders.has("cabedgf") && orders.size === 1, [...orders][0]?.split("").sort().join("")];
    },
    ["asSent", [true, "abcdefg"]],
    ["shuffled", [false, "abcdefg"]],
  );
  shows(
    "scopeIds",
    async ({ create, get, patch, keyPath }) => {
      const idsOf = (key: Json): string[] => key.scopes.map((shown: Json) => shown.id);
      const key = await create();
      const read = idsOf((await get(keyPath(key.id))).body.apiKey);
      const scopes = key.scopes.map((shown: Json) => ({ ...shown, del: true }));
      const edited = idsOf((await patch(keyPath(key.id), { scopes })).body.apiKey);
      const isSame = (ids: string[]) => ids.join() === idsOf(key).join();
      return [read.includes(undefined as never), isSame(read), isSame(edited)];
    },
    ["stable", [false, true, true]],
    ["newEachWrite", [false, true, false]],
    ["newEachTime", [false, false, false]],
    ["none", [true, true, true]],
  );
  shows("scopeFlags", async ({ create }) => (await create()).scopes, [
    "onlyTrue",
    [
      { id: text, representation: "orders", read: true, create: true },
      { id: text, representation: "bills", read: true },
    ],
  ]);
  shows(
    "contentType",
    async ({ get }) => (await get("/workspace")).headers.get("content-type"),
    ["application/vnd.api+json", "application/vnd.api+json"],
    ["none", null],
  );
});

describe("the stand-in's variant, for lists,", () => {
  const list = async ({ get }: At) => (await get(listPath)).body.apiKeys;
  const createThree = async ({ create }: At) => {
    for (const name of ["a", "b", "c"]) await create({ name });
  };
  shows(
    "listLimit",
    async (at) => {
      await createThree(at);
      return names(await list(at));
    },
    [0, ["a", "b", "c"]],
    [2, ["a", "b"]],
  );
  shows(
    "listOrder",
    async (at) => {
      await createThree(at);
      return names(await list(at));
    },
    ["newestFirst", ["c", "b", "a"]],
  );
  tested.add("listLag");
  it("listLag: lists are late by as many requests, but show changes made outside Pulumi at once", async () => {
    const at = await open({ listLag: 2 });
    const { standIn, create, get, post } = at;
    const see = async () => names(await list(at)).join("");
    await create({ name: "a" });
    expect([await see(), await see(), await see()]).toEqual(["", "", "a"]);
    await create({ name: "b" });
    expect(await see()).toEqual("a");
    await create({ name: "c" });
    expect([await see(), await see(), await see()]).toEqual(["a", "a", "abc"]);
    await create({ name: "d" });
    standIn.addKey({ workspaceId: "ws_main", name: "e" });
    expect(await see()).toEqual("abcde");
    await post(scopePath, scope);
    expect((await get(`${workspacePath}/scopes`)).body.scopes).toEqual([]);
  });
  tested.add("listRecords");
  it("listRecords: brief ones lack scopes and enabled, stale ones are as before their last edit", async () => {
    const at = await open({ listRecords: "brief" });
    const { standIn, create, patch, get, del, keyPath } = at;
    const { id } = await create({ name: "old" });
    const [brief] = await list(at);
    expect([brief.name, "scopes" in brief, "enabled" in brief]).toEqual(["old", false, false]);
    standIn.setVariant({ listRecords: "stale" });
    await patch(keyPath(id), { name: "new" });
    await patch(workspacePath, { defaultKeyPrefix: "p" });
    expect(names(await list(at))).toEqual(["old"]);
    expect((await get("/workspace")).body.workspaces[0]).not.toHaveProperty("defaultKeyPrefix");
    expect((await get(keyPath(id))).body.apiKey.name).toBe("new");
    standIn.editKey(id, { enabled: false });
    expect(await list(at)).toMatchObject([{ name: "new", enabled: false }]);
    standIn.setVariant({ listRecords: "stale", delete: "marksAndLists" });
    await patch(keyPath(id), { name: "newer" });
    await del(keyPath(id));
    expect(await list(at)).toMatchObject([{ name: "new", deleted: true }]);
  });
});

describe("writes that the stand-in applies after its answer", () => {
  /** Longer than a few requests take, so a write that is delayed by this is applied only if the test waits for it. */
  const laterMs = 300;

  tested.add("writes").add("laterMs");
  it.each([
    ["queued", 202],
    ["behind", 200],
  ] as const)("writes: %j", async (writes, status) => {
    const { standIn, create, get, patch, del, keyPath } = await open({ writes, laterMs });
    const { id } = await create({ name: "old" });
    const patched = await patch(keyPath(id), { name: "new" });
    expect([patched.status, patched.body.apiKey.name]).toEqual([status, "old"]);
    expect((await get(keyPath(id))).body).toEqual(patched.body);
    const edited = await patch(workspacePath, { defaultKeyPrefix: "p" });
    expect([edited.status, edited.text]).toEqual([status, (await get(workspacePath)).text]);
    await standIn.settled();
    expect((await get(keyPath(id))).body.apiKey.name).toBe("new");
    expect((await get(workspacePath)).body.workspace.defaultKeyPrefix).toBe("p");
    const deleted = await del(keyPath(id));
    expect([deleted.status, deleted.body.apiKey.deleted]).toEqual([status, false]);
    expect(standIn.requests.at(-1)?.carriedOut).toBe(true);
    expect((await get(keyPath(id))).status).toBe(200);
    await standIn.settled();
    expect((await get(keyPath(id))).status).toBe(404);
  });

  tested.add("newKeys");
  it("newKeys: a new key can't be found at first", async () => {
    const { standIn, create, get, patch, del, keyPath } = await open({ newKeys: "later", laterMs });
    const { id } = await create();
    const path = keyPath(id);
    const early = [await get(path), await patch(path, { name: "x" }), await del(path)];
    expect(early.map(statusOf)).toEqual([404, 404, 404]);
    expect((await get(listPath)).body.apiKeys).toEqual([]);
    await standIn.settled();
    expect((await get(listPath)).body.apiKeys).toMatchObject([{ id, name: "ci" }]);
    const theirs = await create();
    standIn.editKey(theirs.id, { name: "edited elsewhere" });
    expect((await get(keyPath(theirs.id))).body.apiKey.name).toBe("edited elsewhere");
  });

  it("are applied in the order of their requests, each to the result of the one before", async () => {
    const { standIn, create, patch, del, keyPath } = await open({ writes: "queued", laterMs });
    const { id } = await create({ name: "old", enabled: true });
    await patch(keyPath(id), { name: "first", enabled: false });
    standIn.setVariant({ writes: "queued", laterMs: 1 });
    await patch(keyPath(id), { name: "second" });
    await standIn.settled();
    expect(standIn.key(id)).toMatchObject({ name: "second", enabled: false });
    standIn.setVariant({ writes: "queued", laterMs });
    const deletions = [
      await del(keyPath(id)),
      await del(keyPath(id)),
      await patch(keyPath(id), { name: "late" }),
    ];
    expect(deletions.map(statusOf)).toEqual([202, 202, 202]);
    await standIn.settled();
    expect(standIn.keys()).toEqual([]);
  });

  it("are refused at once if they are invalid", async () => {
    const { patch, del, create, keyPath } = await open({ writes: "queued", laterMs });
    const { id } = await create();
    expect((await patch(keyPath(id), { name: 1 })).status).toBe(400);
    expect((await del(keyPath("key_never"))).status).toBe(404);
  });
});

describe("the stand-in's variant", () => {
  it("has a test for each knob", () => {
    expect([...tested].sort()).toEqual(Object.keys(knobs).sort());
  });

  it("is set relative to the default each time", async () => {
    const { standIn, create } = await open({ createStatus: 200, names: "trimmed" });
    standIn.setVariant({ createStatus: 202 });
    expect((await create({ name: " a" })).name).toBe(" a");
  });

  it("fails for an unknown preset, with a list of presets", async () => {
    const { standIn } = await open();
    expect(() => standIn.setVariant("softdelete" as PresetName)).toThrow(/"softdelete".*softDelete/);
  });
});
