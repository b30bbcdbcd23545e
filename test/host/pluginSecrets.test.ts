import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { unknown } from "../../provider/core/fields";
import { secretPaths } from "../../sdk/resource";
import type { Endpoint } from "../../standin";
import { type Fixture, openPluginFixture } from "./fixture";
import { secret as asSecret, HostFailure, type Properties, secretMark, unmarked } from "./host";
import type { PluginHost, PluginResource } from "./plugin";
import { quickTimers } from "./quickTimers";

const marker = "sk_marker_q7ZxW2";
const secret = (value: unknown = marker) => asSecret(value);

/** The part of an answer that is not marked as secret. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === "object" && one !== null && secretMark in one ? "marked" : one,
  );
}

/** The list of secret paths that the SDK's classes pass on for the same inputs. */
async function listOfSdk(inputs: Properties): Promise<unknown> {
  const asProgram = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(asProgram);
    if (typeof value !== "object" || value === null) return value;
    if (secretMark in value) return pulumi.secret((value as unknown as Properties)["value"]);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asProgram(one)]));
  };
  return secretPaths(asProgram(inputs) as object, [], "");
}

interface Kind {
  readonly kind: string;
  readonly least: Properties;
  /** Inputs with the secret in different places. */
  readonly secretly: Readonly<Record<string, Properties>>;
  readonly update?: { readonly endpoint: Endpoint; readonly change: (program: Properties) => Properties };
}

const key = { workspaceId: "ws_main", customerId: "cus_1" };
/** A value of its own, because no two resources may have the same existingKey. */
const ofSet = `${marker}-of-set`;
const kinds: readonly Kind[] = [
  {
    kind: "ApiKey",
    least: { ...key, name: "ci" },
    secretly: {
      customerId: { customerId: secret() },
      name: { name: secret() },
      "a representation": { scopes: [{ representation: secret(), read: true }, { representation: "b" }] },
      scopes: { scopes: secret([{ representation: marker, read: true }]) },
      "a part of metadata": { metadata: { team: "a", deep: { token: secret(), list: [1, [secret()]] } } },
      keepers: { keepers: secret({ rotated: marker }) },
      existingKey: { existingKey: marker, keepers: { a: "b" } },
    },
    update: { endpoint: "editApiKey", change: () => ({ enabled: false }) },
  },
  {
    kind: "ApiKeySet",
    least: { workspaceId: "ws_main", defaults: { customerId: "cus_1" }, keys: { a: {}, b: {} } },
    secretly: {
      "a name": { keys: { a: { name: secret() }, b: { name: `${marker} b` } } },
      "an entry": { keys: { a: secret({ name: marker }), b: {} } },
      keys: { keys: secret({ a: { name: marker } }) },
      "a default's scope": {
        defaults: { customerId: "cus_1", scopes: [{ representation: secret(), read: true }] },
      },
      existingKey: { keys: { a: { existingKey: ofSet }, b: {} } },
    },
    update: {
      endpoint: "editApiKey",
      change: ({ defaults }) => ({ defaults: { ...(defaults as Properties), enabled: false } }),
    },
  },
  {
    kind: "WorkspaceSettings",
    least: { workspaceId: "ws_second", defaultExpiration: 60 },
    secretly: { defaultKeyPrefix: { defaultKeyPrefix: secret() } },
    update: { endpoint: "editWorkspace", change: () => ({ defaultExpiration: 61 }) },
  },
  {
    kind: "Scope",
    least: { workspaceId: "ws_main", name: "a", representation: "a" },
    secretly: {
      representation: { representation: secret() },
      description: { description: secret(), representation: "d" },
    },
  },
  {
    kind: "CustomerBilling",
    least: { workspaceId: "ws_main", totalCredits: "1" },
    secretly: { externalMeterId: { externalMeterId: secret(), spendCap: "5" } },
  },
];
const cases = kinds.flatMap(({ secretly, ...kind }) =>
  Object.entries(secretly).map(([place, inputs]) => ({ ...kind, place, inputs })),
);

