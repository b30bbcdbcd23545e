import { expect } from "vitest";
import type { StoredKey, Variant } from "../../standin";
import { storedName } from "../../standin/normalise";
import type { Properties } from "./host";
import { failureOf, granted, stored } from "./outcomes";
import { checked, expectQuiet, type Plot, planned } from "./plot";
import type { Scene } from "./scene";

const orders = { representation: "orders", read: true };
const users = { representation: "users", read: true, update: true };

/** An ApiKey and a set adopt existing keys, replace and delete them; a missing key fails. The same on every variant. */
export async function adoptionLife(scene: Scene, variant: Variant, workspaceId: string): Promise<void> {
  const { standIn, host } = scene;
  standIn.setVariant(variant);
  for (const representation of ["orders", "users"]) standIn.addScope({ workspaceId, representation });
  const plot: Plot = { ...scene, resource: scene.key, variant, workspaceId };
  const sets: Plot = { ...plot, resource: host.resource("ApiKeySet") };
  const add = (name: string, more: object = {}) =>
    standIn.addKey({
      workspaceId,
      customerId: "cus_1",
      name: storedName(name, variant),
      scopes: [orders],
      ...more,
    });
  const there = add("There");
  await alone(plot, there);
  const keys = Array.from({ length: 4 }, (_, place) =>
    add(`Key ${place}`, place === 3 ? { enabled: false } : {}),
  );
  await asASet(sets, keys, there);
  await missing(plot);
}

/** Adopted without a write; adopted again with other inputs, by a PATCH; leaving existingId out is no change. */
async function alone(plot: Plot, { id, name }: StoredKey): Promise<void> {
  const { resource, workspaceId } = plot;
  const asItIs = { workspaceId, customerId: "cus_1", name, scopes: [orders], existingId: id };
  const inputs = await checked(plot, asItIs);
  const held = await adopting(plot, [], () => resource.create(inputs));
  expect(held.id).toBe(id);
  expect(held.state).not.toHaveProperty("key");
  await expectQuiet(plot, held, inputs);

  const others = await checked(plot, { ...asItIs, name: " Ours", scopes: [orders, users], enabled: false });
  const changed = await adopting(plot, ["editApiKey"], () => resource.create(others));
  expect(stored(plot, changed)).toMatchObject({ name: storedName(" Ours", plot.variant), enabled: false });
  expect(granted(stored(plot, changed))).toEqual([orders, users]);
  await expectQuiet(plot, changed, others);

  const { existingId: _, ...without } = others;
  expect(await planned(plot, changed, await checked(plot, without, others))).toEqual({
    changes: false,
    replaces: [],
  });
}

/** A set adopts keys. Then one entry is removed, and another one's key is replaced by a new one. */
async function asASet(plot: Plot, keys: readonly StoredKey[], there: StoredKey): Promise<void> {
  const { resource, workspaceId, variant } = plot;
  const entries = Object.fromEntries(
    keys.map(({ id, name }, place): [string, Properties] => [`k${place}`, { existingId: id, name }]),
  );
  const of = (more: Properties) => ({
    workspaceId,
    defaults: { customerId: "cus_1", scopes: [orders] },
    keys: more,
  });
  const before = await checked(plot, of({}));
  const first = await resource.create(before);
  const inputs = await checked(plot, of(entries), before);
  expect(await planned(plot, first, inputs)).toEqual({ changes: true, replaces: [] });
  const held = await adopting(plot, ["editApiKey"], () => resource.update(first, inputs));
  expect(held.state["ids"]).toEqual(Object.fromEntries(keys.map(({ id }, place) => [`k${place}`, id])));
  expect(held.state["secrets"]).toEqual({});
  await expectQuiet(plot, held, inputs);
  if (variant.createAnswer !== "withoutKey") {
    const { k0: _, k1, ...rest } = entries;
    const renewed = { name: k1?.["name"], keepers: { time: "1" } };
    const next = await checked(plot, of({ ...rest, k1: renewed }), inputs);
    const after = await resource.update(held, next);
    const { k1: made, ...others } = after.state["ids"] as Record<string, string>;
    expect(Object.values(others)).toEqual(keys.slice(2).map(({ id }) => id));
    for (const gone of keys.slice(0, 2)) expect(plot.standIn.key(gone.id)?.deleted ?? true).toBe(true);
    await plot.standIn.settled();
    expect(after.state["secrets"]).toEqual({ k1: plot.standIn.key(made ?? "")?.key });
    await expectQuiet(plot, after, next);
    await resource.delete(await resource.update(after, await checked(plot, of({}), next)));
  } else {
    await resource.delete(await resource.update(held, await checked(plot, of({}), inputs)));
  }
  for (const key of keys) expect(plot.standIn.key(key.id)?.deleted ?? true).toBe(true);
  expect(plot.standIn.key(there.id)?.deleted).toBe(false);
}

/** R6: adopting a deleted key fails and changes nothing, however the service reports the deletion. */
async function missing(plot: Plot): Promise<void> {
  const { id } = plot.standIn.addKey({ workspaceId: plot.workspaceId, customerId: "cus_1", name: "gone" });
  plot.standIn.deleteKey(id);
  const { workspaceId } = plot;
  const inputs = await checked(plot, {
    workspaceId,
    customerId: "cus_1",
    name: "gone",
    scopes: [],
    existingId: id,
  });
  const failure = await failureOf(adopting(plot, [], () => plot.resource.create(inputs)));
  expect(failure.kept).toBeUndefined();
  expect(failure.message).toMatch(/^Adopting key "gone" in workspace .*Nothing was changed/);
}

/** Runs the operation, and expects writes to exactly these endpoints, each at least once. */
async function adopting<T>(
  { standIn }: Plot,
  writes: readonly string[],
  operation: () => Promise<T>,
): Promise<T> {
  const before = standIn.requests.length;
  try {
    return await operation();
  } finally {
    const asked = standIn.requests.slice(before).filter(({ method }) => method !== "GET");
    expect([...new Set(asked.map(({ endpoint }) => endpoint))]).toEqual(writes);
  }
}
