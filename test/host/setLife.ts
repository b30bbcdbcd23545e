import { expect } from "vitest";
import type { Variant } from "../../standin";
import { storedName } from "../../standin/normalise";
import { type Held, HostFailure, type Properties } from "./host";
import { acceptsAgain, listsKeys, unbelieved } from "./keyLifeSteps";
import { granted, stored } from "./outcomes";
import { checked, type Declared, expectQuiet, type Plot, planned } from "./plot";
import type { Scene } from "./scene";

const orders = { representation: "orders", read: true };
const users = { representation: "users", read: true };

/** The expected values of a key. */
interface Key {
  readonly name: string;
  readonly customerId: string;
  readonly enabled: boolean;
  readonly scopes: readonly object[];
}
type Keys = Readonly<Record<string, Key>>;

/** Create, edit defaults and entries, add, remove, replace, rename, drift, deletion outside Pulumi, delete: on every variant. */
export async function setLife(scene: Scene, variant: Variant, workspaceId: string): Promise<void> {
  const plot: Plot = { ...scene, resource: scene.host.resource("ApiKeySet"), variant, workspaceId };
  plot.standIn.setVariant(variant);
  for (const representation of ["orders", "users"]) plot.standIn.addScope({ workspaceId, representation });
  if (variant.createAnswer === "withoutKey") return withoutSecrets(plot);

  const defaults = { customerId: "cus_1", scopes: [orders] };
  const keys: Record<string, Properties> = {
    plain: {},
    " Named ": { enabled: false },
    own: { customerId: "cus_2", scopes: [], name: "Own", prefix: "acme", expiresAt: 86_399 },
    old: { existingKey: `sk_live_${workspaceId}_of_old`, name: "Old" },
  };
  const key = { name: "plain", customerId: "cus_1", enabled: true, scopes: [orders] };
  let meant: Keys = {
    plain: key,
    " Named ": { ...key, name: " Named ", enabled: false },
    own: { name: "Own", customerId: "cus_2", enabled: true, scopes: [] },
    old: { ...key, name: "Old" },
  };
  let now = await created(plot, { workspaceId, defaults, keys }, meant);
  expect((now.held.state["secrets"] as Properties)["old"]).toBe(`sk_live_${workspaceId}_of_old`);

  // Changed defaults edit every key but the one with its own scopes.
  const wider = [{ ...orders, update: true }, users];
  meant = Object.fromEntries(
    Object.entries(meant).map(([alias, one]) => [alias, alias === "own" ? one : { ...one, scopes: wider }]),
  );
  now = await changed(plot, now, { defaults: { ...defaults, scopes: wider } }, meant, ["old", "own"], {
    kept: Object.keys(meant),
  });

  // Changed entries: one edited, one added, one removed, one replaced, one renamed.
  const { own, " Named ": named } = keys;
  meant = {
    plain: { ...key, scopes: wider, enabled: false, name: "Plain One" },
    added: { ...key, scopes: wider, name: "added" },
    own: { name: "Own", customerId: "cus_2", enabled: true, scopes: [] },
    moved: { ...key, scopes: wider, name: "moved", enabled: false },
  };
  const next = {
    moved: { ...named, renamedFrom: " Named " },
    plain: { enabled: false, name: "Plain One" },
    added: {},
    own: { ...own, prefix: "other" },
  };
  const before = idsOf(now.held);
  now = await changed(plot, now, { keys: next }, meant, [], { kept: ["plain"] });
  const after = idsOf(now.held);
  expect(after["moved"]).toBe(before[" Named "]);
  expect(after["own"]).not.toBe(before["own"]);
  for (const gone of [before["own"], before["old"]]) expectGone(plot, gone);

  now = await reverted(plot, now, meant);
  if (!listsKeys(variant)) return keptUnlisted(plot, now);
  now = await recreated(plot, now, meant);
  await plot.resource.delete(now.held);
  for (const id of Object.values(idsOf(now.held))) expectGone(plot, id);
  await plot.resource.delete(now.held);
}

async function created(plot: Plot, declared: Properties, meant: Keys): Promise<Declared> {
  const inputs = await checked(plot, declared);
  const held = await plot.resource.create(inputs);
  expect(held.id).toMatch(/^keys-/);
  await expectHeld(plot, held, inputs, meant);
  return { held, inputs };
}

/** R13: afterwards there is nothing to do, and the keys that don't change keep their ids and secrets. */
async function changed(
  plot: Plot,
  { held, inputs }: Declared,
  change: Properties,
  meant: Keys,
  untouched: readonly string[],
  { kept }: { readonly kept: readonly string[] },
): Promise<Declared> {
  const next = await checked(plot, { ...inputs, ...change }, inputs);
  expect(await planned(plot, held, next)).toEqual({ changes: true, replaces: [] });
  const after = await plot.resource.update(held, next);
  await expectHeld(plot, after, next, meant);
  for (const alias of [...untouched, ...kept]) {
    expect(idsOf(after)[alias]).toBe(idsOf(held)[alias]);
    expect(secretsOf(after)[alias]).toBe(secretsOf(held)[alias]);
  }
  return { held: after, inputs: next };
}

