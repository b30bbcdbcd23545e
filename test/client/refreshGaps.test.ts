import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { startStandIn } from "../../standin";
import { readResult, startProcess } from "./lifecycles";

type Record = { readonly id: string; readonly [field: string]: unknown };
let close = () => {};
afterEach(() => close());

/** The results of two reads by one process, on a service whose lists leave fields out. */
async function readBoth(kind: string, records: readonly Record[], left: readonly string[], states: object[]) {
  const listed = records.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !left.includes(name))),
  );
  return readListed(kind, records, listed, states);
}

/** The same, with this list. */
async function readListed(
  kind: string,
  records: readonly Record[],
  listed: readonly object[],
  states: object[],
  ids: readonly string[] = records.map(({ id }) => id),
) {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    const record = records.find(({ id }) => url.endsWith(`/${id}`));
    const all = { apiKeys: listed, workspaces: listed, workspace: { id: "ws" } };
    if (record === undefined && /\/api-key\/[^/]+$/.test(url)) response.statusCode = 404;
    response.end(JSON.stringify(record === undefined ? all : { apiKey: record, workspace: record }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  close = () => void server.close();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const process = startProcess({ url, accessToken: "tok" });
  const results = await Promise.all(
    ids.map((id, place) => readResult(process, { kind, id, state: { ...states[place] } })),
  );
  await process.close();
  return { results, warnings: process.warnings, asked };
}

const orders = [{ representation: "orders", read: true }];
const key = (id: string, more: object = {}) => {
  const record = { id, name: id, customerId: "cus_1", enabled: true, scopes: orders, deleted: false };
  return { ...record, ...more };
};
const state = (name: string, more: object = {}) => {
  const declared = { workspaceId: "ws", customerId: "cus_1", name, enabled: true, scopes: orders };
  return { ...declared, key: `secret of ${name}`, ...more };
};

test("R6 a list without the field `deleted` confirms no key", async () => {
  const { results } = await readBoth(
    "ApiKey",
    [key("a"), key("b", { deleted: true })],
    ["deleted"],
    [state("a"), state("b")],
  );
  expect(results[1]).toBe("gone");
});

test("R5 a list that leaves out a field which can't be changed in place confirms no key that has the field", async () => {
  const { warnings } = await readBoth(
    "ApiKey",
    [key("a"), key("b", { expiresAt: 2_000 })],
    ["expiresAt"],
    [state("a"), state("b", { effectiveExpiresAt: 1_000 })],
  );
  expect(warnings).toEqual([expect.stringContaining("its expiresAt in the service has changed")]);
});

test("R5 a list without the billing record confirms a key that has one, because nothing depends on it", async () => {
  const held = { billingId: "bill_1" };
  const { asked } = await readBoth(
    "ApiKey",
    [key("a", held), key("b", held)],
    ["billingId"],
    [state("a", held), state("b", held)],
  );
  expect(asked.filter((url) => url.endsWith("/b"))).toEqual([]);
});

test("R3 a list that leaves out a setting confirms no workspace that declares it as empty", async () => {
  const { results } = await readBoth(
    "WorkspaceSettings",
    [
      { id: "ws_a", defaultKeyPrefix: "acme" },
      { id: "ws_b", defaultAllowedIPs: ["10.0.0.1"] },
    ],
    ["defaultAllowedIPs"],
    [
      { workspaceId: "ws_a", defaultKeyPrefix: "acme", onDestroy: "retain" },
      { workspaceId: "ws_b", defaultAllowedIPs: [], onDestroy: "retain" },
    ],
  );
  expect(results[1]).toMatchObject({ inputs: { defaultAllowedIPs: ["10.0.0.1"] } });
});

test("R4 a key that the list shows after a lost answer is read by itself before it is accepted", async () => {
  const service = await startStandIn();
  close = () => void service.close();
  service.inject({ endpoint: "migrateApiKey", fault: { kind: "resetAfter" } });
  const process = startProcess(service);
  const keys = process.of("ApiKey");
  const declared = {
    workspaceId: "ws_main",
    customerId: "cus_1",
    name: "held",
    existingKey: "sk_0123456789abcdef",
  };
  await keys.create(keys.check(declared, undefined).inputs);
  await process.close();
  expect(service.requests.map(({ endpoint }) => endpoint)).toEqual([
    "listApiKeys",
    "migrateApiKey",
    "listApiKeys",
    "readApiKey",
  ]);
});

test("K4 a list without scopes confirms no key that declares none", async () => {
  const admin = [{ representation: "admin", create: true, read: true, update: true, del: true }];
  const { results } = await readListed(
    "ApiKey",
    [key("a", { scopes: [] }), key("b", { scopes: admin })],
    [key("a", { scopes: [] }), key("b", { scopes: [] })],
    [state("a", { scopes: [] }), state("b", { scopes: [] })],
  );
  expect(results[1]).toMatchObject({ state: { scopes: admin } });
});

test("K4 a list that shows scopes without permissions confirms no key that declares none", async () => {
  const admin = [{ representation: "admin", create: true, read: true, update: true, del: true }];
  const { results } = await readListed(
    "ApiKey",
    [key("a", { scopes: [] }), key("b", { scopes: admin })],
    [key("a", { scopes: [] }), key("b", { scopes: [{ id: "scope_1", representation: "admin" }] })],
    [state("a", { scopes: [] }), state("b", { scopes: [] })],
  );
  expect(results[1]).toMatchObject({ state: { scopes: admin } });
});

test("R6 if a list has two records of a key, one of them deleted, the key is not treated as gone", async () => {
  const { results } = await readListed(
    "ApiKey",
    [key("a")],
    [key("a"), key("b", { name: "changed" }), key("b", { deleted: true })],
    [state("a"), state("b")],
    ["a", "b"],
  );
  expect(results[1]).toContain("but its workspace lists it");
});

test("R3 a list of workspaces with old values confirms no settings", async () => {
  const workspace = (id: string, defaultKeyPrefix: string, updatedAt: string) => ({
    id,
    defaultKeyPrefix,
    updatedAt,
  });
  const { results } = await readListed(
    "WorkspaceSettings",
    [workspace("ws_a", "acme", "later"), workspace("ws_b", "other", "later")],
    [workspace("ws_a", "acme", "before"), workspace("ws_b", "acme", "before")],
    ["ws_a", "ws_b"].map((workspaceId) => ({ workspaceId, defaultKeyPrefix: "acme", onDestroy: "retain" })),
  );
  expect(results[1]).toMatchObject({ state: { defaultKeyPrefix: "other" } });
});
