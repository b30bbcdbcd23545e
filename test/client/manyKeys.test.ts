import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { Failure } from "../../provider/core/errors";
import { defaultVariant, type StandIn, startStandIn, type Variant } from "../../standin";
import { runs } from "../all";
import { knobCases, mixtures, presetCases } from "../host/serverVariants";
import { type Held, type Pauses, type Process, type State, startProcess } from "./lifecycles";

const tenant = {
  name: "acme",
  accessToken: "tok_update",
  workspaces: [{ id: "7", name: "Main", teamId: "team_1" }],
};
const orders = [{ representation: "orders", read: true }];
const wider = [{ representation: "orders", read: true, update: true }];
const declared = { workspaceId: "7", customerId: "cus_1", scopes: orders };

const close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const each of close.splice(0)) await each();
});

async function startService(variant: Partial<Variant> = {}): Promise<StandIn> {
  const service = await startStandIn({ variant, tenants: [tenant] });
  close.push(() => service.close());
  return service;
}

function start(service: StandIn, pauses?: Pauses): Process {
  // Longer than the service's delay for writes.
  const process = startProcess(service, pauses, () => setTimeout(5));
  close.push(() => process.close());
  return process;
}

async function create(service: StandIn, names: readonly string[], pauses?: Pauses): Promise<readonly Held[]> {
  const keys = start(service, pauses).of("ApiKey");
  const made = names.map(async (name) => {
    const { inputs } = keys.check({ ...declared, name }, undefined);
    return { kind: "ApiKey", ...(await keys.create(inputs).catch(keptOf)) };
  });
  const all = await Promise.all(made);
  await service.settled();
  return all;
}

function keptOf(error: unknown) {
  if (error instanceof Failure && error.kept !== undefined) return error.kept;
  throw error;
}

const many = (count: number) => Array.from({ length: count }, (_, place) => `key ${place}`);

function update(process: Process, { id, state }: Held, change: State = { scopes: wider }): Promise<State> {
  return process.of("ApiKey").update(id, state, { ...state, ...change });
}

/** The results of an update of all these keys by one process. */
async function updated(service: StandIn, held: readonly Held[], change?: State, process = start(service)) {
  service.clearRequests();
  const results = await Promise.allSettled(held.map((one) => update(process, one, change)));
  return {
    requests: requestsTo(service),
    states: results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    failures: results.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : [])),
  };
}

/** How many requests each endpoint has had since they were last cleared. */
function requestsTo({ requests }: StandIn): Readonly<Record<string, number>> {
  const by = Object.groupBy(requests, ({ endpoint }) => endpoint ?? "none");
  return Object.fromEntries(Object.entries(by).map(([endpoint, all = []]) => [endpoint, all.length]));
}

/** The list of keys keeps its current content for so many requests. */
async function freezeList(service: StandIn, times = Number.POSITIVE_INFINITY): Promise<void> {
  const { url, accessToken } = service;
  const headers = { authorization: `Bearer ${accessToken}` };
  const answer = await fetch(`${url}/api/v1/workspace/7/api-key`, { headers });
  const fault = { kind: "status", status: answer.status, body: await answer.text() } as const;
  service.inject({ endpoint: "listApiKeys", times, fault });
}

