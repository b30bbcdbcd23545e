import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { pausesMs } from "../../provider/core/existence";
import type { Environment } from "../../provider/lifecycle/config";
import { type StandIn, startStandIn, type Variant, variantOptions } from "../../standin";
import {
  keptBy,
  type Process,
  type Resource,
  readResult,
  requestsTo,
  type State,
  startProcess,
} from "./lifecycles";

const tenant = {
  name: "acme",
  accessToken: "tok_update",
  workspaces: [{ id: "7", name: "Main", teamId: "team_1" }],
};
const orders = [{ representation: "orders", read: true }];
const wider = [{ representation: "orders", read: true, update: true }];
const declared = { workspaceId: "7", customerId: "cus_1", scopes: orders };

async function startService(variant: Partial<Variant> = {}): Promise<StandIn> {
  const service = await startStandIn({ variant, tenants: [tenant] });
  onTestFinished(() => service.close());
  return service;
}

function start(
  service: StandIn,
  env: Environment = {},
  // Longer than the service's delay for writes.
  pause = async (): Promise<unknown> => setTimeout(5),
): Process {
  const process = startProcess(service, "quick", pause, env);
  onTestFinished(() => process.close());
  return process;
}

async function create(service: StandIn, names: readonly string[]): Promise<readonly Resource[]> {
  const keys = start(service).of("ApiKey");
  const made = names.map(async (name) => {
    const { inputs } = keys.check({ ...declared, name }, undefined);
    return { kind: "ApiKey", ...(await keys.create(inputs).catch(keptBy)) };
  });
  const all = await Promise.all(made);
  await service.settled();
  return all;
}

const many = (count: number) => Array.from({ length: count }, (_, place) => `key ${place}`);

function update(
  process: Process,
  { id, state }: Resource,
  change: State = { scopes: wider },
): Promise<State> {
  return process.of("ApiKey").update(id, state, { ...state, ...change });
}

/** The results of an update of all these keys by one process. */
async function updated(
  service: StandIn,
  keys: readonly Resource[],
  change?: State,
  process = start(service),
) {
  service.clearRequests();
  const results = await Promise.allSettled(keys.map((one) => update(process, one, change)));
  return {
    requests: requestsTo(service),
    failures: results.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : [])),
  };
}

/** The list of keys keeps its current content for this number of requests. */
async function freezeList(service: StandIn, times = Number.POSITIVE_INFINITY): Promise<void> {
  const { url, accessToken } = service;
  const headers = { authorization: `Bearer ${accessToken}` };
  const answer = await fetch(`${url}/api/v1/workspace/7/api-key`, { headers });
  const fault = { kind: "status", status: answer.status, body: await answer.text() } as const;
  service.inject({ endpoint: "listApiKeys", times, fault });
}

const count = 40;

test("K1 an update of many keys reads one key and one list, and sends a PATCH for each key", async () => {
  const service = await startService();
  const keys = await create(service, many(count));
  const { requests, failures } = await updated(service, keys);
  expect(requests).toEqual({ readApiKey: 1, listApiKeys: 1, editApiKey: count });
  expect(failures).toEqual([]);
  for (const { body } of service.requests.filter(({ endpoint }) => endpoint === "editApiKey")) {
    expect(body).toMatchObject({ scopes: [{ id: expect.any(String), representation: "orders" }] });
  }
  for (const { scopes } of service.keys()) expect(scopes).toMatchObject(wider);
});

test("an update of one key reads no list, after a refresh in the same process either", async () => {
  const service = await startService();
  const [key] = (await create(service, many(1))) as [Resource];
  const process = start(service);
  await process.of("ApiKey").read(key.id, key.state);
  expect((await updated(service, [key], undefined, process)).requests).toEqual({
    readApiKey: 1,
    editApiKey: 1,
  });
});

test("K1 an update of many keys reads a key by itself if its name changes", async () => {
  const service = await startService();
  const keys = await create(service, many(3));
  expect((await updated(service, keys, { name: "other" })).requests).toEqual({
    readApiKey: 3,
    editApiKey: 3,
  });
});

