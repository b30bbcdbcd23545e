import { expect } from "vitest";
import type { StoredKey } from "../../standin";
import type { Outcome } from "../../tools/engine/outcome";
import { expectQuiet, stepsFor } from "./expectations";
import { programWithSet, type SetText } from "./programs";
import type { Scene } from "./scene";

/** The set's detailed diff in an outcome: paths, each with its kind. */
export function shownOf(outcome: Outcome): Readonly<Record<string, string>> {
  const [step] = stepsFor(outcome, "set").filter(({ duringRefresh }) => !duringRefresh);
  expect(step?.op, outcome.output).toBe("update");
  return diffOf(step?.detailedDiff ?? {});
}

/** As `shownOf`, for the refresh in an outcome. */
export function foundBy(outcome: Outcome): Readonly<Record<string, string>> {
  const [step] = stepsFor(outcome, "set").filter(({ duringRefresh }) => duringRefresh);
  return diffOf(step?.detailedDiff ?? {});
}

function diffOf(diff: Readonly<Record<string, { readonly diffKind: string }>>) {
  return Object.fromEntries(Object.entries(diff).map(([path, { diffKind }]) => [path, diffKind]));
}

/** The number of requests to each endpoint. */
export function sent({ service }: Scene): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { endpoint } of service.requests) counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  return counts;
}

/**
 * Declares, previews and applies a program: preview and update show exactly these paths, the preview sends no request, and
 * afterwards nothing shows a change (R2, R3, R12). Returns the requests, the preview's output, and the keys by alias.
 */
export async function becomes(scene: Scene, text: SetText, shown: Readonly<Record<string, string>>) {
  await scene.declare(programWithSet(text));
  scene.service.clearRequests();
  const preview = await scene.stack.preview({ diff: true });
  expect(preview.ok, preview.output).toBe(true);
  expect(shownOf(preview)).toEqual(shown);
  expect(sent(scene)).toEqual({});
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(shownOf(up)).toEqual(shown);
  const requests = sent(scene);
  const wire = scene.service.requests.map(({ method }) => method);
  const keys = await expectWhole(scene);
  await expectQuiet(scene);
  return { requests, wire, keys, said: preview.output };
}

/** State and outputs have the id and the secret of exactly the live keys. Returns the keys by alias. */
export async function expectWhole({ stack, service }: Scene): Promise<ReadonlyMap<string, StoredKey>> {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  const outputsOf = (type: RegExp) => resources.find((one) => type.test(one.type))?.outputs ?? {};
  const [outputs, state] = [outputsOf(/:Stack$/), outputsOf(/:ApiKeySet$/)];
  const live = new Map(service.keys({ deleted: false }).map((key) => [key.id, key]));
  const ids: Record<string, string> = state["ids"];
  expect(Object.values(ids).toSorted()).toEqual([...live.keys()].toSorted());
  const keys = new Map(Object.entries(ids).map(([alias, id]) => [alias, live.get(id) as StoredKey]));
  const each = (of: (key: StoredKey) => unknown) =>
    Object.fromEntries([...keys].map(([alias, key]) => [alias, of(key)]));
  for (const held of [outputs, state]) {
    expect(held["ids"]).toEqual(ids);
    expect(held["maskedKeys"]).toEqual(each(({ maskedKey }) => maskedKey));
    expect(JSON.parse(held["secrets"].plaintext)).toEqual(each(({ key }) => key));
  }
  expect(Object.keys(state["keys"]).toSorted()).toEqual([...keys.keys()].toSorted());
  return keys;
}
