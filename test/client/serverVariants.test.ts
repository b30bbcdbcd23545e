/** The lifecycle of each resource on every server variant. After each write, a read and a diff show no change (R3). */
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Failure } from "../../provider/core/errors";
import { canonicalScopes } from "../../provider/resources/apiKey/scopes";
import {
  defaultVariant,
  namedVariants,
  type StandIn,
  startStandIn,
  type Variant,
  type VariantName,
} from "../../standin";
import { storedDecimal, storedName } from "../../standin/records";
import { runs, someOf } from "../all";
import { laterMs, mixtures, variantCases } from "../host/serverVariants";
import { failureOf } from "../unit/replying";
import { type Process, type State, startProcess } from "./lifecycles";
import { seenOn, serviceOn, toWrite } from "./probing";

const orders = { representation: "orders", read: true };
const wider = [
  { representation: "orders", read: true, update: true },
  { representation: "users", read: true },
];

interface Resource {
  readonly id: string;
  readonly state: State;
  readonly inputs: State;
}

/** A resource on one variant, and what the service has. */
interface Fixture {
  readonly kind: string;
  readonly process: Process;
  readonly service: StandIn;
  readonly variant: Variant;
  readonly workspaceId: string;
}

function checked({ process, kind, workspaceId }: Fixture, inputs: State, before?: State): State {
  const answer = process.of(kind).check({ workspaceId, ...declarable(inputs) }, before);
  expect(answer.failures).toEqual([]);
  return answer.inputs;
}

/** Inputs as a program declares them: without what check adds (R21). */
function declarable(inputs: State): State {
  const added = new Set(["generation", "isLost", "toDelete", "unmanaged"]);
  return JSON.parse(JSON.stringify(inputs, (name, value) => (added.has(name) ? undefined : value)));
}

/** The process of another command: it knows no list of an earlier one. */
function nextProcess({ service, variant }: Pick<Fixture, "service" | "variant">): Process {
  return startProcess(service, variant.rateLimitPerSecond > 0 ? "real" : "quick", () => sleep(2));
}

async function created(fixture: Fixture, declared: State): Promise<Resource> {
  const inputs = checked(fixture, declared);
  return settled(fixture, { ...(await fixture.process.of(fixture.kind).create(inputs)), inputs });
}

async function updated(fixture: Fixture, resource: Resource, change: State): Promise<Resource> {
  const inputs = checked(fixture, { ...resource.inputs, ...change }, resource.inputs);
  const subject = fixture.process.of(fixture.kind);
  expect(subject.diff(resource.id, resource.state, inputs)).toMatchObject({ replaces: [] });
  expect(subject.diff(resource.id, resource.state, inputs).changes).not.toBe(false);
  return settled(fixture, {
    id: resource.id,
    state: await subject.update(resource.id, resource.state, inputs),
    inputs,
  });
}

/** R3: state has what the program declares, and nothing shows a change. */
async function settled({ process, kind, service }: Fixture, resource: Resource): Promise<Resource> {
  const { id, state, inputs } = resource;
  await service.settled();
  // A set has the values of existing keys as its secrets.
  if (kind !== "ApiKeySet") expect(state).toMatchObject(inputs);
  expect(await process.of(kind).read(id, state)).toEqual({ id, state });
  expect(process.of(kind).diff(id, state, inputs)).toMatchObject({ changes: false, replaces: [] });
  return resource;
}

/** R5: a change made outside Pulumi shows once in the inputs, and the next update reverts it. */
async function reverted(fixture: Fixture, resource: Resource, drift: State): Promise<Resource> {
  const subject = fixture.process.of(fixture.kind);
  const read = await subject.read(resource.id, resource.state);
  expect(read?.inputs).toEqual({ ...resource.inputs, ...drift });
  const seen = { id: resource.id, state: read?.state ?? {} };
  expect(await subject.read(seen.id, seen.state)).toEqual(seen);
  return updated(fixture, { ...resource, ...seen }, {});
}

