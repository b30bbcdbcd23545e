import { expect, test } from "vitest";
import { apiKey } from "../../provider/resources/apiKey";
import { apiKeySet } from "../../provider/resources/apiKeySet";
import { workspaceSettings } from "../../provider/resources/workspaceSettings";
import { least, offline } from "./offline";
import { failureOf, idIn, replying } from "./replying";

test("R13 an imported key that lacks inputs with defaults shows no change", () => {
  const key = offline();
  const { inputs } = key.check(least, undefined);
  expect(inputs).toMatchObject({ enabled: true, scopes: [] });
  expect(key.diff("key_1", { ...least }, inputs)).toEqual({ changes: false, replaces: [] });
});

test("K8 the first refresh of an imported key returns inputs, even if the outputs in the import file are right", async () => {
  const record = { ...least, scopes: [], enabled: true, createdAt: "2026-01-01T00:00:00Z" };
  const key = replying(apiKey, () => ({ apiKey: { id: "key_1", ...record, deleted: false } }));
  expect(await key.read("key_1", record)).toMatchObject({ inputs: { name: least.name } });
});

test("a set that was imported with numbers as ids keeps these keys", async () => {
  const asked: string[] = [];
  const set = replying(apiKeySet, (request) => {
    asked.push(`${request.method} ${idIn(request)}`);
    return { apiKey: { id: idIn(request), ...least, scopes: [], enabled: true, deleted: false } };
  });
  const { workspaceId, customerId } = least;
  const state = { workspaceId, keys: { ci: { customerId } }, ids: { ci: 1042 }, secrets: {} };
  const read = await set.read("keys-1", state);
  expect(read?.state).toMatchObject({ ids: { ci: "1042" } });
  expect(asked).toEqual(["GET 1042"]);
});

test.each(["a", "a=", "=key_1", "a=key_1,a=key_2", "a=key_1,b=key_1"])(
  "R19 an import of a set fails for %s, which doesn't give each key once under its own alias",
  async (list) => {
    const set = replying(apiKeySet, () => ({}));
    const { message } = await failureOf(set.find({ id: `ws_1/${list}`, given: {}, isReading: false }));
    expect(message).toContain("ApiKeySet: give each key once, as alias=keyId");
    expect(set.calls).toEqual([]);
  },
);

test("R19 an import accepts a workspace whose id has a slash", async () => {
  const asked: string[] = [];
  const reply = ({ path }: { readonly path: string }) => {
    asked.push(path);
    return {
      apiKey: { id: "a/b%2F", ...least, scopes: [], enabled: true },
      workspace: { id: "team/a", defaultKeyPrefix: "sk" },
    };
  };
  const found = await replying(apiKey, reply).find({ id: "team%2Fa/a/b%2F", given: {}, isReading: false });
  expect(found).toMatchObject({ id: "a/b%2F", state: { workspaceId: "team/a" } });
  const settings = replying(workspaceSettings, reply);
  const its = await settings.find({ id: "team/a", given: {}, isReading: false });
  expect(its).toMatchObject({ id: "team/a", state: { workspaceId: "team/a" } });
  expect(asked).toEqual(["/api/v1/workspace/team%2Fa/api-key/a%2Fb%252F", "/api/v1/workspace/team%2Fa"]);
});

test("R4 an answer without a name is followed by a read, not treated as a key without a name", async () => {
  const record = { id: "key_1", customerId: "cus_1", scopes: [], enabled: false };
  const key = replying(apiKey, ({ method }) => ({
    apiKey: method === "GET" ? { ...record, name: "ci-" } : record,
  }));
  const state = { ...least, scopes: [], enabled: true, key: "sk", __observed: { name: "ci-" } };
  const after = await key.update("key_1", state, { ...least, scopes: [], enabled: false });
  expect(key.calls.map(({ method }) => method)).toEqual(["GET", "PATCH", "GET"]);
  expect(after).toMatchObject({ name: "ci", enabled: false, __observed: { name: "ci-" } });
});

test("a refresh prints no note about what an update would do", async () => {
  const reply = ({ path }: { readonly path: string }) =>
    path.endsWith("/api-key")
      ? { apiKeys: [] }
      : { apiKey: { id: path.split("/").at(-1), ...least, scopes: [], enabled: true, deleted: false } };
  const set = replying(apiKeySet, reply);
  const { workspaceId, customerId } = least;
  const state = { workspaceId, keys: { ci: { customerId } }, ids: { ci: "key_1" }, secrets: { ci: "sk" } };
  const none = set.check({ workspaceId, keys: {} }, undefined).inputs;
  await set.read("keys-1", state);
  set.diff("keys-1", state, none);
  expect(set.progress).toEqual([]);
  set.check({ workspaceId, keys: {} }, undefined);
  set.diff("keys-1", state, none);
  expect(set.progress).toEqual([expect.stringContaining('1 to delete: "ci"')]);
});

test("keys of a set whose create fails halfway are deleted again if their state is too large to save", async () => {
  const live = new Set<string>();
  const long = "x".repeat(16_000);
  const set = replying(apiKeySet, (request) => {
    const { method, body } = request;
    if (method === "DELETE") {
      live.delete(idIn(request));
      return { apiKey: { id: idIn(request), deleted: true } };
    }
    if (method === "GET") return { apiKeys: [] };
    const { name } = body as { readonly name: string };
    if (name === "k0") return { apiKey: { id: `id_${name}`, ...(body as object) } };
    live.add(`id_${name}`);
    return { apiKey: { id: `id_${name}`, ...(body as object), key: `${name}_${long}` } };
  });
  const keys = Object.fromEntries(Array.from({ length: 800 }, (_, n) => [`k${n}`, { customerId: "c" }]));
  const { inputs } = set.check({ workspaceId: "ws_1", keys }, undefined);
  await expect(set.create(inputs)).rejects.toThrow(/could not be saved to state because it is larger than/);
  expect([...live]).toEqual([]);
});

test.each([{ defaultKeyPrefix: "" }, { defaultKeyPrefix: null }, { defaultExpiration: 0 }, {}])(
  "W5 an import of a workspace whose settings are %j fails, because there is nothing to import",
  async (values) => {
    const settings = replying(workspaceSettings, () => ({ workspace: { id: "ws_1", ...values } }));
    const { message } = await failureOf(
      settings.find({ id: "ws_1", given: {}, isReading: false, name: "ci" }),
    );
    expect(message).toMatch(/: it has no settings to import\. Declare the settings that you want instead\.$/);
  },
);