let fixture: Fixture<PluginHost>;
beforeAll(async () => {
  fixture = await openPluginFixture({ variant: { errorEchoes: "request" }, env: quickTimers() });
});
beforeEach(() => {
  fixture.standIn.clearFaults();
  for (const { id } of fixture.standIn.keys()) fixture.standIn.deleteKey(id);
  fixture.standIn.editWorkspace("ws_second", { defaultKeyPrefix: undefined, defaultExpiration: undefined });
});
afterAll(async () => expect(await fixture.close()).not.toContain(marker));

/** The answer, in which every secret must be marked. */
async function marks<T>(answer: Promise<T>): Promise<T> {
  const found = await answer;
  const secrets = [marker, ...fixture.standIn.keys().map((one) => one.key)];
  for (const text of secrets) expect(shown(found)).not.toContain(text);
  return found;
}
async function failure(operation: Promise<unknown>): Promise<HostFailure> {
  const found: unknown = await operation.catch((error: unknown) => error);
  if (!(found instanceof HostFailure)) throw new Error("the operation did not fail");
  expect(found.message).not.toContain(marker);
  return found;
}
const resourceOf = (kind: string, place: string): PluginResource => fixture.host.marked(kind, place);

test.each(cases)(
  "R16: a secret input of $kind ($place) is marked as secret in every answer of the plugin, and is in no message",
  async (one) => {
    const { kind, place, least, inputs: secretly, update } = one;
    const resource = resourceOf(kind, place);
    const program = { ...least, ...secretly };
    const { inputs, failures } = await marks(resource.check(program));
    expect(failures).toEqual([]);
    const listed = { ...unmarked(program), __secrets: await listOfSdk(program) };
    expect((await resource.check(listed, inputs)).inputs).toEqual(inputs);
    await marks(resource.preview(inputs));
    const held = await marks(resource.create(inputs));
    expect(held.state["__secrets"]).toEqual(inputs["__secrets"]);
    expect((await resource.diff(held, inputs)).changes).toBe("none");
    await marks(resource.refresh(held, inputs));
    if (update === undefined) return;

    const { inputs: next } = await marks(resource.check({ ...program, ...update.change(program) }, inputs));
    await marks(resource.preview(next, held));
    const value = JSON.stringify(program).includes(ofSet) ? ofSet : marker;
    const body = { message: `no ${value}` };
    // After a refusal of what a list confirmed, the key is read and written again.
    fixture.standIn.inject({
      endpoint: update.endpoint,
      fault: { kind: "status", status: 400, body },
      times: 4,
    });
    await failure(resource.update(held, next));
    fixture.standIn.clearFaults();
    const after = await marks(resource.update(held, next));
    for (const { id } of fixture.standIn.keys()) fixture.standIn.editKey(id, { enabled: true });
    const seen = await marks(resource.refresh(after, next));
    if (kind.startsWith("ApiKey")) expect(seen.inputs).toBeDefined();
  },
);

const halfway = [
  { kind: "ApiKey", endpoint: "createApiKey", fault: { kind: "withoutKey" } },
  { kind: "ApiKeySet", endpoint: "createApiKey", fault: { kind: "withoutKey" } },
  {
    kind: "WorkspaceSettings",
    endpoint: "editWorkspace",
    fault: { kind: "withoutEffect", answer: "before" },
  },
  { kind: "CustomerBilling", endpoint: "createBilling", fault: { kind: "resetAfter" } },
] as const;
test.each(halfway)(
  "R16 a secret input is marked in the state of $kind that a create failing halfway leaves",
  async (one) => {
    const { kind, endpoint, fault } = one;
    for (const { place, least, inputs: secretly } of cases.filter((each) => each.kind === kind)) {
      if (place === "existingKey") continue;
      const resource = resourceOf(kind, `halfway ${place}`);
      const { inputs } = await resource.check({
        ...least,
        ...secretly,
        ...(kind === "CustomerBilling" && { grant: "2" }),
      });
      fixture.standIn.inject({ endpoint, fault, times: 9 });
      const { kept, message } = await failure(resource.create(inputs));
      expect(kept, `${place} ${message}`).toBeDefined();
      expect(shown(kept), place).not.toContain(marker);
      fixture.standIn.clearFaults();
    }
  },
);

