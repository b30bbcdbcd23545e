import { expect, it, onTestFinished, vi } from "vitest";
import { ended, hostOf } from "./provider";
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
async function upCutShort(scene: Scene, after: number, way: "two Ctrl-C" | "SIGKILL of the host") {
  const before = created(scene);
  let [cli, printed] = [0, ""];
  const up = scene.stack.up({
    onStart: (pid) => {
      cli = pid;
    },
    onOutput: (text) => {
      printed += text;
    },
    onError: (text) => {
      printed += text;
    },
  });
  await vi.waitFor(() => expect(created(scene)).toBeGreaterThan(before + after), {
    timeout: 120_000,
    interval: 5,
  });
  const host = hostOf(cli);
  if (way === "SIGKILL of the host") process.kill(host, "SIGKILL");
  else {
    process.kill(cli, "SIGINT");
    await vi.waitFor(() => expect(printed).toContain("press ^C again"), { timeout: 10_000, interval: 5 });
    process.kill(cli, "SIGINT");
  }
  expect((await up).ok).toBe(false);
  await ended(host);
  const inState = await held(scene);
  return scene.service.keys().filter(({ id }) => !inState.has(id));
}

async function sceneOf(name: string, latencyMs: number): Promise<Scene> {
  const scene = await setScene(name, { latencyMs });
  onTestFinished(() => scene.close());
  return scene;
}

it("after the host is killed during the create of 300 keys, the next update creates all and names each key left behind", async () => {
  const scene = await sceneOf("set-killed", 20);
  await scene.declare(program(300));
  const left = await upCutShort(scene, 100, "SIGKILL of the host");
  expect(left.length).toBeGreaterThan(100);
  const { ok, output } = await scene.stack.up();
  expect([ok, (await held(scene)).size]).toEqual([true, 300]);
  expect(left.filter(({ id }) => !output.includes(id))).toEqual([]);
});

it("after two Ctrl-C while an update adds 100 keys to 200, the next update adds them and names each key left behind", async () => {
  const scene = await sceneOf("set-interrupted", 200);
  await scene.declare(program(200));
  expect((await scene.stack.up()).ok).toBe(true);
  await scene.declare(program(300));
  const left = await upCutShort(scene, 20, "two Ctrl-C");
  expect(left.length).toBeGreaterThan(0);
  const { ok, output } = await scene.stack.up();
  expect([ok, (await held(scene)).size]).toEqual([true, 300]);
  expect(left.filter(({ id }) => !output.includes(id))).toEqual([]);
});