test.each([
  ["whose list can't be read", { keyLists: 501 }, count],
  ["whose list is missing", { keyLists: 404 }, count],
  ["whose lists leave scopes out", { listRecords: "brief" }, count],
  ["whose lists have no ids of scopes", { scopeIds: "none" }, count],
  ["whose lists are truncated", { listLimit: 11 }, count - 10],
  ["that rewrites names", { names: "lowerCased" }, 1],
] as const)(
  "K1 an update of many keys on a service %s reads by itself each key that the list does not confirm",
  async (_, variant, reads) => {
    const service = await startService(variant);
    const keys = await create(service, many(count));
    const { requests, failures } = await updated(service, keys);
    expect(failures).toEqual([]);
    expect(requests).toMatchObject({ readApiKey: reads, editApiKey: count });
  },
);

test("K1 an update of many keys reads a key by itself if it was changed outside Pulumi, or its last write failed halfway", async () => {
  const service = await startService();
  const [one, ...keys] = (await create(service, many(10))) as [Resource, ...Resource[]];
  for (const { id } of keys.slice(0, 2)) service.editKey(id, { enabled: false });
  service.editKey(keys[2]?.id ?? "", { name: "theirs" });
  const halfway = keys.slice(3, 5).map((each) => ({ ...each, state: { ...each.state, __failed: true } }));
  for (const { id } of halfway) service.editKey(id, { enabled: false });
  const process = start(service);
  const all = [one, ...keys.slice(0, 3), ...halfway, ...keys.slice(5)];
  const { requests, failures } = await updated(service, all, undefined, process);
  // A change may be that of our own last write, which a service shows late.
  const rereads = pausesMs.length + 1;
  expect(requests).toEqual({ readApiKey: 1 + 3 * (1 + rereads) + 2, listApiKeys: 1, editApiKey: 8 });
  expect(failures).toHaveLength(2);
  for (const line of failures) expect(line).toContain("enabled: the service has false, state has true");
  expect(process.warnings).toEqual([
    expect.stringContaining('name: the service had "theirs", state had "key 3"; the update has overwritten'),
  ]);
  const disabled = service.keys().filter(({ enabled }) => !enabled);
  expect(disabled.map(({ id, scopes }) => [id, scopes.length])).toEqual(
    keys.slice(0, 2).map(({ id }) => [id, 1]),
  );
  for (const { scopes } of disabled) expect(scopes).toMatchObject(orders);
});

test("R6 an update of many keys fails for a key that is gone, even if the list still shows it", async () => {
  const service = await startService();
  const keys = await create(service, many(5));
  await freezeList(service, 1);
  service.deleteKey((keys[2] as Resource).id);
  const { requests, failures } = await updated(service, keys);
  expect(failures).toEqual([expect.stringContaining("it was deleted outside Pulumi. State is unchanged.")]);
  expect(requests).toMatchObject({ listApiKeys: 2, editApiKey: 5 });
  for (const { scopes } of service.keys({ deleted: false })) expect(scopes).toMatchObject(wider);
});

test("K1 an update of many keys fails for a key whose PATCH is refused because a list had outdated scope ids, and then succeeds", async () => {
  const service = await startService();
  const keys = await create(service, many(5));
  await freezeList(service, 1);
  for (const { id } of keys.slice(1, 3)) service.editKey(id, { scopes: [{ representation: "orders" }] });
  const { requests, failures } = await updated(service, keys);
  expect(failures).toHaveLength(2);
  for (const line of failures) expect(line).toContain("State is unchanged");
  expect(requests).toEqual({ readApiKey: 3, listApiKeys: 1, editApiKey: 5 });
  expect((await updated(service, keys)).failures).toEqual([]);
  for (const { scopes } of service.keys()) expect(scopes).toMatchObject(wider);
});

test("K1 a change of a set's defaults reads one key, one list, each key that the last update could not confirm, and each that loses rights", async () => {
  const service = await startService();
  const keys = Object.fromEntries(many(40).map((alias) => [alias, { customerId: "cus_1" }]));
  const inputsOf = (defaults: object, more: object = {}) =>
    start(service)
      .of("ApiKeySet")
      .check({ workspaceId: "7", keys: { ...keys, ...more }, defaults }, undefined).inputs;
  const { id, state } = await start(service)
    .of("ApiKeySet")
    .create(inputsOf({ scopes: orders }));
  const change = async (before: State, inputs: State) => {
    service.clearRequests();
    return start(service).of("ApiKeySet").update(id, before, inputs);
  };
  const next = await change(state, inputsOf({ scopes: wider }, { another: { customerId: "cus_2" } }));
  expect(requestsTo(service)).toEqual({ readApiKey: 1, listApiKeys: 1, editApiKey: 40, createApiKey: 1 });
  for (const { scopes } of service.keys()) expect(scopes).toMatchObject(wider);
  const unconfirmed = { "key 3": { __failed: true }, "key 4": { __failed: true } };
  await change(
    { ...next, __failed: true, __keys: unconfirmed },
    inputsOf({ scopes: orders }, { another: { customerId: "cus_2" } }),
  );
  expect(requestsTo(service)).toEqual({ readApiKey: 3 + 41, listApiKeys: 1, editApiKey: 41 });
});

