import { afterAll, beforeAll, expect, it } from "vitest";
import { type PresetName, type StandIn, startStandIn } from "../../standin";
import { stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";

/** Server variants that differ much from one another. The host tier tests every variant. */
const names = ["goJson", "rails", "mergePatch", "normalizing"] as const satisfies readonly PresetName[];

let scene: Scene;
let services: Readonly<Record<(typeof names)[number], StandIn>>;

/** A key on each service, each by a Provider of its own. */
const declare = (args: string) =>
  scene.declare(`
    import { ApiKey, Provider } from "pulumi-apikeys";
    const common = { workspaceId: "ws_main", customerId: "customer", prefix: "web" };
    ${names
      .map(
        (name) => `
          const ${name} = new Provider("${name}", { baseUrl: "${services[name].url}" });
          new ApiKey("of${name}", { ...common, ${args} }, { provider: ${name} });`,
      )
      .join("")}
  `);
const expectQuietEverywhere = async () => {
  const quiet = await scene.stack.previewRefresh({ expectNoChanges: true });
  expect(quiet.ok, quiet.output).toBe(true);
};
/** The name, enabled and the scopes of each key in a service. */
const granted = (name: (typeof names)[number]) =>
  services[name].keys({ deleted: false }).map(({ name, enabled, scopes }) => ({
    name: name.toLowerCase(),
    enabled,
    scopes: scopes
      .filter(({ create, read, update, del }) => create || read || update || del)
      .map(({ representation, create, read, update, del }) => [
        representation,
        { create, read, update, del },
      ]),
  }));

beforeAll(async () => {
  const started = await Promise.all(
    names.map(async (name) => [name, await startStandIn({ dialect: name })] as const),
  );
  services = Object.fromEntries(started) as typeof services;
  scene = await setScene("presets");
});
afterAll(() =>
  Promise.all([scene?.close(), ...Object.values(services ?? {}).map((service) => service.close())]),
);

it(`R3 a key is created as declared, and then shows no change, on ${names.join(", ")}`, async () => {
  await declare(
    `name: "First", scopes: [{ representation: "orders", read: true, update: true }, { representation: "carts", del: true }]`,
  );
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  const orders = ["orders", { create: false, read: true, update: true, del: false }];
  const carts = ["carts", { create: false, read: false, update: false, del: true }];
  for (const name of names) {
    expect(granted(name), name).toEqual([{ name: "first", enabled: true, scopes: [carts, orders].sort() }]);
  }
  await expectQuietEverywhere();
});

it("R3 the key is updated as declared on each, and then shows no change", async () => {
  await declare(`name: "Second", enabled: false, scopes: [{ representation: "orders", read: true }]`);
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  const orders = ["orders", { create: false, read: true, update: false, del: false }];
  for (const name of names) {
    expect(stepsFor(up, `of${name}`), name).toMatchObject([
      { op: "update", diffs: ["enabled", "name", "scopes"] },
    ]);
    expect(granted(name), name).toEqual([{ name: "second", enabled: false, scopes: [orders] }]);
  }
  await expectQuietEverywhere();
});

it("R7 destroy deletes the key on each", async () => {
  const destroy = await scene.stack.destroy();
  expect(destroy.ok, destroy.output).toBe(true);
  for (const name of names) expect(services[name].keys({ deleted: false }), name).toEqual([]);
});
