import { afterAll, beforeAll, expect, it } from "vitest";
import { expectQuiet, expectSilentUp } from "./expectations";
import { type Scene, setScene } from "./scene";
import { expectWhole, sent, shownOf } from "./setExpectations";

const count = 200;

/** Entries by number: what differs from the plain one. */
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

it(`${count} keys in one up: a POST for each and one list, and state holds each with its secret`, async () => {
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(sent(scene)).toEqual({ listApiKeys: 1, createApiKey: count });
  expect((await expectWhole(scene)).size).toBe(count);
  await expectSilentUp(scene);
});

it(`R3 a refresh of ${count} keys asks for one of them and for the list, and shows nothing`, async () => {
  scene.service.clearRequests();
  const refresh = await scene.stack.refresh({ expectNoChanges: true });
  expect(refresh.ok, refresh.output).toBe(true);
  expect(sent(scene)).toEqual({ listApiKeys: 1, readApiKey: 1 });
});

it(`10 are added, 10 edited, 10 replaced and 10 removed of ${count} in one up, with the requests that this takes`, async () => {
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