test("K1 R5 a set of 200 keys takes few requests and little state", async () => {
  const service = await startService();
  const keys = Object.fromEntries(many(200).map((alias) => [alias, { customerId: "cus_1", scopes: orders }]));
  const set = () => {
    service.clearRequests();
    return start(service).of("ApiKeySet");
  };
  const { inputs } = set().check({ workspaceId: "7", keys }, undefined);
  const { id, state } = await set().create(inputs);
  expect(requestsTo(service)).toEqual({ createApiKey: 200, listApiKeys: 1 });
  expect(JSON.stringify({ inputs, outputs: state }).length / 200).toBeLessThan(600);
  expect(await set().read(id, state)).toEqual({ id, state });
  expect(requestsTo(service)).toEqual({ readApiKey: 1, listApiKeys: 1 });
  const changed = { ...keys, "key 7": { ...keys["key 7"], name: "seventh" } };
  const next = set().check({ ...inputs, keys: changed }, inputs).inputs;
  const after = await set().update(id, state, next);
  expect(requestsTo(service)).toEqual({ readApiKey: 1, editApiKey: 1 });
  expect(after["ids"]).toEqual(state["ids"]);
  expect(set().diff(id, after, next)).toMatchObject({ changes: false, replaces: [] });
  expect(requestsTo(service)).toEqual({});
});

const always = { times: Number.POSITIVE_INFINITY };
const answered = (status: number, body?: object) => ({ kind: "status", status, body }) as const;
/** A key that no list confirms, because its name in state differs. */
const unconfirmed = (one: Resource): Resource => ({ ...one, state: { ...one.state, name: "before" } });

test.each([
  ["and so is the list", undefined, answered(404)],
  ["and the list is empty from then on", undefined, answered(200, { apiKeys: [] })],
  ["and the list never had the key", answered(200, { apiKeys: [] }), undefined],
  ["and keys can't be listed", answered(403), undefined],
])("R6 no key is gone if every answer after that of the workspace is a 404, %s", async (_, before, then) => {
  const service = await startService();
  const [lost, alive] = (await create(service, many(2))) as [Resource, Resource];
  if (before !== undefined) service.inject({ endpoint: "listApiKeys", ...always, fault: before });
  service.inject({ when: ({ path }) => path.endsWith(lost.id), ...always, fault: answered(404) });
  const process = start(service);
  await readResult(process, lost);
  if (then !== undefined) service.inject({ endpoint: "listApiKeys", ...always, fault: then });
  service.inject({ when: ({ endpoint }) => endpoint !== "listApiKeys", ...always, fault: answered(404) });
  expect(await readResult(process, unconfirmed(alive))).toContain("State is unchanged");
});

test("R6 no key is gone if an earlier list had it and the list can no longer be read", async () => {
  const service = await startService();
  const [lost, alive] = (await create(service, many(2))) as [Resource, Resource];
  service.inject({ when: ({ path }) => path.endsWith(lost.id), ...always, fault: answered(404) });
  const process = start(service);
  await readResult(process, lost);
  service.inject({ endpoint: ["readApiKey", "listApiKeys"], ...always, fault: answered(404) });
  expect(await readResult(process, unconfirmed(alive))).toContain("State is unchanged");
});

