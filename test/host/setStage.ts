import { expect, type TestContext } from "vitest";
import type { HostedResource, Properties } from "./host";
import { openScene, type Scene, type SceneOptions } from "./scene";

/** A host for sets, whose output is searched for secrets at the end. */
export interface Stage extends Scene {
  readonly set: HostedResource;
}

export async function stage({ onTestFinished }: TestContext, options: SceneOptions = {}): Promise<Stage> {
  const scene = await openScene({ variant: { delete: "marks" }, ...options });
  onTestFinished(async () => {
    const secrets = scene.standIn.secrets();
    const printed = await scene.close();
    expect(secrets.filter((secret) => printed.includes(secret))).toEqual([]);
  });
  return { ...scene, set: scene.host.resource("ApiKeySet") };
}

/** Entries that take all their values from the defaults. */
export const three = { a: {}, b: {}, c: {} };

/** The inputs of a set of these keys, in canonical form. */
export async function declared({ set }: Stage, keys: Properties, olds?: Properties): Promise<Properties> {
  const inputs = { workspaceId: "ws_main", defaults: { customerId: "cus_1" }, keys };
  const checked = await set.check(inputs, olds);
  expect(checked.failures).toEqual([]);
  return checked.inputs;
}

/** The names of the keys that the service has, without deleted ones. */
export const live = ({ standIn }: Stage) =>
  standIn
    .keys()
    .filter(({ deleted }) => !deleted)
    .map(({ name }) => name)
    .sort();
