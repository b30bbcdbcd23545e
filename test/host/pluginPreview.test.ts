import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isUnknown, unknown } from "../../provider/core/fields";
import { defaultVariant, namedVariants, type VariantName } from "../../standin";
import { runs, someOf } from "../all";
import { type Fixture, openPluginFixture } from "./fixture";
import { HostFailure, type Properties, type Resource } from "./host";
import type { PluginHost, PluginResource } from "./plugin";
import { quickTimers } from "./quickTimers";
import { laterMs } from "./serverVariants";

const isRecord = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isHidden = (name: string) => name.startsWith("__");

/** The paths where the operation's result differs from its preview. What was unknown may be anything. */
function broken(previewed: unknown, real: unknown, path = ""): readonly string[] {
  if (isUnknown(previewed)) return [];
  if (!isRecord(previewed) || !isRecord(real))
    return JSON.stringify(previewed) === JSON.stringify(real) ? [] : [path];
  return Object.keys({ ...previewed, ...real })
    .filter((name) => !isHidden(name))
    .flatMap((name) =>
      name in previewed ? broken(previewed[name], real[name], `${path}.${name}`) : [`${path}.${name}`],
    );
}

const least = { workspaceId: "ws_main", customerId: "cus_1" };

type Checked = Awaited<ReturnType<PluginResource["check"]>>;

/** One step in a resource's lifecycle: what the program declares now, and what changed outside Pulumi before. */
interface Step {
  readonly inputs: Properties;
  readonly drift: "none" | "name" | "scopes" | "outputs";
  readonly isRefreshed: boolean;
}

const [orders, users] = [
  { representation: "orders", read: true },
  { representation: "users", read: true, update: true },
];
const maybe = <T>(value: T) => fc.option(fc.constant(value), { nil: null });
const scopes = fc.subarray([orders, users]);
const ofKey = {
  name: fc.constantFrom("Night", "Day", " Day "),
  enabled: fc.boolean(),
  scopes,
};
/** Neither a migrated nor an adopted key can have a prefix. */
const value = fc.constantFrom({}, { prefix: "acme" }, { existingKey: "old" }, { existingId: "there" });
const key = fc
  .record({ ...ofKey, value, metadata: maybe({ team: "a", list: [1] }) })
  .map(({ value: own, metadata, ...rest }): Properties => {
    const isAdopted = "existingId" in own;
    return { customerId: "cus_1", ...rest, ...own, ...(!isAdopted && { metadata }) };
  });

const alias = fc.constantFrom("a", "b", "a b", "new");
const entry = fc.record({ ...ofKey, value, renamedFrom: alias }, { requiredKeys: ["value"] });
const set = fc
  .record({ scopes, keys: fc.dictionary(alias, entry, { noNullPrototype: true, minKeys: 1 }) })
  .map(({ scopes: usual, keys }): Properties => {
    const taken = new Set(Object.keys(keys));
    const entries = Object.entries(keys).map(([name, { renamedFrom = name, value: own, ...rest }]) => {
      const isRenamed = !taken.has(renamedFrom);
      taken.add(renamedFrom);
      const named = Object.keys(own).map((field) => [field, field === "prefix" ? "acme" : name]);
      return [name, { ...rest, ...Object.fromEntries(named), ...(isRenamed && { renamedFrom }) }];
    });
    return { defaults: { customerId: "cus_1", scopes: usual }, keys: Object.fromEntries(entries) };
  });
const rotating = fc.record({
  ...ofKey,
  customerId: fc.constant("cus_1"),
  prefix: maybe("acme"),
  keepers: maybe({ a: "b" }),
  rotateEvery: fc.constantFrom("90d", "30d"),
  overlap: fc.constantFrom("7d", "0d", "0d"),
  retire: fc.constantFrom("afterOverlap", "whenUnused"),
});
const setting = {
  defaultKeyPrefix: fc.constantFrom("a", "b"),
  defaultAllowedIPs: fc.subarray(["10.0.0.0/8", "192.0.2.7"]),
  defaultRateLimitPerSecond: fc.constantFrom(5, 57),
  onDestroy: fc.constantFrom("retain", "restore"),
};
const kinds: Readonly<Record<string, fc.Arbitrary<Properties>>> = {
  ApiKey: key,
  ApiKeySet: set,
  RotatingApiKey: rotating,
  WorkspaceSettings: fc.record(setting, { requiredKeys: ["defaultRateLimitPerSecond"] }),
  Scope: fc.constant({ name: "Orders", representation: "orders" }),
  CustomerBilling: fc.record({ billingId: fc.constantFrom("bill_1", "bill_2") }),
};

