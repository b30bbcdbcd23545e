import { afterAll, beforeAll, expect, it } from "vitest";
import { expectQuiet, expectSilentUp } from "./expectations";
import { type Scene, setScene } from "./scene";
import { expectWhole, sent, shownOf } from "./setExpectations";

const count = 200;

/** Entries by number, with the inputs in which they differ from the others. */
type Entries = Readonly<Record<number, object>>;
const program = (numbers: readonly number[], entries: Entries = {}) => `
  import { ApiKeySet } from "pulumi-apikeys";
  const numbers: number[] = ${JSON.stringify(numbers)};
  const entries: Record<string, object> = ${JSON.stringify(entries)};
  export const { ids, secrets, maskedKeys } = new ApiKeySet("set", {
    workspaceId: "ws_main",
    defaults: { customerId: "customer", scopes: [{ representation: "orders", read: true }] },
    keys: Object.fromEntries(numbers.map((n) => ["key-" + n, { name: "Key " + n, ...entries[n] }])),
  });
`;
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);
const each = <T>(among: readonly number[], value: T) => Object.fromEntries(among.map((n) => [n, value]));

/** Ten of each. */
const [edited, replaced, removed] = [numbers(0, 10), numbers(90, 100), numbers(190, 200)];
const added = numbers(200, 210);
const after = program([...numbers(0, 190), ...added], {
  ...each(edited, { enabled: false }),
  ...each(replaced, { keepers: { month: "june" } }),
});

let scene: Scene;
beforeAll(async () => {
  scene = await setScene("set-many", { program: program(numbers(0, count)) });
});
afterAll(() => scene?.close());

it(`an update creates ${count} keys with one POST each and one list, and state has each with its secret`, async () => {
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(sent(scene)).toEqual({ listApiKeys: 1, createApiKey: count });
  expect((await expectWhole(scene)).size).toBe(count);
  await expectSilentUp(scene);
});

it(`R3 a refresh of ${count} keys reads one of them and the list, and shows no change`, async () => {
  scene.service.clearRequests();
  const refresh = await scene.stack.refresh({ expectNoChanges: true });
  expect(refresh.ok, refresh.output).toBe(true);
  expect(sent(scene)).toEqual({ listApiKeys: 1, readApiKey: 1 });
});

it(`an update adds 10, edits 10, replaces 10 and removes 10 of ${count} keys, without further requests`, async () => {
  const before = await expectWhole(scene);
  await scene.declare(after);
  scene.service.clearRequests();
  const preview = await scene.stack.preview();
  expect(preview.ok, preview.output).toBe(true);
  const path = (n: number, rest = "") => `keys["key-${n}"]${rest}`;
  const shown = {
    ...Object.fromEntries(added.map((n) => [path(n), "add"])),
    ...Object.fromEntries(edited.map((n) => [path(n, ".enabled"), "add"])),
    ...Object.fromEntries(replaced.map((n) => [path(n, ".keepers"), "add"])),
    ...Object.fromEntries(removed.map((n) => [path(n), "delete"])),
  };
  expect(shownOf(preview)).toEqual(shown);
  expect(sent(scene)).toEqual({});
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(shownOf(up)).toEqual(shown);
  expect(sent(scene)).toEqual({
    listApiKeys: 1,
    createApiKey: 20,
    readApiKey: 1,
    editApiKey: 10,
    deleteApiKey: 20,
  });
  const methods = scene.service.requests.map(({ method }) => method);
  expect(methods.slice(-20)).toEqual(Array(20).fill("DELETE"));
  const keys = await expectWhole(scene);
  const others = [...before].flatMap(([alias, { id }]) => (keys.get(alias)?.id === id ? [] : [alias]));
  expect(others.toSorted()).toEqual([...replaced, ...removed].map((n) => `key-${n}`).toSorted());
  for (const n of edited) expect(keys.get(`key-${n}`)).toMatchObject({ enabled: false });
  await expectSilentUp(scene);
  await expectQuiet(scene);
});

it(`destroy of ${count} keys sends a DELETE for each and nothing else`, async () => {
  scene.service.clearRequests();
  const destroy = await scene.stack.destroy();
  expect(destroy.ok, destroy.output).toBe(true);
  expect(sent(scene)).toEqual({ deleteApiKey: count });
  expect(scene.service.keys()).toEqual([]);
});