test("R16 an input that is no longer secret takes one update without a request, and is then not marked", async () => {
  const resource = resourceOf("ApiKey", "told");
  const { inputs } = await resource.check({ ...key, name: secret() });
  const held = await resource.create(inputs);
  const { inputs: next } = await resource.check({ ...key, name: marker }, inputs);
  expect((await resource.diff(held, next)).changes).toBe("some");
  const notes = () => fixture.host.logged.filter(({ urn }) => urn === resource.urn);
  expect(notes()).toMatchObject([
    {
      severity: "info",
      message: expect.stringContaining("only which of its values are secret has changed."),
    },
  ]);
  fixture.standIn.clearRequests();
  const previewed = await resource.preview(next, held);
  const after = await resource.update(held, next);
  expect(previewed).toEqual(after.state);
  expect(notes()).toHaveLength(1);
  expect(fixture.standIn.requests).toEqual([]);
  expect(await resource.details(held, next)).toEqual({});
  expect(after.state).toMatchObject({ name: marker });
  expect(after.state).not.toHaveProperty("__secrets");
  expect((await resource.diff(after, next)).changes).toBe("none");
  const { inputs: again } = await resource.check({ ...key, name: secret() }, next);
  expect((await resource.update(after, again)).state).toMatchObject({ name: secret() });
});

test("R16 a secret input is one that the SDK lists or the engine marks; after check, the list alone counts", async () => {
  const resource = resourceOf("ApiKey", "transformed");
  const program = { ...key, name: secret(), prefix: "acme", __secrets: [["prefix"]] };
  const { inputs } = await marks(resource.check(program));
  expect(inputs).toMatchObject({
    name: secret(),
    prefix: secret("acme"),
    __secrets: [["name"], ["prefix"]],
  });
  const held = await marks(resource.create(inputs));
  expect(held.state["__secrets"]).toEqual([["name"], ["prefix"]]);
  expect((await resource.diff(held, inputs)).changes).toBe("none");

  const marked = { ...inputs, customerId: secret("cus_1") };
  expect((await resource.diff(held, marked)).changes).toBe("none");
  expect((await resource.preview(marked))["__secrets"]).toEqual([["name"], ["prefix"]]);
  expect((await resource.create(marked)).state["__secrets"]).toEqual([["name"], ["prefix"]]);
  const edited = { ...marked, enabled: false };
  expect((await resource.update(held, edited)).state["__secrets"]).toEqual([["name"], ["prefix"]]);
});

test("R16 a key's own secret is always marked, even while it is unknown", async () => {
  const single = resourceOf("ApiKey", "single");
  const { inputs } = await single.check({ ...key, name: "ci" });
  const previewed = await single.preview(inputs);
  expect(previewed["key"]).toEqual(secret(unknown));
  const held = await marks(single.create(inputs));
  expect(held.state["key"]).toEqual(secret(fixture.standIn.key(held.id)?.key));
  expect(await single.preview({ ...inputs, enabled: false }, held)).toMatchObject({
    key: held.state["key"],
  });

  const set = resourceOf("ApiKeySet", "set");
  const declared = { workspaceId: "ws_main", defaults: { customerId: "cus_1" }, keys: { a: {} } };
  const { inputs: ofSet } = await set.check(declared);
  expect((await set.preview(ofSet))["secrets"]).toEqual(secret({ a: unknown }));
  expect((await marks(set.create(ofSet))).state["secrets"]).toMatchObject({
    [secretMark]: expect.any(String),
  });
});

test("R16 a secret input is not printed by the engine, because a check failure names no property", async () => {
  for (const { kind, least } of kinds) {
    const bad = Object.fromEntries(Object.keys(least).map((name) => [name, secret([{ [marker]: marker }])]));
    const { failures } = await resourceOf(kind, "bad").check({ ...bad, [`x${kind}`]: secret() });
    expect(failures.length).toBeGreaterThan(1);
    expect(failures.every(({ property }) => property === "")).toBe(true);
  }
});