/** R3, R5: a change made outside Pulumi shows in that entry alone, and the next update reverts it. */
async function reverted(plot: Plot, { held, inputs }: Declared, meant: Keys): Promise<Declared> {
  const drift = { name: "somebody else's", enabled: true, scopes: [] };
  plot.standIn.editKey(idsOf(held)["plain"] ?? "", drift);
  const read = await plot.resource.read(held);
  const entries = inputs["keys"] as Record<string, Properties>;
  expect(read.inputs).toEqual({ ...inputs, keys: { ...entries, plain: { ...entries["plain"], ...drift } } });
  const seen = { id: held.id, state: read.properties };
  expect(await plot.resource.read(seen)).toEqual({ ...read, inputs: undefined });
  expect(await planned(plot, seen, inputs)).toEqual({ changes: true, replaces: [] });
  const after = await plot.resource.update(seen, inputs);
  expect(idsOf(after)).toEqual(idsOf(held));
  await expectHeld(plot, after, inputs, meant);
  return { held: after, inputs };
}

/** R6: a key that was deleted outside Pulumi leaves the set, which stays; the next update creates it again. */
async function recreated(plot: Plot, { held, inputs }: Declared, meant: Keys): Promise<Declared> {
  plot.standIn.deleteKey(idsOf(held)["added"] ?? "");
  const read = await plot.resource.read(held);
  expect(read.id).toBe(held.id);
  const { added: _, ...others } = inputs["keys"] as Properties;
  expect(read.inputs).toEqual({ ...inputs, keys: others });
  const seen = { id: held.id, state: read.properties };
  expect(await planned(plot, seen, inputs)).toEqual({ changes: true, replaces: [] });
  const after = await plot.resource.update(seen, inputs);
  const { added, ...rest } = idsOf(after);
  expect({ ...rest, added: idsOf(held)["added"] }).toEqual(idsOf(held));
  expect(added).not.toBe(idsOf(held)["added"]);
  await expectHeld(plot, after, inputs, meant);
  return { held: after, inputs };
}

/** R6: if keys can't be listed, one that was deleted outside Pulumi stays in state; the others are deleted. */
async function keptUnlisted(plot: Plot, { held }: Declared): Promise<void> {
  plot.standIn.deleteKey(idsOf(held)["added"] ?? "");
  const remove = () => plot.resource.delete(held);
  for (const operation of [() => plot.resource.read(held), ...(acceptsAgain(plot.variant) ? [] : [remove])]) {
    const failure: unknown = await operation().catch((error: unknown) => error);
    if (!(failure instanceof HostFailure)) throw new Error("the operation did not fail");
    expect(failure.message).toMatch(unbelieved);
  }
  if (acceptsAgain(plot.variant)) await remove();
  for (const id of Object.values(idsOf(held))) expectGone(plot, id);
}

/** K6: keys without a secret stay in state, and each update replaces them and leaves none behind. */
async function withoutSecrets(plot: Plot): Promise<void> {
  const inputs = await checked(plot, {
    workspaceId: plot.workspaceId,
    keys: { a: { customerId: "cus_1" }, b: { customerId: "cus_1" } },
  });
  const first = await kept(
    plot.resource.create(inputs),
    /^Creating .*: 2 of 2 failed\. State records what succeeded/,
  );
  expect(first.state).toMatchObject({
    __keys: { a: { __keyLost: true }, b: { __keyLost: true } },
    secrets: {},
  });
  expect(await planned(plot, first, inputs)).toEqual({ changes: true, replaces: [] });
  const second = await kept(plot.resource.update(first, inputs), /^Updating .*: 2 of 2 failed/);
  expect(second.state["__toDelete"]).toBeUndefined();
  for (const id of Object.values(idsOf(first))) expectGone(plot, id);
  await plot.resource.delete(second);
  for (const id of Object.values(idsOf(second))) expectGone(plot, id);
}

async function kept(operation: Promise<unknown>, message: RegExp): Promise<Held> {
  const failure: unknown = await operation.catch((error: unknown) => error);
  if (!(failure instanceof HostFailure)) throw new Error("the operation did not fail");
  expect(failure.message).toMatch(message);
  return { id: failure.kept?.id ?? "", state: failure.kept?.properties ?? {} };
}

/** The service has the expected values as the variant spells them, state has the secrets, and nothing shows a change. */
async function expectHeld(plot: Plot, held: Held, inputs: Properties, meant: Keys): Promise<void> {
  const ids = idsOf(held);
  await plot.standIn.settled();
  expect(Object.keys(ids).sort()).toEqual(Object.keys(meant).sort());
  for (const [alias, { scopes, ...key }] of Object.entries(meant)) {
    const there = stored(plot, { id: ids[alias] ?? "", state: {} });
    expect(there).toMatchObject({ ...key, name: storedName(key.name, plot.variant), deleted: false });
    expect(granted(there)).toEqual(scopes);
    expect(secretsOf(held)[alias]).toBe(there.key);
  }
  await expectQuiet(plot, held, inputs);
}

function idsOf({ state }: Held): Readonly<Record<string, string>> {
  return state["ids"] as Record<string, string>;
}

function secretsOf({ state }: Held): Readonly<Record<string, string>> {
  return state["secrets"] as Record<string, string>;
}

function expectGone({ standIn }: Plot, id = ""): void {
  expect(id).not.toBe("");
  expect(standIn.key(id)?.deleted ?? true).toBe(true);
}
