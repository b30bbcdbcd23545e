import { expect, test } from "vitest";
import { defaultTenants, type Variant, type VariantName, variantOptions } from "../../../standin";
import { entry, type Json, migratedKey, newKey, open, type Reply, send } from "./standInCaller";

type At = Awaited<ReturnType<typeof open>>;

const tenants = [...defaultTenants, { accessToken: "other", workspaces: [{ id: "ws_other" }] }];
const workspacePath = "/workspace/ws_main";
const listPath = `${workspacePath}/api-key`;
const scopePath = `${workspacePath}/scope`;
const scope = { name: " Orders ", representation: "orders", description: "" };
const list = async ({ get }: At) => (await get(listPath)).body.apiKeys.map(({ name }: Json) => name);
const statusOf = ({ status }: Reply) => status;

/** A variant's answers to a fixed list of requests, with generated values numbered in order of appearance. */
async function answersOf(variant: Partial<Variant>): Promise<string> {
  const { standIn, get, post, patch, del, keyPath } = await open(
    { laterMs: 60_000, ...variant },
    { tenants },
  );
  const answers: Reply[] = [];
  const note = async (reply: Promise<Reply>): Promise<Json> => {
    answers.push(await reply);
    return answers.at(-1)?.body ?? {};
  };
  const old = standIn.addKey({ workspaceId: "ws_main", name: "old", id: "key_old" });
  for (const _ of [1, 2])
    await note(post("/api-key/migrate", { ...migratedKey, name: " Held ", enabled: false }));
  const settings = { defaultAllowedIPs: ["::1"], defaultRateLimitPerSecond: 3, defaultKeyPrefix: "p" };
  await note(patch(workspacePath, settings));
  const scopes = ["c", "a", "b", "e", "d", "g", "f"].map((name) => entry(name, "read"));
  const { apiKey: key = old } = await note(post("/api-key", { ...newKey, scopes, expiresAt: 125 }));
  const path = keyPath(key.id ?? old.id);
  await note(get(path));
  await note(patch(path, { name: "new", scopes: [entry("a", "del"), ...scopes.slice(2)] }));
  await note(patch(path, { name: "newer" }));
  for (const _ of [1, 2]) await note(post(scopePath, scope));
  const credits = { totalCredits: "100", workspaceId: "ws_main" };
  await note(post("/customer-billing", credits));
  for (const of of ["/ws_main", "/ws_main/scopes", "/ws_main/api-key", "/ws_other", "/ws_other/api-key", ""])
    await note(get(`/workspace${of}`));
  for (const _ of [1, 2]) await note(del(path));
  for (const one of [path, listPath]) await note(get(one));
  await note(patch(path, {}));
  for (const body of [{ name: 1 }, newKey]) await note(post("/api-key", body));
  const generated: string[] = [];
  return answers
    .map(({ status, headers, text }) => [
      status,
      headers.get("content-type"),
      headers.get("retry-after"),
      text,
    ])
    .join("\n")
    .replace(/\b(key|ks|sc|bill|sk)_\w+|\d{4}-[\d-]+T[\d:.]+Z|\w{3}, \d[\w :]+GMT|…\w{4}/g, (one) => {
      if (/^[\dA-Z]/.test(one)) return "<time>";
      if (!generated.includes(one)) generated.push(one);
      return `<${generated.indexOf(one)}>`;
    });
}

const values = {
  ...variantOptions,
  laterMs: [0],
  rateLimitPerSecond: [0, 2],
  listLimit: [0, 1],
  listLag: [0, 2],
};

/** The answers of the default variant. */
let usual: string | undefined;

test("the default variant of the stand-in answers alike each time", async () => {
  const [first, second] = [await answersOf({}), await answersOf({})];
  expect(first === second).toBe(true);
});

test.each(
  Object.entries(values)
    .filter(([option]) => option !== "listPages")
    .flatMap(([option, [_, ...others]]) => others.map((value) => ({ [option]: value }))),
)("each value of each option shows in the answers of the stand-in: %j", async (variant) => {
  usual ??= await answersOf({});
  expect((await answersOf(variant)) === usual).toBe(false);
});

