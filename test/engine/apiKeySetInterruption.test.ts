import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Host } from "../../tools/engine/project";
import { type Ending, upCutShort } from "./cutShort";
import { hosts } from "./interruption";
import { type Scene, setScene } from "./scene";

/** A set of so many keys. */
const program = (count: number) => `import { ApiKeySet } from "pulumi-apikeys";
const aliases = Array.from({ length: ${count} }, (_, n) => "key-" + n);
new ApiKeySet("set", {
  workspaceId: "ws_main",
  defaults: { customerId: "customer", scopes: [{ representation: "orders", read: true }] },
  keys: Object.fromEntries(aliases.map((alias) => [alias, {}])),
});
`;

const created = ({ service }: Scene) =>
  service.requests.filter(({ endpoint }) => endpoint === "createApiKey").length;

/** The keys in state that live, with the secrets that the service gave them. */
async function held({ service, stack }: Scene): Promise<ReadonlySet<string>> {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  const { ids = {}, secrets } = resources.find(({ urn }) => urn.endsWith("::set"))?.outputs ?? {};
  const bySecret = JSON.parse(secrets?.plaintext ?? "{}");
  const whole = Object.entries(ids).filter(([alias, id]) => service.key(String(id))?.key === bySecret[alias]);
  return new Set(whole.map(([, id]) => String(id)));
}

/** Runs an update, and ends it once it has created so many keys. Returns the keys that live and that state lacks. */
async function leftBy(scene: Scene, after: number, ending: Ending) {
  const before = created(scene);
  const isUnderWay = () => expect(created(scene)).toBeGreaterThan(before + after);
  const moment = vi.waitFor(isUnderWay, { timeout: 120_000, interval: 5 });
  expect((await upCutShort(scene.stack, ending, moment)).ok).toBe(false);
  const inState = await held(scene);
  return scene.service.keys().filter(({ id }) => !inState.has(id));
}

async function sceneOf(name: string, host: Host, latencyMs: number): Promise<Scene> {
  const scene = await setScene(`${name}-${host}`, { latencyMs, host });
  onTestFinished(() => scene.close());
  return scene;
}

/** The next update creates all that the program declares, and names each key that was left behind. */
async function expectMended(scene: Scene, count: number, left: readonly { readonly id: string }[]) {
  const { ok, output } = await scene.stack.up();
  expect([ok, (await held(scene)).size]).toEqual([true, count]);
  expect(left.filter(({ id }) => !output.includes(id))).toEqual([]);
}

describe.each(hosts)("R20 in the %s host", (host) => {
  it("after one Ctrl-C, the create of a set is finished, or stops early in the plugin; state has each new key", async () => {
    const scene = await sceneOf("set-canceled", host, 20);
    await scene.declare(program(100));
    expect(await leftBy(scene, 20, "ctrlC")).toEqual([]);
    const live = scene.service.keys().length;
    if (host === "plugin") expect(live).toBeLessThan(100);
    else expect(live).toBe(100);
    await expectMended(scene, 100, []);
  });

  it("after the provider is killed during the create of 300 keys, the next update creates all and names each key left behind", async () => {
    const scene = await sceneOf("set-killed", host, 20);
    await scene.declare(program(300));
    const left = await leftBy(scene, 100, "hostKilled");
    expect(left.length).toBeGreaterThan(100);
    await expectMended(scene, 300, left);
  });

  it("after two Ctrl-C while an update adds 100 keys to 200, the next update adds them and names each key left behind", async () => {
    const scene = await sceneOf("set-interrupted", host, 200);
    await scene.declare(program(200));
    expect((await scene.stack.up()).ok).toBe(true);
    await scene.declare(program(300));
    const left = await leftBy(scene, 20, "twoCtrlC");
    // The plugin stops after the first, so that its result may be saved before the second.
    if (host === "dynamic") expect(left.length).toBeGreaterThan(0);
    await expectMended(scene, 300, left);
  });
});
