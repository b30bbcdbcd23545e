import { afterAll, beforeAll, expect, it } from "vitest";
import { type Scene, setScene } from "./scene";

const count = 500;
const program = `
  import { ApiKey } from "pulumi-apikeys";
  for (let n = 0; n < ${count}; n += 1)
    new ApiKey(\`key\${n}\`, { workspaceId: "ws_main", customerId: "customer" });
`;

let scene: Scene;
beforeAll(async () => {
  scene = await setScene("many", { program });
});
afterAll(() => scene?.close());

it(`K6 ${count} keys in one up: each is made once, and state holds each with its secret`, async () => {
  const up = await scene.stack.up({ args: ["--skip-preview"] });
  expect(up.error).toBeUndefined();
  const keys = scene.service.keys();
  expect(keys.filter(({ deleted }) => !deleted)).toHaveLength(count);
  const endpoints = scene.service.requests.map(({ endpoint }) => endpoint);
  expect(endpoints.filter((endpoint) => endpoint === "createApiKey")).toHaveLength(count);
  // Whatever else is asked is asked for all of them, not for each.
  expect(endpoints.length).toBeLessThan(count + 20);
  const { resources = [] } = await scene.stack.exportState({ showSecrets: true });
  const held = resources.flatMap(({ id, outputs }) =>
    outputs?.["key"] === undefined ? [] : [[id, JSON.parse(outputs["key"].plaintext)]],
  );
  expect(new Map(held as [string, string][])).toEqual(new Map(keys.map(({ id, key }) => [id, key])));
}, 300_000);

it(`R3 a refresh of ${count} keys asks once for each, and shows nothing`, async () => {
  scene.service.clearRequests();
  const refresh = await scene.stack.refresh({ expectNoChanges: true });
  expect(refresh.error).toBeUndefined();
  expect(scene.service.requests.map(({ endpoint }) => endpoint)).toEqual(
    Array.from({ length: count }, () => "readApiKey"),
  );
}, 300_000);