describe("an update of many keys", () => {
  const count = 40;

  test("K1 reads one key and one list, and sends a PATCH for each key", async () => {
    const service = await startService();
    const held = await create(service, many(count));
    const { requests, failures } = await updated(service, held);
    expect(requests).toEqual({ readApiKey: 1, listApiKeys: 1, editApiKey: count });
    expect(failures).toEqual([]);
    for (const { body } of service.requests.filter(({ endpoint }) => endpoint === "editApiKey")) {
      expect(body).toMatchObject({ scopes: [{ id: expect.any(String), representation: "orders" }] });
    }
    for (const { scopes } of service.keys()) expect(scopes).toMatchObject(wider);
  });

  test("reads no list if there is only one key", async () => {
    const service = await startService();
    const [held] = (await create(service, many(1))) as [Held];
    expect((await updated(service, [held])).requests).toEqual({ readApiKey: 1, editApiKey: 1 });
  });

  test("reads no list if there is only one key, after a refresh in the same process either", async () => {
    const service = await startService();
    const [held] = (await create(service, many(1))) as [Held];
    const process = start(service);
    await process.of("ApiKey").read(held.id, held.state);
    expect((await updated(service, [held], undefined, process)).requests).toEqual({
      readApiKey: 1,
      editApiKey: 1,
    });
  });

  test("K1 reads a key by itself if its name changes", async () => {
    const service = await startService();
    const held = await create(service, many(3));
    expect((await updated(service, held, { name: "other" })).requests).toEqual({
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
    "K1 on a service %s reads by itself each key that the list does not confirm",
    async (_, variant, reads) => {
      const service = await startService(variant);
      const held = await create(service, many(count));
      const { requests, failures } = await updated(service, held);
      expect(failures).toEqual([]);
      expect(requests).toMatchObject({ readApiKey: reads, editApiKey: count });
    },
  );

  test("K1 reads a key by itself if it was changed outside Pulumi, or its last write failed halfway", async () => {
    const service = await startService();
    const [one, ...held] = (await create(service, many(10))) as [Held, ...Held[]];
    for (const { id } of held.slice(0, 3)) service.editKey(id, { enabled: false });
    const halfway = held.slice(3, 5).map((each) => ({ ...each, state: { ...each.state, __failed: true } }));
    const { requests } = await updated(service, [one, ...held.slice(0, 3), ...halfway, ...held.slice(5)]);
    expect(requests).toEqual({ readApiKey: 1 + 3 + 2, listApiKeys: 1, editApiKey: 10 });
    expect(service.keys({ deleted: false }).every(({ enabled }) => enabled)).toBe(true);
  });

  test("R6 fails for a key that is gone, even if the list still shows it", async () => {
    const service = await startService();
    const held = await create(service, many(5));
    await freezeList(service, 1);
    service.deleteKey((held[2] as Held).id);
    const { requests, failures } = await updated(service, held);
    expect(failures).toEqual([expect.stringContaining("it was deleted outside Pulumi. State is unchanged.")]);
    expect(requests).toMatchObject({ listApiKeys: 2, editApiKey: 5 });
    for (const { scopes } of service.keys({ deleted: false })) expect(scopes).toMatchObject(wider);
  });

  test("K1 reads a key and sends another PATCH if the first is refused because of outdated scope ids", async () => {
    const service = await startService();
    const held = await create(service, many(5));
    await freezeList(service);
    for (const { id } of held.slice(1, 3)) service.editKey(id, { scopes: [{ representation: "orders" }] });
    const { requests, failures } = await updated(service, held);
    expect(failures).toEqual([]);
    expect(requests).toEqual({ readApiKey: 3, listApiKeys: 1, editApiKey: 5 + 2 });
    for (const { scopes } of service.keys()) expect(scopes).toMatchObject(wider);
  });

  test("R4 does not mistake an old name for a rewritten one if the service applies writes later", async () => {
    const service = await startService({ writes: "queued", patchAnswer: "nothing", laterMs: 12 });
    const held = await create(service, many(5));
    await freezeList(service);
    for (const { id, scopes } of service.keys()) {
      service.editKey(id, { name: "elsewhere", scopes: scopes.map((each) => ({ ...each, update: true })) });
    }
    const { states } = await updated(service, held);
    expect(states.map(({ name, __observed }) => [name, __observed])).toEqual(
      many(5).map((name) => [name, undefined]),
    );
    expect(service.keys().map(({ name }) => name)).toEqual(many(5));
  });
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

/** The results of an update whose list is older than changes made to half of the keys outside Pulumi. */
async function comesTo(variant: Variant, isTogether: boolean) {
  const service = await startService(variant);
  // A service that limits requests per second needs real pauses.
  const pauses = variant.rateLimitPerSecond > 0 ? "real" : "quick";
  const scopes = ["orders", "bills", "admin"];
  for (const representation of scopes) service.addScope({ workspaceId: "7", representation });
  const alike = ["First", "As is", " Spaced "];
  const changed = ["Renamed", "Narrowed", "Widened", "Off", "Deleted", "Replaced", "Foreseen"];
  const names = [...alike, ...changed];
  const held = await create(service, names, pauses);
  const at = (name: string) => held[names.indexOf(name)]?.id ?? "";
  const change = { scopes: [{ representation: "bills", read: true }, ...wider] };
  if (variant.keyLists === "answered") await freezeList(service);
  service.editKey(at("Renamed"), { name: "Somebody else's name" });
  service.editKey(at("Narrowed"), { scopes: [] });
  const all = { create: true, read: true, update: true, del: true };
  service.editKey(at("Widened"), { scopes: [{ representation: "admin", ...all }, ...orders] });
  service.editKey(at("Off"), { enabled: false });
  service.editKey(at("Replaced"), { scopes: [{ representation: "orders", read: true }] });
  const foreseen = service.key(at("Foreseen"))?.scopes.map((scope) => ({ ...scope, update: true })) ?? [];
  const others = change.scopes.slice(0, 1);
  service.editKey(at("Foreseen"), { name: "Somebody's as well", scopes: [...foreseen, ...others] });
  service.deleteKey(at("Deleted"));
  const together = start(service, pauses);
  const results: unknown[] = [];
  const one = async (each: Held) => {
    try {
      const process = isTogether ? together : start(service, pauses);
      const { name, enabled, scopes: kept, __observed } = await update(process, each, change);
      return { name, enabled, scopes: kept, __observed };
    } catch (error) {
      if (error instanceof Failure) return "failed";
      throw error;
    }
  };
  if (isTogether) results.push(...(await Promise.all(held.map(one))));
  else for (const each of held) results.push(await one(each));
  await service.settled();
  const found = held.map(({ id }) => {
    const { name, enabled, scopes: has = [], deleted = true } = service.key(id) ?? {};
    if (deleted) return "deleted";
    const granted = has.map(({ id: _, ...flags }) => JSON.stringify(flags)).toSorted();
    return { name, enabled, granted };
  });
  return { results, found };
}

describe("an update with outdated lists has the same results as one with single reads", () => {
  const onVariant = async (knobs: Partial<Variant>) => {
    const variant = { ...defaultVariant, ...knobs, ids: "numeric" } as const;
    const together = await comesTo(variant, true);
    const apart = await comesTo(variant, false);
    for (const each of close.splice(0)) await each();
    expect(together).toEqual(apart);
  };
  test.each([...presetCases, ...knobCases])("on $name", ({ variant }) => onVariant(variant));

  test("on random mixtures of server variants", { timeout: 240_000 }, async () => {
    await fc.assert(fc.asyncProperty(mixtures, onVariant), {
      seed: 20_261_122,
      numRuns: runs(60),
      interruptAfterTimeLimit: 200_000,
      markInterruptAsFailure: true,
    });
  });
});