test.each<[Variant["listPages"], beside: object, link: string | null]>([
  ["none", {}, null],
  ["link", {}, `</api/v1${listPath}?page=2>; rel="next"`],
  ["next", { next: `/api/v1${listPath}?page=2` }, null],
  ["total", { total: 3 }, null],
  ["hasMore", { hasMore: true }, null],
])("the stand-in shows that it cuts a list with the sign %s", async (listPages, beside, link) => {
  const { standIn, get } = await open({ listPages, listLimit: 2 });
  for (const name of ["a", "b", "c"]) standIn.addKey({ workspaceId: "ws_main", name });
  const { body, headers } = await get(listPath);
  const { apiKeys, ...others } = body;
  expect([apiKeys.length, others, headers.get("link")]).toEqual([2, beside, link]);
  const { body: last, headers: end } = await get(`${listPath}?page=2`);
  const names = last.apiKeys.map(({ name }: Json) => name);
  expect(names).toEqual(listPages === "link" || listPages === "next" ? ["c"] : ["a", "b"]);
  if (listPages === "next") expect(last.next).toBeNull();
  expect(end.get("link")).toBeNull();
});

test("the stand-in refuses to migrate another tenant's value", async () => {
  const { standIn, post } = await open({ duplicateKey: "returned" }, { tenants });
  await post("/api-key/migrate", migratedKey);
  const foreign = { ...migratedKey, workspaceId: "ws_other" };
  const other = { authorization: "Bearer other" };
  expect((await send(standIn, "POST", "/api-key/migrate", foreign, other)).status).toBe(409);
});

/** "#" stands for the id of the entry. */
test.each<[Variant["patchScopes"], string, string]>([
  ["replaces", "orders update", "orders update"],
  ["upserts", "orders update, users read", "orders update, bills read, users read"],
  ["upserts", "orders", "orders, bills read"],
  ["merges", "orders update", "orders create read update, bills read"],
  ["merges", "orders # update", "orders update, bills read"],
  ["neverNarrows", "orders #, bills # del", "orders create read, bills read del"],
])(
  "the stand-in %s the scopes of a key: a PATCH with %j makes them %j",
  async (patchScopes, given, expected) => {
    const { create, patch, keyPath } = await open({ patchScopes });
    const { id, scopes } = await create();
    const sent = given.split(", ").map((words) => {
      const [name = "", ...flags] = words.split(" ");
      const { id: own } = scopes.find((one: Json) => one.representation === name) ?? {};
      return entry(name, flags.join(" "), flags[0] === "#" ? own : undefined);
    });
    const held = (await patch(keyPath(id), { scopes: sent })).body.apiKey.scopes.map((one: Json) => {
      const granted = ["create", "read", "update", "del"].filter((flag) => one[flag]);
      return [one.representation, ...granted].join(" ");
    });
    expect(held.join(", ")).toBe(expected);
  },
);

test.each<[Partial<Variant>, unknown[]]>([
  [{}, [true, 404, 0, 404, 404]],
  [{ delete: "marks" }, [true, true, 0, 404, 404]],
  [{ delete: "marksAndLists" }, [true, true, 1, 404, 404]],
  [{ delete: "marksAndOnlyLists" }, [true, 404, 1, 404, 404]],
  [{ deleteAnswer: "before" }, [false, 404, 0, 404, 404]],
  [{ deleteAnswer: "nothing" }, [204, 404, 0, 404, 404]],
  [{ deleteAnswer: "emptyBody" }, [200, 404, 0, 404, 404]],
  [{ deleteAgain: 410 }, [true, 404, 0, 404, 410]],
  [{ deleteAgain: 200 }, [true, 404, 0, 404, 200]],
  [{ readDeleted: 410 }, [true, 410, 0, 410, 404]],
  [{ readDeleted: "null" }, [true, 200, 0, 200, 404]],
])("the stand-in deletes and shows a deleted key as its variant says: %j", async (variant, expected) => {
  const { standIn, create, del, get, patch, keyPath } = await open(variant);
  const path = keyPath((await create()).id);
  const [deleted, read] = [await del(path), await get(path)];
  const listed = (await get(listPath)).body.apiKeys.length;
  const [edited, again] = [await patch(path, {}), await del(path)];
  expect(standIn.requests.at(-1)?.carriedOut).toBe(false);
  const shown = [deleted, read].map(({ status, body }) => body?.apiKey?.deleted ?? status);
  expect([...shown, listed, edited.status, again.status]).toEqual(expected);
});

