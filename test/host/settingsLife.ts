import { expect } from "vitest";
import type { StoredWorkspace, Variant } from "../../standin";
import { storedAddresses, storedNumber, storedPrefix } from "../../standin/normalise";
import type { Properties } from "./host";
import { failureOf } from "./outcomes";
import {
  asking,
  checked,
  type Declared,
  expectQuiet,
  type Plot,
  planned,
  refusedCreate,
  warned,
  writing,
} from "./plot";
import type { Scene } from "./scene";

const names = [
  "defaultKeyPrefix",
  "defaultAllowedIPs",
  "defaultRateLimitPerSecond",
  "defaultExpiration",
] as const;

/** The workspace's settings before the test, which every variant spells alike. */
const before = {
  defaultKeyPrefix: "old_",
  defaultAllowedIPs: ["10.1.0.0/16"],
  defaultRateLimitPerSecond: 20,
  defaultExpiration: 3600,
} as const;

/** Adopt, update each setting, revert drift, leave settings out, destroy: the same on every variant. */
export async function settingsLife(scene: Scene, variant: Variant, workspaceId: string): Promise<void> {
  // Destroy runs in a later process, which has not seen the workspace declared.
  const { delete: destroy } = (await scene.laterHost()).resource("WorkspaceSettings");
  const resource = { ...scene.host.resource("WorkspaceSettings"), delete: destroy };
  const plot: Plot = { ...scene, resource, variant, workspaceId };
  plot.standIn.setVariant(variant);
  plot.standIn.editWorkspace(workspaceId, before);
  let now = await adopted(plot);
  now = await updated(plot, now, { defaultKeyPrefix: "acme" });
  now = await updated(plot, now, { defaultAllowedIPs: ["2001:DB8:0::1", "192.0.2.7"] });
  now = await updated(plot, now, { defaultRateLimitPerSecond: 57 });
  now = await reverted(plot, now);
  now = await noLongerDeclared(plot, now);
  now = await updated(plot, now, { onDestroy: "restore", defaultExpiration: 7207 });
  now = await givenBack(plot, now);
  await restored(plot, now);
  await retained(plot);
  await unseen(plot);
}

/** W2: settings that are already as declared are not written. */
async function adopted(plot: Plot): Promise<Declared> {
  const inputs = await checked(plot, {
    workspaceId: plot.workspaceId,
    defaultRateLimitPerSecond: 20,
    defaultAllowedIPs: ["10.1.2.3/16"],
  });
  const held = await asking(plot, ["readWorkspace"], () => plot.resource.create(inputs));
  expect(held.id).toBe(plot.workspaceId);
  const { name, teamId } = stored(plot);
  expect(held.state).toMatchObject({ ...inputs, name, teamId });
  await expectQuiet(plot, held, inputs);
  return { held, inputs };
}

/** W1: one PATCH writes the declared settings, and no other setting changes. */
async function updated(plot: Plot, { held, inputs }: Declared, change: Properties): Promise<Declared> {
  const next = await checked(plot, { ...inputs, ...change }, inputs);
  expect(await planned(plot, held, next)).toEqual({ changes: true, replaces: [] });
  const there = stored(plot);
  const after = await writing(plot, ["editWorkspace"], () => plot.resource.update(held, next));
  expectAsDeclared(plot, next, there);
  expect(after.state).toMatchObject(next);
  await expectQuiet(plot, after, next);
  return { held: after, inputs: next };
}

/** R3, R5: declared settings that were changed outside Pulumi are shown and reverted; others are ignored. */
async function reverted(plot: Plot, { held, inputs }: Declared): Promise<Declared> {
  const { standIn, resource, workspaceId } = plot;
  const drift = { defaultKeyPrefix: "theirs_", defaultAllowedIPs: [], defaultRateLimitPerSecond: 330 };
  standIn.editWorkspace(workspaceId, { ...drift, defaultExpiration: 7000 });
  const read = await resource.read(held);
  expect(read.inputs).toEqual({ ...inputs, ...drift });
  expect(read.properties).toMatchObject(drift);
  const seen = { id: held.id, state: read.properties };
  expect(await resource.read(seen)).toEqual({ ...read, inputs: undefined });
  expect(await planned(plot, seen, inputs)).toEqual({ changes: true, replaces: [] });
  const there = stored(plot);
  const after = await writing(plot, ["editWorkspace"], () => resource.update(seen, inputs));
  expectAsDeclared(plot, inputs, there);
  await expectQuiet(plot, after, inputs);
  return { held: after, inputs };
}

