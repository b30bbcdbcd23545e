import { expect } from "vitest";
import type { Variant } from "../../standin";
import { storedName } from "../../standin/records";
import type { Properties } from "./host";
import {
  asking,
  checked,
  type Declared,
  expectQuiet,
  type Plot,
  planned,
  refusals,
  refusedCreate,
  warned,
  writing,
} from "./plot";
import type { Scene } from "./scene";

/** Create, adopt, refuse a change, edit and delete outside Pulumi, destroy: the same on every variant. */
export async function scopeLife(scene: Scene, variant: Variant, workspaceId: string): Promise<void> {
  const plot: Plot = { ...scene, resource: scene.host.resource("Scope"), variant, workspaceId };
  plot.standIn.setVariant(variant);
  // A truncated list may have one scope only.
  for (const { id } of plot.standIn.scopes(workspaceId)) plot.standIn.deleteScope(id);
  const now = await created(plot);
  await refusedOrReplaced(plot, now);
  await adopted(plot, now);
  await different(plot, now);
  await editedElsewhere(plot, now);
  await destroyed(plot, now);
  await deletedElsewhere(plot, now);
  await again(plot);
  await elsewhere(plot);
}

async function created(plot: Plot): Promise<Declared> {
  const { standIn, variant, workspaceId } = plot;
  const inputs = await checked(plot, {
    workspaceId,
    name: " All Orders",
    representation: "orders",
    description: "Every order",
  });
  const held = await writing(plot, ["createScope"], () => plot.resource.create(inputs));
  const [stored, ...others] = standIn.scopes(workspaceId);
  expect(others).toEqual([]);
  expect(stored).toMatchObject({
    id: held.id,
    name: storedName(" All Orders", variant),
    representation: "orders",
    description: "Every order",
  });
  expect(held.state).toMatchObject(inputs);
  await expectQuiet(plot, held, inputs);
  // Until a list shows the scope, declaring it once more would send a POST.
  for (let lists = 0; lists < variant.listLag; lists += 1) await plot.resource.read(held);
  return { held, inputs };
}

/** S2: a change that the service has no call for fails check; another representation replaces. */
async function refusedOrReplaced(plot: Plot, { held, inputs }: Declared): Promise<void> {
  for (const change of [{ name: "Other" }, { description: "Other" }, { description: null }]) {
    const [field] = Object.keys(change);
    const [reason, ...others] = await refusals(plot, { ...inputs, ...change }, inputs);
    expect(others).toEqual([]);
    expect(reason).toMatch(
      new RegExp(`^${field}: can't change, because the service has no call .*another representation`),
    );
  }
  const next = await checked(plot, { ...inputs, name: "Other", representation: "bills" }, inputs);
  expect(await planned(plot, held, next)).toEqual({ changes: true, replaces: ["representation"] });
}

/** S1: a scope that differs only in case and outer white space is adopted without a POST. */
async function adopted(plot: Plot, { held, inputs }: Declared): Promise<void> {
  for (const change of [{}, { name: "all orders " }, { description: "EVERY ORDER" }]) {
    const next = await checked(plot, { ...inputs, ...change });
    const same = await asking(plot, ["listScopes"], () => plot.resource.create(next));
    expect(same.id).toBe(held.id);
    await expectQuiet(plot, same, next);
  }
}

/** S1: a scope with other values is an error that has the service's values. */
async function different(plot: Plot, { inputs }: Declared): Promise<void> {
  const change = { name: "Something", description: undefined };
  const next = await checked(plot, defined({ ...inputs, ...change }));
  const message = await asking(plot, ["listScopes"], () => refusedCreate(plot, next));
  expect(message).toMatch(/^Creating scope "orders" in workspace .*: the workspace already has it /);
  expect(message).toContain(storedName(" All Orders", plot.variant));
  expect(message).toContain('description "Every order"');
  expect(message).toContain("Declare these values, or another representation.");
}

/** S2: an edit made in the service is a warning, and changes nothing. */
async function editedElsewhere(plot: Plot, { held, inputs }: Declared): Promise<void> {
  const { standIn, resource } = plot;
  const [scope] = standIn.scopes(plot.workspaceId);
  standIn.editScope(held.id, { name: "Theirs", updatedAt: "2027-01-01T00:00:00Z" });
  await warned(
    plot,
    /^warning: Scope "orders" in workspace .*: unlike the program, the service has name "Theirs"\./m,
    async () => {
      expect(await resource.read(held)).toEqual({ id: held.id, properties: held.state, inputs: undefined });
    },
  );
  standIn.editScope(held.id, { name: String(scope?.name) });
  await expectQuiet(plot, held, inputs);
}

/** S3: destroy sends no request, and warns that the scope stays. */
async function destroyed(plot: Plot, { held }: Declared): Promise<void> {
  await warned(plot, /^warning: Scope "orders" in workspace .* stays in the service/m, () =>
    asking(plot, [], () => plot.resource.delete(held)),
  );
  expect(plot.standIn.scopes(plot.workspaceId)).toHaveLength(1);
}

/** S3: a scope that the list doesn't contain stays in state, with a warning. */
async function deletedElsewhere(plot: Plot, { held, inputs }: Declared): Promise<void> {
  plot.standIn.deleteScope(held.id);
  const stays = { id: held.id, properties: held.state, inputs: undefined };
  await warned(
    plot,
    /^warning: Scope "orders" in workspace .* does not list it, .* stays in state/m,
    async () => expect(await writing(plot, [], () => plot.resource.read(held))).toEqual(stays),
  );
  // To keys, another scope with the same representation is the same scope.
  const other = plot.standIn.addScope({
    ...inputs,
    ...{ workspaceId: plot.workspaceId, representation: "orders" },
  });
  expect((await plot.resource.read(held)).id).toBe(other.id);
  plot.standIn.deleteScope(other.id);
}

/** Without a description, which is sent as "", because a service may require it. */
async function again(plot: Plot): Promise<void> {
  const { standIn, workspaceId } = plot;
  const inputs = await checked(plot, { workspaceId, name: "Bills", representation: "bills/ü?" });
  const held = await writing(plot, ["createScope"], () => plot.resource.create(inputs));
  expect(standIn.scopes(workspaceId)).toMatchObject([
    { id: held.id, representation: "bills/ü?", description: "" },
  ]);
  await expectQuiet(plot, held, inputs);
}

async function elsewhere(plot: Plot): Promise<void> {
  const inputs = await checked(plot, { workspaceId: "ws_nobody", name: "x", representation: "x" });
  const message = await refusedCreate(plot, inputs);
  expect(message).toMatch(
    /^Creating scope "x" in workspace ws_nobody: .*40[34].*\. Nothing was created\. Check /,
  );
}

function defined(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}
