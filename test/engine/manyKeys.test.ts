import { afterAll, beforeAll, expect, it } from "vitest";
import { credentials, type Scene, setScene } from "./scene";

const count = 500;
const program = `
  import { ApiKey } from "pulumi-apikeys";
  for (let n = 0; n < ${count}; n += 1)
    new ApiKey(\`key\${n}\`, {
      workspaceId: "ws_main",
      customerId: "customer",
      scopes: [{ representation: "orders", read: true }],
    });
`;

let scene: Scene;
beforeAll(async () => {
  scene = await setScene("many", { program });
});
afterAll(() => scene?.close());

it(`K6 an update creates each of ${count} keys once, and state has each with its secret`, async () => {
  const up = await scene.stack.up({ args: ["--skip-preview"] });
  expect(up.error).toBeUndefined();
  const keys = scene.service.keys();
  expect(keys.filter(({ deleted }) => !deleted)).toHaveLength(count);
  const endpoints = scene.service.requests.map(({ endpoint }) => endpoint);
  expect(endpoints.filter((endpoint) => endpoint === "createApiKey")).toHaveLength(count);
  // All other requests are for all keys together, not for each.
  expect(endpoints.length).toBeLessThan(count + 20);
  const { resources = [] } = await scene.stack.exportState({ showSecrets: true });
  const held = resources.flatMap(({ id, outputs }) =>
    outputs?.["key"] === undefined ? [] : [[id, JSON.parse(outputs["key"].plaintext)]],
  );
  expect(new Map(held as [string, string][])).toEqual(new Map(keys.map(({ id, key }) => [id, key])));
  // The place in the program, not one in the package.
  expect(resources.at(-1)?.sourcePosition).toMatch(/^project:\/\/\/index\.js#/);
}, 300_000);

it(`R3 a refresh of ${count} keys reads one of them and the list, and shows no change`, async () => {
  scene.service.clearRequests();
  const refresh = await scene.stack.refresh({ expectNoChanges: true });
  expect(refresh.error).toBeUndefined();
  expect(scene.service.requests.map(({ endpoint }) => endpoint).toSorted()).toEqual([
    "listApiKeys",
    "readApiKey",
  ]);
}, 300_000);

it(`an update creates ${count} keys on a service that accepts 50 requests per second and sends no Retry-After`, async () => {
  const limited = await setScene("many-limited", {
    program,
    // Without a snapshot after each step, the engine is faster than the service allows.
    env: (service) => ({
      ...credentials(service),
      PULUMI_EXPERIMENTAL: "true",
      PULUMI_SKIP_CHECKPOINTS: "true",
    }),
  });
  try {
    limited.service.setDialect({ rateLimitPerSecond: 50, retryAfter: "none" });
    const up = await limited.stack.up({ args: ["--skip-preview"] });
    expect(up.error).toBeUndefined();
    expect(limited.service.keys({ deleted: false })).toHaveLength(count);
    const refused = limited.service.requests.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(count);
  } finally {
    await limited.close();
  }
}, 300_000);