const stepsOf = (inputs: fc.Arbitrary<Properties>): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.record({
      inputs,
      drift: fc.constantFrom("none", "name", "scopes", "outputs", "outputs"),
      isRefreshed: fc.boolean(),
    }),
    { minLength: 3, maxLength: 6, size: "max" },
  );

/** The named variants whose answers to a write differ most. */
const few: ReadonlySet<string> = new Set(["default", "goJson", "mergePatch", "normalizing"]);
const later = "2030-01-01T00:00:00.000Z";
const workspaceOf = { text: "ws_main", numeric: "7", odd: "ws 7/ü%2F?#" };

let fixture: Fixture<PluginHost>;
beforeAll(async () => {
  const env = { ...quickTimers(), APIKEYS_NO_TOKEN_CHECK: "true" };
  fixture = await openPluginFixture({ workspaces: Object.values(workspaceOf), env });
});
afterAll(() => fixture.close());

async function silently<T>(operation: Promise<T>): Promise<T> {
  const before = fixture.standIn.requests.length;
  const result = await operation;
  expect(fixture.standIn.requests.slice(before)).toEqual([]);
  return result;
}

function change({ state, id }: Resource, drift: Step["drift"]): void {
  const { ids: all = { id, keyId: state["keyId"] } } = state;
  const ids = isRecord(all) ? Object.values(all).map(String) : [];
  const changes = {
    none: {},
    name: { name: "theirs" },
    scopes: { scopes: [{ ...orders, del: true }] },
    outputs: {
      ...{ updatedAt: later, createdAt: later, maskedKey: "sk_…other", billingId: "bill_9" },
      ...{ prefix: "theirs", expiresAt: 99 },
    },
  };
  const found = ids.find((one) => fixture.standIn.key(one) !== undefined);
  if (found !== undefined) fixture.standIn.editKey(found, changes[drift]);
}

/** Replaces existingKey by a value that no key has yet, and existingId by the id of an existing key. */
const own = (inputs: Properties, workspaceId: string, number: number): Properties =>
  JSON.parse(JSON.stringify(inputs), (name, value: unknown) => {
    if (name === "existingKey" && value !== null) return `sk_live_${value}_${number}`;
    if (name !== "existingId") return value;
    const there = `${value} ${number}`;
    const id =
      existing.get(there) ?? fixture.standIn.addKey({ workspaceId, customerId: "cus_1", name: "there" }).id;
    existing.set(there, id);
    return id;
  });
const existing = new Map<string, string>();

/** Returns how many updates succeeded; each must write what its preview showed. */
async function run(resource: PluginResource, workspaceId: string, steps: readonly Step[]): Promise<number> {
  let [held, before]: [Resource | undefined, Properties | undefined] = [undefined, undefined];
  let kept = 0;
  for (const { inputs: declared, drift, isRefreshed } of steps) {
    if (held !== undefined) change(held, drift);
    if (held !== undefined && isRefreshed) {
      const read = await resource.refresh(held, before ?? {});
      held = { id: held.id, state: read.properties };
      before = read.inputs ?? before;
    }
    const { inputs, failures }: Checked = await silently(
      resource.check({ workspaceId, ...declared }, before),
    );
    if (failures.length > 0) continue;
    const { changes, replaces } =
      held === undefined ? { changes: "some", replaces: [] } : await silently(resource.diff(held, inputs));
    if (changes === "none") continue;
    const old: Resource | undefined = replaces.length > 0 ? undefined : held;
    const previewed = await silently(resource.preview(inputs, old));
    try {
      const after: Resource = await (old === undefined
        ? resource.create(inputs)
        : resource.update(old, inputs));
      expect(broken(previewed, after.state)).toEqual([]);
      if (old !== undefined) kept += 1;
      if (held !== undefined && old === undefined) await resource.delete(held);
      held = after;
    } catch (error) {
      if (!(error instanceof HostFailure)) throw error;
      if (error.kept !== undefined) held = { id: error.kept.id, state: error.kept.properties };
    }
    before = inputs;
  }
  if (held !== undefined) await resource.delete(held).catch(() => {});
  return kept;
}