/** W1: with "retain", a setting that is left out stays as it is, and later changes of it are ignored. */
async function noLongerDeclared(plot: Plot, { held, inputs }: Declared): Promise<Declared> {
  const { defaultKeyPrefix: _, ...rest } = inputs;
  const next = await checked(plot, rest, inputs);
  expect(await planned(plot, held, next)).toEqual({ changes: true, replaces: [] });
  const there = stored(plot);
  const after = await plot.resource.update(held, next);
  expect(settingsOf(stored(plot))).toEqual(settingsOf(there));
  expect(after.state).not.toHaveProperty("defaultKeyPrefix");
  plot.standIn.editWorkspace(plot.workspaceId, { defaultKeyPrefix: "other_" });
  await expectQuiet(plot, after, next);
  return { held: after, inputs: next };
}

/** W1: with "restore", a setting that is left out gets its former value back. */
async function givenBack(plot: Plot, { held, inputs }: Declared): Promise<Declared> {
  const { defaultRateLimitPerSecond: _, ...rest } = inputs;
  const next = await checked(plot, rest, inputs);
  const there = stored(plot);
  const after = await writing(plot, ["editWorkspace"], () => plot.resource.update(held, next));
  const { defaultRateLimitPerSecond } = before;
  expect(settingsOf(stored(plot))).toEqual({ ...settingsOf(there), defaultRateLimitPerSecond });
  await expectQuiet(plot, after, next);
  return { held: after, inputs: next };
}

/** W5: destroy restores the settings that nobody has changed since; others stay, with a warning. */
async function restored(plot: Plot, { held, inputs }: Declared): Promise<void> {
  const { standIn, resource, workspaceId } = plot;
  const theirs = ["198.51.100.0/24"];
  standIn.editWorkspace(workspaceId, { defaultAllowedIPs: theirs });
  const read = await resource.read(held);
  expect(read.inputs).toEqual({ ...inputs, defaultAllowedIPs: theirs });
  const there = stored(plot);
  await warned(
    { host: await plot.laterHost() },
    /^warning: Restoring the defaults of workspace .*: not restored, but left as they are: defaultAllowedIPs \(.*; before: 10\.1\.0\.0\/16\)\.$/m,
    () => writing(plot, ["editWorkspace"], () => resource.delete({ id: held.id, state: read.properties })),
  );
  expect(settingsOf(stored(plot))).toEqual({ ...settingsOf(there), defaultExpiration: 7000 });
}

async function retained(plot: Plot): Promise<void> {
  const { resource, workspaceId } = plot;
  const inputs = await checked(plot, { workspaceId, defaultExpiration: 60 });
  const held = await writing(plot, ["editWorkspace"], () => resource.create(inputs));
  await expectQuiet(plot, held, inputs);
  const there = stored(plot);
  await asking(plot, [], () => resource.delete(held));
  expect(stored(plot)).toEqual(there);
}

/** W5, W6: a workspace that can't be read is an error that names it, also for destroy. */
async function unseen(plot: Plot): Promise<void> {
  const { standIn, resource, workspaceId } = plot;
  const nobody = await checked(plot, { workspaceId: "ws_nobody", defaultKeyPrefix: "a" });
  expect(await refusedCreate(plot, nobody)).toMatch(
    /^Setting the defaults of workspace ws_nobody: .*40[34].*\. Nothing was changed\. Check the id/,
  );
  const inputs = await checked(plot, { workspaceId, defaultKeyPrefix: "last", onDestroy: "restore" });
  const held = await resource.create(inputs);
  standIn.deleteWorkspace(workspaceId);
  const { message } = await failureOf(resource.read(held));
  expect(message).toContain(`Reading the defaults of workspace ${workspaceId}: `);
  expect(message).toContain("State is unchanged");
  await failureOf(resource.update(held, inputs));
  const destroyed = await failureOf(resource.delete(held));
  expect(destroyed.message).toMatch(
    /^Restoring the defaults of .*It stays in state; .*`pulumi state delete`/,
  );
}

function stored({ standIn, workspaceId }: Plot): StoredWorkspace {
  const found = standIn.workspaces().find(({ id }) => id === workspaceId);
  if (found === undefined) throw new Error(`the service has no workspace ${workspaceId}`);
  return found;
}

function settingsOf(workspace: StoredWorkspace): Properties {
  return Object.fromEntries(names.map((name) => [name, workspace[name]]));
}

/** The workspace has the declared settings as the variant spells them, and the others as before. */
function expectAsDeclared(plot: Plot, inputs: Properties, there: StoredWorkspace): void {
  const { variant } = plot;
  const spelled: Record<string, (value: never) => unknown> = {
    defaultKeyPrefix: (value: string) => storedPrefix(value, variant),
    defaultAllowedIPs: (value: string[]) => storedAddresses(value, variant),
    defaultRateLimitPerSecond: (value: number) => storedNumber(value, variant),
    defaultExpiration: (value: number) => storedNumber(value, variant),
  };
  const expected = names.map((name) =>
    name in inputs ? [name, spelled[name]?.(inputs[name] as never)] : [name, there[name]],
  );
  expect(settingsOf(stored(plot))).toEqual(Object.fromEntries(expected));
}