test("R6 a refresh confirms that keys are gone with few lists and shared reads of the workspace", async () => {
  const service = await startService();
  const keys = await create(service, many(count));
  for (const { id } of keys.slice(30)) service.deleteKey(id);
  service.clearRequests();
  const process = start(service);
  const results = await Promise.all(keys.map((one) => readResult(process, one)));
  expect(results.filter((result) => result === "gone")).toHaveLength(10);
  const { readApiKey, readWorkspace, listApiKeys, ...others } = requestsTo(service);
  expect(others).toEqual({});
  // The pauses of all keys end at about the same time. Each list that is then read needs a key that the service finds.
  expect(listApiKeys).toBeLessThan(10);
  expect(readApiKey).toBeLessThanOrEqual(1 + 2 * 10 + (listApiKeys ?? 0));
  // A read serves the keys whose 404 came before it, and not all keys are read at once.
  expect(readWorkspace).toBeLessThanOrEqual(4);
});

/** All GETs of a key, or of all keys, are answered with 404. */
const hide = (service: StandIn, id = "") =>
  service.inject({
    when: ({ endpoint, path }) => endpoint === "readApiKey" && path.endsWith(id),
    ...always,
    fault: answered(404),
  });

describe.each(variantOptions.listPages)("a service that cuts its lists, with the sign %s", (listPages) => {
  const variant = { listLimit: 2, listPages };
  const isFollowed = listPages === "link" || listPages === "next";

  test("R6 a key is not gone if its GETs are answered with 404 and a cut list lacks it", async () => {
    const service = await startService(variant);
    const keys = await create(service, many(5));
    const [lost] = keys.slice(-1) as [Resource];
    hide(service, lost.id);
    const process = start(service);
    const results = await Promise.all(keys.map((one) => readResult(process, unconfirmed(one))));
    expect(results.at(-1)).toMatch(
      isFollowed
        ? /its workspace lists it.*State is unchanged/s
        : /only a part of it.*State is unchanged.*`pulumi state delete`/s,
    );
    expect(results.filter((result) => typeof result === "string")).toHaveLength(1);
  });

  test("R6 no key is gone if all GETs of keys are answered with 404 and a cut list lacks some", async () => {
    const service = await startService(variant);
    const keys = await create(service, many(5));
    hide(service);
    const process = start(service);
    const results = await Promise.all(keys.map((one) => readResult(process, one)));
    // The list confirms some of those that it shows.
    for (const result of results.filter((one) => typeof one === "string"))
      expect(result).toContain("State is unchanged");
  });

  test("R6 a key that is gone leaves state if its pages can be followed, or APIKEYS_NO_KEY_LIST is set", async () => {
    const service = await startService(variant);
    const keys = await create(service, many(5));
    const [lost, ...others] = keys.toReversed() as [Resource, ...Resource[]];
    service.deleteKey(lost.id);
    const process = start(service);
    for (const one of others) await readResult(process, unconfirmed(one));
    const result = await readResult(process, lost);
    if (isFollowed) expect(result).toBe("gone");
    else expect(result).toContain("set APIKEYS_NO_KEY_LIST=true for one command");
    expect(await readResult(start(service, { APIKEYS_NO_KEY_LIST: "true" }), lost)).toBe("gone");
  });
});

test.each([
  [10, "kept"],
  [11, "gone"],
])(
  "R6 a list of %i keys, none of which a resource has, proves that a key is gone only if it is not as long as a page: %s",
  async (length, result) => {
    const service = await startService();
    const [lost] = (await create(service, ["lost"])) as [Resource];
    for (const name of many(length)) service.addKey({ workspaceId: "7", name });
    service.deleteKey(lost.id);
    expect(await readResult(start(service), lost)).toEqual(
      result === "gone" ? "gone" : expect.stringContaining("State is unchanged"),
    );
  },
);

test("R6 each key that is not found is asked for again after a wait of its own, and all wait at once", async () => {
  const service = await startService();
  const aliases = Object.fromEntries(many(40).map((alias) => [alias, { customerId: "cus_1" }]));
  const set = start(service).of("ApiKeySet");
  const { inputs } = set.check({ workspaceId: "7", keys: aliases }, undefined);
  const { id, state } = await set.create(inputs);
  const gone = service.keys().slice(5);
  for (const key of gone) service.deleteKey(key.id);
  // Nobody's wait ends before all have begun theirs.
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  const process = start(service, {}, () => {
    waiting += 1;
    if (waiting === gone.length) all.resolve();
    return all.promise;
  });
  const read = await process.of("ApiKeySet").read(id, state);
  expect(Object.keys((read?.state["ids"] ?? {}) as object)).toHaveLength(5);
  expect(waiting).toBe(gone.length);
});