test("the stand-in stores values as its variant spells them", async () => {
  const { standIn, create, patch, post } = await open({
    ...{ names: "lowerCased", prefix: "underscored", decimals: "twoPlaces", addresses: "cidr" },
    expiresAt: "rounded",
  });
  const key = await create({ name: " My Key ", prefix: "ci", expiresAt: 125 });
  expect(key).toMatchObject({ name: "my key", prefix: "ci_", expiresAt: 120 });
  expect(key.key).toMatch(/^sk_ci_\w{32}$/);
  expect((await post(scopePath, scope)).body.scope.name).toBe("orders");
  const credits = { totalCredits: "100", spendCap: "1.005", workspaceId: "ws_main" };
  const { billing } = (await post("/customer-billing", credits)).body;
  expect(billing).toMatchObject({ totalCredits: "100.00", spendCap: "1.005", usedCredits: "0.00" });
  const defaultAllowedIPs = ["10.0.0.1", "::1", "10.1.0.0/16", "anything"];
  const { workspace } = (await patch(workspacePath, { defaultAllowedIPs })).body;
  expect(workspace.defaultAllowedIPs).toEqual(["10.0.0.1/32", "::1/128", "10.1.0.0/16", "anything"]);
  standIn.setVariant({ names: "trimmed", expiresAt: "defaulted" });
  expect(await create({ name: " My Key " })).toMatchObject({ name: "My Key", expiresAt: 2_592_000 });
});

test("lists of the stand-in may be late by some requests, but show changes made outside Pulumi at once", async () => {
  const at = await open({ listLag: 2 });
  const { standIn, create } = at;
  await create({ name: "a" });
  expect([await list(at), await list(at), await list(at)]).toEqual([[], [], ["a"]]);
  await create({ name: "b" });
  standIn.addKey({ workspaceId: "ws_main", name: "c" });
  expect(await list(at)).toEqual(["a", "b", "c"]);
});

test("records in lists of the stand-in may be brief, or as they were before their last edit", async () => {
  const { standIn, create, patch, get, keyPath } = await open({ listRecords: "brief" });
  const listed = async () => (await get(listPath)).body.apiKeys[0];
  const { id } = await create({ name: "old" });
  const brief = await listed();
  expect([brief.name, "scopes" in brief, "enabled" in brief]).toEqual(["old", false, false]);
  standIn.setVariant({ listRecords: "stale" });
  await patch(keyPath(id), { name: "new" });
  expect([(await listed()).name, (await get(keyPath(id))).body.apiKey.name]).toEqual(["old", "new"]);
  standIn.editKey(id, { enabled: false });
  expect(await listed()).toMatchObject({ name: "new", enabled: false });
});

/** Longer than a few requests take, so a write that is delayed by this is applied only if the test waits for it. */
const laterMs = 300;

test.each([
  ["queued", 202],
  ["behind", 200],
] as const)(
  "writes that are %s are answered with %d and applied later, in their order",
  async (writes, status) => {
    const { standIn, create, get, patch, del, keyPath } = await open({ writes, laterMs });
    const path = keyPath((await create({ name: "old", enabled: true })).id);
    const patched = await patch(path, { name: "first", enabled: false });
    expect([patched.status, patched.body.apiKey.name]).toEqual([status, "old"]);
    expect((await get(path)).body).toEqual(patched.body);
    expect((await patch(path, { name: 1 })).status).toBe(400);
    const edited = await patch(workspacePath, { defaultKeyPrefix: "p" });
    expect([edited.status, edited.text]).toEqual([status, (await get(workspacePath)).text]);
    await patch(path, { name: "second" });
    await standIn.settled();
    expect((await get(path)).body.apiKey).toMatchObject({ name: "second", enabled: false });
    expect((await get(workspacePath)).body.workspace.defaultKeyPrefix).toBe("p");
    const deleted = await del(path);
    expect([deleted.status, deleted.body.apiKey.deleted]).toEqual([status, false]);
    expect(standIn.requests.at(-1)?.carriedOut).toBe(true);
    expect((await get(path)).status).toBe(200);
    await standIn.settled();
    expect((await get(path)).status).toBe(404);
  },
);

test("a new key of the stand-in may be found only later", async () => {
  const at = await open({ newKeys: "later", laterMs });
  const { standIn, create, get, patch, del, keyPath } = at;
  const { id } = await create();
  const early = [await get(keyPath(id)), await patch(keyPath(id), { name: "x" }), await del(keyPath(id))];
  expect([...early.map(statusOf), await list(at)]).toEqual([404, 404, 404, []]);
  await standIn.settled();
  expect(await list(at)).toEqual(["ci"]);
});

test("a variant of the stand-in is set relative to the default, and an unknown name fails with the list", async () => {
  const { standIn, create } = await open({ createStatus: 200, names: "trimmed" });
  standIn.setVariant({ createStatus: 202 });
  expect((await create({ name: " a" })).name).toBe(" a");
  expect(() => standIn.setVariant("softdelete" as VariantName)).toThrow(/"softdelete".*softDelete/);
});