async function removed(fixture: Fixture, { id, state }: Resource): Promise<void> {
  await nextProcess(fixture).of(fixture.kind).delete(id, state);
}

const isGone = ({ service }: Fixture, id: string) => service.key(id)?.deleted ?? true;

/** The service has the key as declared, as the variant spells it. */
function expectKey({ service, variant }: Fixture, id: string, { name, enabled = true, scopes }: State): void {
  const key = service.key(id);
  expect(key).toMatchObject({ name: storedName(String(name), variant), enabled, deleted: false });
  expect(canonicalScopes(key?.scopes)).toEqual(scopes);
}

/** K6: a key whose secret is in no answer stays in state, and the next update replaces it. */
async function withoutSecret(fixture: Fixture, declared: State, expected: object): Promise<void> {
  const inputs = checked(fixture, declared);
  const { kept, message } = await failureOf(fixture.process.of(fixture.kind).create(inputs));
  expect(message).toContain("did not return the secret");
  const { id, state } = kept as Resource;
  expect(JSON.stringify(state)).toContain('"__keyLost":true');
  const read = await fixture.process.of(fixture.kind).read(id, state);
  expect(fixture.process.of(fixture.kind).diff(id, read?.state ?? {}, inputs)).toMatchObject(expected);
  await removed(fixture, { id, state, inputs });
}