const names = someOf(Object.keys(namedVariants) as VariantName[], (name) => few.has(name));
const cases = names.flatMap((name) => Object.keys(kinds).map((kind) => ({ name, kind })));
let number = 0;
test.each(cases)(
  "R18: a preview of the plugin shows the state that the update of $kind then writes, on the server variant $name",
  async ({ name, kind }) => {
    const variant = { ...defaultVariant, ...namedVariants[name], rateLimitPerSecond: 0, laterMs };
    fixture.standIn.setVariant(variant);
    const workspaceId = workspaceOf[variant.ids];
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(stepsOf(kinds[kind] ?? fc.constant({})), async (steps) => {
        number += 1;
        const named = steps.map((step) => ({ ...step, inputs: own(step.inputs, workspaceId, number) }));
        kept += await run(fixture.host.resource(kind), workspaceId, named);
      }),
      { numRuns: runs(16), seed: 20_261_122 },
    );
    // A scope can't change in place.
    expect(kept > 0).toBe(kind !== "Scope");
  },
);

test("R18 a preview of the plugin has a key's outputs that an update doesn't change; the others are unknown", async () => {
  fixture.standIn.setVariant({});
  const resource = fixture.host.resource("ApiKey", "known");
  const { inputs } = await resource.check({ ...least, prefix: "acme", expiresAt: 60 });
  const first = await silently(resource.preview({ ...inputs, customerId: unknown }));
  expect(first).toMatchObject({ name: "known", prefix: "acme", customerId: unknown });
  for (const name of ["key", "maskedKey", "createdAt", "updatedAt", "effectivePrefix"])
    expect(first[name], name).toBe(unknown);

  const held = await resource.create(inputs);
  const { key, maskedKey, createdAt, effectivePrefix, effectiveExpiresAt } = held.state;
  const next = await silently(resource.preview({ ...inputs, name: unknown, scopes: [orders] }, held));
  expect(next).toEqual({
    ...inputs,
    ...{ name: unknown, scopes: [orders], updatedAt: unknown, billingId: unknown },
    ...{ key, maskedKey, createdAt, effectivePrefix, effectiveExpiresAt },
    // It tells the SDK that what the answer lacks is absent (R12).
    __service: held.state["__service"],
  });
});

test("R18 a preview of the plugin has the outputs of a set's kept, edited and renamed keys; the others are unknown", async () => {
  const resource = fixture.host.resource("ApiKeySet", "known");
  const entries = { kept: {}, edited: {}, replaced: {}, removed: {}, former: { name: "x" }, open: {} };
  const declared = { workspaceId: "ws_main", defaults: { customerId: "cus_1" }, keys: entries };
  const { inputs } = await resource.check(declared);
  const held = await resource.create(inputs);
  const { removed: _, former: __, ...others } = entries;
  const { inputs: next, failures } = await resource.check(
    {
      ...declared,
      keys: {
        ...others,
        edited: { enabled: false },
        replaced: { prefix: "acme" },
        now: { name: "x", renamedFrom: "former" },
        open: { customerId: unknown },
        added: {},
      },
    },
    inputs,
  );
  expect(failures).toEqual([]);
  const previewed = await silently(resource.preview(next, held));
  for (const output of ["ids", "maskedKeys", "secrets"]) {
    const before = held.state[output] as Record<string, string>;
    expect(previewed[output], output).toEqual({
      ...{ kept: before["kept"], edited: before["edited"], now: before["former"] },
      ...{ replaced: unknown, open: unknown, added: unknown },
    });
  }
  expect(await silently(resource.preview({ ...next, keys: unknown }, held))).toMatchObject({
    ...{ keys: unknown, ids: unknown, maskedKeys: unknown, secrets: unknown },
  });
});

test("R18 a preview of the plugin has the outputs of settings, a scope and a grant that never change after the create", async () => {
  const made = async (kind: string, declared: Properties, change: Properties) => {
    const resource = fixture.host.resource(kind, "known");
    const { inputs } = await resource.check({ workspaceId: "ws_main", ...declared });
    const held = await resource.create(inputs);
    return { state: held.state, next: await silently(resource.preview({ ...inputs, ...change }, held)) };
  };
  const settings = await made("WorkspaceSettings", { defaultExpiration: 60 }, { defaultExpiration: 61 });
  expect(settings.next).toMatchObject({
    teamId: settings.state["teamId"],
    name: settings.state["name"],
    defaultExpiration: 61,
  });
  const scope = await made("Scope", { name: "Orders", representation: "orders" }, {});
  expect(scope.next).toMatchObject({ createdAt: scope.state["createdAt"] });
  const grant = await made("CustomerBilling", { totalCredits: "1" }, { grant: "other" });
  const { billingId, createdAt } = grant.state;
  expect(grant.next).toMatchObject({ billingId, createdAt, grant: "other" });
});
