import { expect } from "vitest";
import type { Variant } from "../../standin";
import { storedDecimal } from "../../standin/normalise";
import { failureOf } from "./outcomes";
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
} from "./plot";
import type { Scene } from "./scene";

/** Grant, refuse a change, destroy, grant again, lose an answer, adopt: the same on every variant. */
export async function billingLife(scene: Scene, variant: Variant, workspaceId: string): Promise<void> {
  const resource = scene.host.resource("CustomerBilling");
  const plot: Plot = { ...scene, resource, variant, workspaceId };
  plot.standIn.setVariant(variant);
  const first = await granted(plot);
  await unchangeable(plot, first);
  await destroyed(plot, first);
  await grantedAgain(plot, first);
  await adopted(plot, await lost(plot));
  await elsewhere(plot);
}

function records({ standIn, workspaceId }: Plot) {
  return standIn.billings().filter((record) => record.workspaceId === workspaceId);
}

async function granted(plot: Plot): Promise<Declared> {
  const { standIn, variant, workspaceId } = plot;
  const inputs = await checked(plot, {
    workspaceId,
    totalCredits: "0100.50",
    spendCap: 1000,
    externalMeterId: "meter_1",
  });
  const held = await asking(plot, ["createBilling"], () => plot.resource.create(inputs));
  const sent = { workspaceId, totalCredits: "100.5", spendCap: "1000", externalMeterId: "meter_1" };
  expect(standIn.requests.at(-1)?.body).toEqual({ ...sent, allowOverages: false });
  expect(records(plot)).toMatchObject([{ id: held.id, totalCredits: storedDecimal("100.5", variant) }]);
  expect(held.state).toMatchObject({ ...inputs, billingId: held.id });
  await asking(plot, [], () => expectQuiet(plot, held, inputs));
  const spelled = await checked(plot, { ...inputs, totalCredits: "100.500", spendCap: "1000.0" }, inputs);
  expect(spelled).toEqual(inputs);
  return { held, inputs };
}

/** B2: a changed grant is refused, with both ways out. */
async function unchangeable(plot: Plot, { held, inputs }: Declared): Promise<void> {
  const changes = {
    totalCredits: "200",
    spendCap: null,
    allowOverages: true,
    externalMeterId: "meter_2",
    workspaceId: "ws_nobody",
  };
  const reasons = await refusals(plot, { ...inputs, ...changes }, inputs);
  expect(reasons.map((reason) => reason.split(":")[0]).sort()).toEqual(Object.keys(changes).sort());
  for (const reason of reasons) {
    expect(reason).toMatch(/would grant credits again\. Restore the old value; .*change grant as well\.$/);
  }
  const next = await checked(plot, { ...inputs, ...changes, grant: "2" }, inputs);
  expect(await planned(plot, held, next)).toEqual({ changes: true, replaces: ["grant"] });
}

/** B4: destroy sends no request, and warns that the credits stay. */
async function destroyed(plot: Plot, { held }: Declared): Promise<void> {
  await warned(plot, /^warning: The credits of .* stay in the service/m, () =>
    asking(plot, [], () => plot.resource.delete(held)),
  );
  expect(records(plot)).toHaveLength(1);
}

/** B2: another value of grant is another record. */
async function grantedAgain(plot: Plot, { held, inputs }: Declared): Promise<void> {
  const next = await checked(plot, { ...inputs, totalCredits: 200, grant: "2" }, inputs);
  const after = await asking(plot, ["createBilling"], () => plot.resource.create(next));
  expect(after.id).not.toBe(held.id);
  expect(records(plot)).toHaveLength(2);
  await asking(plot, [], () => expectQuiet(plot, after, next));
}

/** B3: after a lost answer, state has the grant as uncertain, every update fails, and nothing is sent again. */
async function lost(plot: Plot): Promise<Declared> {
  const { standIn, resource, workspaceId } = plot;
  standIn.inject({ endpoint: "createBilling", fault: { kind: "resetAfter" } });
  const meter = { spendCap: "5", externalMeterId: "meter_1" };
  const inputs = await checked(plot, { workspaceId, totalCredits: "7", ...meter, grant: "3" });
  const failure = await asking(plot, ["createBilling"], () => failureOf(resource.create(inputs)));
  const state = failure.kept?.properties ?? {};
  expect(state).toMatchObject(inputs);
  const held = { id: failure.kept?.id ?? "", state };
  expect(held.id).toMatch(/^uncertain-/);
  await asking(plot, [], async () => {
    const { __failed, ...asked } = state;
    expect(__failed).toBe(true);
    expect(await resource.read(held)).toEqual({ id: held.id, properties: asked, inputs });
    expect(await planned(plot, held, inputs)).toEqual({ changes: true, replaces: [] });
    const { kept, message } = await failureOf(resource.update(held, inputs));
    expect(kept).toBeUndefined();
    expect(message).toMatch(
      /still not known whether .*set billingId .*set grant to another value to grant them\.$/,
    );
  });
  expect(records(plot)).toHaveLength(3);
  return { held, inputs };
}

/** B5: billingId adopts a record without a POST. */
async function adopted(plot: Plot, { held, inputs }: Declared): Promise<void> {
  const billingId = records(plot).at(-1)?.id;
  const { totalCredits: _, ...rest } = inputs;
  await asking(plot, [], async () => {
    const next = await checked(plot, { ...rest, billingId }, inputs);
    expect(await planned(plot, held, next)).toEqual({ changes: true, replaces: [] });
    const after = await plot.resource.update(held, next);
    expect(after.state).toMatchObject({ billingId });
    await expectQuiet(plot, after, next);
    const fresh = await plot.resource.create(next);
    expect(fresh).toEqual({ id: billingId, state: { ...next, __service: expect.any(String) } });
    await expectQuiet(plot, fresh, next);
  });
}

async function elsewhere(plot: Plot): Promise<void> {
  const meter = { spendCap: "5", externalMeterId: "meter_1" };
  const inputs = await checked(plot, { workspaceId: "ws_nobody", totalCredits: "1", ...meter });
  const message = await asking(plot, ["createBilling"], () => refusedCreate(plot, inputs));
  expect(message).toMatch(/^Granting 1 credits in workspace ws_nobody: .*40[34].*\. Nothing was granted\./);
}