async function keyLifecycle(fixture: Fixture): Promise<void> {
  const { service, variant, workspaceId } = fixture;
  const subject = fixture.process.of(fixture.kind);
  const declared = {
    ...{ customerId: "cus_1", name: " Nightly Build", enabled: false, scopes: [orders] },
    ...{ prefix: "acme", expiresAt: 86_399, metadata: { team: "build" } },
  };
  if (variant.createAnswer === "withoutKey")
    return withoutSecret(fixture, declared, { changes: true, replaces: ["key"] });
  let resource = await created(fixture, declared);
  expect(resource.state["key"]).toBe(service.key(resource.id)?.key);
  for (const change of [{ name: "Evening " }, { enabled: true, scopes: wider }]) {
    resource = await updated(fixture, resource, change);
    expectKey(fixture, resource.id, resource.inputs);
  }
  // K4: fewer permissions, in as many PATCHes as it takes; an error if the service removes none.
  const isKept = variant.patchScopes === "neverNarrows";
  if (isKept || (variant.patchScopes === "merges" && variant.scopeIds === "none")) {
    const next = { ...resource.inputs, scopes: [orders] };
    const { kept, message } = await failureOf(subject.update(resource.id, resource.state, next));
    expect(message).toMatch(
      /scopes: should be \[\{"representation":"orders","read":true\}\], the service has \[\{"representation":"orders"/,
    );
    expect(kept?.state["scopes"]).toEqual(wider);
    resource = await updated(fixture, { ...resource, ...kept }, { name: "Given In" });
  } else {
    resource = await updated(fixture, resource, { scopes: [orders] });
  }
  expectKey(fixture, resource.id, resource.inputs);
  const drift = { name: "theirs", enabled: false, scopes: [] };
  service.editKey(resource.id, drift);
  resource = await reverted(fixture, resource, drift);
  expectKey(fixture, resource.id, resource.inputs);
  await removed(fixture, resource);
  expect(isGone(fixture, resource.id)).toBe(true);

  const existingKey = `sk_live_${workspaceId}`;
  const migrated = await created(fixture, { ...declared, prefix: null, expiresAt: null, existingKey });
  expect([migrated.state["key"], service.key(migrated.id)?.key]).toEqual([existingKey, existingKey]);
  await deletedElsewhere(fixture, migrated);
}

/** R6: a key that was deleted outside Pulumi leaves state, unless neither a record nor a whole list confirms it. */
async function deletedElsewhere(fixture: Fixture, { id, state, inputs }: Resource): Promise<void> {
  const { service, variant, workspaceId } = fixture;
  const subject = nextProcess(fixture).of(fixture.kind);
  service.deleteKey(id);
  // A list that lags behind catches up with the next change.
  if (variant.listLag > 0) service.addScope({ workspaceId, representation: "later" });
  const isShown = variant.delete === "marks" || variant.delete === "marksAndLists";
  const listed = service
    .keys({ workspaceId })
    .filter(({ deleted }) => !deleted || variant.delete.endsWith("Lists"));
  const isCut = variant.listLimit > 0 && listed.length > variant.listLimit && listed[0]?.id !== id;
  const isPartial = isCut && ["total", "hasMore"].includes(variant.listPages);
  if ((variant.keyLists !== "answered" || isPartial) && !isShown) {
    await expect(subject.read(id, state)).rejects.toThrow(/\blist.*`pulumi state delete`/s);
    await expect(subject.update(id, state, { ...inputs, name: "x" })).rejects.toThrow(Failure);
    return;
  }
  expect(await subject.read(id, state)).toBeUndefined();
  await expect(subject.update(id, state, { ...inputs, name: "x" })).rejects.toThrow(
    /the key no longer exists.*`pulumi up --refresh`/,
  );
  await subject.delete(id, state);
}

async function setLifecycle(fixture: Fixture): Promise<void> {
  const { service, variant, workspaceId } = fixture;
  const keys = {
    plain: {},
    own: { scopes: [], prefix: "acme" },
    old: { existingKey: `sk_old_${workspaceId}` },
  };
  const defaults = { customerId: "cus_1", scopes: [orders] };
  if (variant.createAnswer === "withoutKey")
    return withoutSecret(fixture, { defaults, keys: { plain: {} } }, { changes: true, replaces: [] });
  const idsOf = ({ state }: Resource) => state["ids"] as Readonly<Record<string, string>>;
  let resource = await created(fixture, { defaults, keys });
  resource = await updated(fixture, resource, { defaults: { ...defaults, scopes: wider } });
  const before = idsOf(resource);
  const plain = { enabled: false, name: "Plain One" };
  resource = await updated(fixture, resource, {
    keys: { plain, own: { scopes: [], prefix: "other" }, added: {}, moved: { renamedFrom: "old" } },
  });
  const now = idsOf(resource);
  expect([now["plain"], now["moved"]]).toEqual([before["plain"], before["old"]]);
  expect([isGone(fixture, before["own"] ?? ""), now["own"] === before["own"]]).toEqual([true, false]);
  expectKey(fixture, now["plain"] ?? "", { ...plain, scopes: wider });
  expectKey(fixture, now["moved"] ?? "", { name: "moved", scopes: wider });
  for (const [alias, id] of Object.entries(now))
    expect((resource.state["secrets"] as State)[alias]).toBe(service.key(id)?.key);
  const drift = { name: "theirs", enabled: true, scopes: [] };
  service.editKey(now["plain"] ?? "", drift);
  resource = await reverted(fixture, resource, {
    keys: { ...(resource.inputs["keys"] as object), plain: drift },
  });
  await removed(fixture, resource);
  for (const id of Object.values(now)) expect(isGone(fixture, id)).toBe(true);
}

/** K11: adopted without a POST, by a PATCH where it differs. */
async function adoptedLifecycle(fixture: Fixture): Promise<void> {
  const { service, variant, workspaceId } = fixture;
  const name = storedName("There", variant);
  const { id: existingId } = service.addKey({ workspaceId, customerId: "cus_1", name, scopes: [orders] });
  const declared = { customerId: "cus_1", name, scopes: [orders], existingId };
  const resource = await created(fixture, declared);
  expect([resource.id, resource.state["key"]]).toEqual([existingId, undefined]);
  await created(fixture, { ...declared, name: " Ours", scopes: wider });
  expectKey(fixture, existingId, { name: " Ours", scopes: wider });
  const posts = service.requests.filter(({ method }) => method === "POST");
  expect(posts).toEqual([]);
  await deletedElsewhere(fixture, resource);
}

async function settingsLifecycle(fixture: Fixture): Promise<void> {
  const { service, process, workspaceId } = fixture;
  const before = { defaultKeyPrefix: "old_", defaultAllowedIPs: ["10.1.0.0/16"], defaultExpiration: 3600 };
  service.editWorkspace(workspaceId, before);
  const there = () => service.workspaces().find(({ id }) => id === workspaceId);
  const onDestroy = "restore";
  let resource = await created(fixture, {
    defaultRateLimitPerSecond: 57,
    defaultAllowedIPs: ["10.1.2.3/16"],
    onDestroy,
  });
  expect(there()).toMatchObject({ ...before, defaultRateLimitPerSecond: 57 });
  resource = await updated(fixture, resource, {
    defaultExpiration: 7207,
    defaultAllowedIPs: ["2001:DB8::1"],
  });
  expect(there()).toMatchObject({ defaultKeyPrefix: "old_", defaultExpiration: 7207 });
  const drift = { defaultRateLimitPerSecond: 330, defaultAllowedIPs: [] };
  service.editWorkspace(workspaceId, drift);
  resource = await reverted(fixture, resource, drift);
  const later = nextProcess(fixture);
  await removed({ ...fixture, process: later }, resource);
  await later.close();
  expect(there()).toMatchObject(before);
  // W6: a workspace is never gone.
  service.inject({ endpoint: "readWorkspace", fault: { kind: "status", status: 404 } });
  await expect(process.of(fixture.kind).read(resource.id, resource.state)).rejects.toThrow(
    /^Reading the defaults of workspace .*State is unchanged/,
  );
}

/** Expects an update to be refused that would revert a change made by hand. Gives the state that the engine keeps. */
async function refused(fixture: Fixture, kind: string, resource: Resource, words: string): Promise<State> {
  const { service, process } = fixture;
  service.clearRequests();
  const { kept, message } = await failureOf(
    process.of(kind).update(resource.id, resource.state, resource.inputs),
  );
  expect(message).toContain("nothing was sent, because rights were changed outside Pulumi");
  expect(message).toContain(words);
  await service.settled();
  return kept?.state ?? resource.state;
}

/** The keys that were edited since the log was last cleared. */
function editedKeys({ service }: Fixture): readonly string[] {
  const edits = service.requests.filter(({ endpoint }) => endpoint === "editApiKey");
  return [...new Set(edits.map(({ path }) => decodeURIComponent(path.split("/").at(-1) ?? "")))];
}

/** K1: a right that was changed by hand stays, though the program changes other fields; up --refresh reverts it. */
async function handEdited(fixture: Fixture): Promise<void> {
  const { service, process, variant, workspaceId } = fixture;
  if (variant.createAnswer === "withoutKey") return;
  const key = { customerId: "cus_1", name: "Ci", scopes: [orders] };
  const changed = { ...key, scopes: wider };
  const rotating = { rotateEvery: "90d", keepers: { of: "now" } };
  const cases = [
    { kind: "ApiKey", first: key, last: changed },
    {
      kind: "ApiKeySet",
      first: { keys: { hit: key, other: key } },
      last: { keys: { hit: changed, other: changed } },
    },
    { kind: "RotatingApiKey", first: { ...key, ...rotating }, last: { ...changed, ...rotating } },
  ];
  for (const { kind, first, last } of cases) {
    const inputsOf = (declared: State, before?: State) => checked({ ...fixture, kind }, declared, before);
    const inputs = inputsOf(first);
    // It has a previous key, too.
    const oldest = kind === "RotatingApiKey" ? inputsOf({ ...key, rotateEvery: "90d" }) : inputs;
    let resource: Resource = { ...(await process.of(kind).create(oldest)), inputs };
    const { id } = resource;
    if (oldest !== inputs)
      resource = { ...resource, state: await process.of(kind).update(id, resource.state, inputs) };
    await service.settled();
    const { ids = {}, keyId, previousKeyId } = resource.state as { ids?: Record<string, string> } & State;
    const hit = String(ids["hit"] ?? keyId ?? id);
    const others = [ids["other"], previousKeyId].filter((id) => id !== undefined);
    service.editKey(hit, { enabled: false });
    const wanted = { ...resource, inputs: inputsOf(last, inputs) };
    const words = "enabled: the service has false, state has true. Run `pulumi up --refresh`";
    let state = await refused(fixture, kind, wanted, words);
    expect([editedKeys(fixture), service.key(hit)?.enabled]).toEqual([others, false]);
    // Nor does another update, after one that has failed in part.
    state = await refused(fixture, kind, { ...wanted, state }, words);
    expect([editedKeys(fixture), service.key(hit)?.enabled]).toEqual([[], false]);
    for (const id of others) expect(canonicalScopes(service.key(String(id))?.scopes)).toEqual(wider);
    state = (await process.of(kind).read(id, state))?.state ?? {};
    expect(process.of(kind).diff(id, state, wanted.inputs).changes).not.toBe(false);
    state = await process.of(kind).update(id, state, wanted.inputs);
    await service.settled();
    expectKey(fixture, hit, { ...key, scopes: wider });
    expect(process.of(kind).diff(id, state, wanted.inputs).changes).toBe(false);
  }
  const declared = { workspaceId, defaultAllowedIPs: ["10.0.0.0/8"], defaultRateLimitPerSecond: 50 };
  const settings = process.of("WorkspaceSettings");
  const made = await settings.create(settings.check(declared, undefined).inputs);
  await service.settled();
  service.editWorkspace(workspaceId, { defaultAllowedIPs: ["10.0.0.1"] });
  const { inputs } = settings.check({ ...declared, defaultRateLimitPerSecond: 60 }, declared);
  await refused(fixture, "WorkspaceSettings", { ...made, inputs }, 'state has ["10.0.0.0/8"]. Run');
  expect(service.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  const refreshed = (await settings.read(made.id, made.state))?.state ?? {};
  expect(await settings.update(made.id, refreshed, inputs)).toMatchObject(inputs);
}

/** K1: a read that still shows the values from before the last write is no change made by hand. */
async function lagging(fixture: Fixture): Promise<void> {
  const { service, variant, workspaceId } = fixture;
  if (variant.createAnswer === "withoutKey") return;
  let resource = await created(fixture, {
    customerId: "cus_1",
    name: "Ci",
    scopes: [orders],
    enabled: false,
  });
  const url = `${service.url}/api/v1/workspace/${encodeURIComponent(workspaceId)}/api-key/${encodeURIComponent(resource.id)}`;
  const before = await fetch(url, { headers: { authorization: `Bearer ${service.accessToken}` } });
  const fault = { kind: "status", status: before.status, body: await before.text() } as const;
  resource = await updated(fixture, resource, { scopes: wider, enabled: true });
  service.inject({ endpoint: "readApiKey", times: 3, fault });
  resource = await updated(fixture, resource, { name: "Later" });
  expectKey(fixture, resource.id, { name: "Later", scopes: wider });
  expect(fixture.process.warnings).toEqual([]);
}

async function scopeLifecycle(fixture: Fixture): Promise<void> {
  const { service, workspaceId, process, variant } = fixture;
  const declared = { name: " All Orders", representation: "bills/ü?", description: "Every order" };
  const resource = await created(fixture, declared);
  // Until a list shows the scope, declaring it once more would send a POST.
  for (let lists = 0; lists < variant.listLag; lists += 1)
    await nextProcess(fixture).of(fixture.kind).read(resource.id, resource.state);
  const again = await created(fixture, { ...declared, name: "all orders " });
  expect(again.id).toBe(resource.id);
  const other = checked(fixture, { ...declared, name: "Something" });
  await expect(process.of(fixture.kind).create(other)).rejects.toThrow(
    /the workspace already has it .*with name .*Declare these values, or another representation\.$/,
  );
  await removed(fixture, resource);
  expect(service.scopes(workspaceId)).toHaveLength(1);
  expect(service.requests.filter(({ method }) => !["GET", "POST"].includes(method))).toEqual([]);
}

async function grantLifecycle(fixture: Fixture): Promise<void> {
  const { service, variant } = fixture;
  const resource = await created(fixture, {
    totalCredits: "0100.50",
    spendCap: 1000,
    externalMeterId: "meter_1",
  });
  await created(fixture, { totalCredits: "7", spendCap: "5", externalMeterId: "meter_1", grant: "2" });
  await removed(fixture, resource);
  const granted = service.billings().map(({ totalCredits }) => totalCredits);
  expect(granted).toEqual(["100.5", "7"].map((credits) => storedDecimal(credits, variant)));
}

const scenarios = {
  ApiKey: keyLifecycle,
  ApiKeySet: setLifecycle,
  "adopted ApiKey": adoptedLifecycle,
  WorkspaceSettings: settingsLifecycle,
  "edited ApiKey": handEdited,
  "outdated ApiKey": lagging,
  Scope: scopeLifecycle,
  CustomerBilling: grantLifecycle,
};
const kinds = Object.entries(scenarios);
const cases = kinds.flatMap(([what, scenario]) => variantCases.map((each) => ({ ...each, what, scenario })));

async function run(
  what: string,
  scenario: (fixture: Fixture) => Promise<void>,
  variant: Variant,
  workspaceId: string,
) {
  const tenants = [{ name: "acme", accessToken: "tok_variants", workspaces: [{ id: workspaceId }] }];
  const service = await startStandIn({ variant, tenants });
  const process = nextProcess({ service, variant });
  try {
    for (const representation of what === "Scope" ? [] : ["orders", "users"])
      service.addScope({ workspaceId, representation });
    await scenario({ kind: what.split(" ").at(-1) ?? "", process, service, variant, workspaceId });
  } finally {
    await process.close();
    await service.close();
  }
}

test.each(cases)("R3 the lifecycle of an $what on $name", ({ what, scenario, variant, workspaceId }) =>
  run(what, scenario, variant, workspaceId),
);

/** A variant as a probe describes it. */
async function twinOf(variant: Variant): Promise<Variant> {
  const service = await serviceOn(variant);
  const { variant: seen } = await seenOn(service, ...toWrite).finally(() => service.close());
  return { ...defaultVariant, ...seen, laterMs, rateLimitPerSecond: 0 };
}

const probed = someOf(Object.keys(namedVariants) as VariantName[], (name) => name === "goJson");
test.each(probed.flatMap((name) => ["ApiKey", "adopted ApiKey"].map((what) => ({ name, what }) as const)))(
  "R3 the lifecycle of an $what on a service like that which a probe has seen, of the variant $name",
  { timeout: 60_000 },
  async ({ what, name }) => {
    const variant = await twinOf({ ...defaultVariant, ...namedVariants[name], laterMs: 60 });
    await run(what, scenarios[what as keyof typeof scenarios], variant, workspaceIds[variant.ids]);
  },
);

const workspaceIds = { text: "ws_1", numeric: "71", odd: "a b/ü%2F?#" };
test.each(kinds)(
  "R3 the lifecycle of an %s on random mixtures of server variants",
  async (what, scenario) => {
    await fc.assert(
      fc.asyncProperty(mixtures, async (mixture) => {
        const variant = { ...defaultVariant, ...mixture };
        await run(what, scenario, variant, workspaceIds[variant.ids]);
      }),
      { seed: 20_261_121, numRuns: runs(60), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
    );
  },
  120_000,
);
