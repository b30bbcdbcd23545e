import { afterEach, describe, expect, it } from "vitest";
import type { Host } from "../../tools/engine/project";
import { type Scene, setScene } from "./scene";

const program = (resource: string) => `
  import { ApiKey, ApiKeySet, RotatingApiKey } from "pulumi-apikeys";
  const base = { workspaceId: "ws_main", customerId: "internal" };
  const aliases = ["pulumi-nodejs:dynamic/apikeys:ApiKey", "apikeys:index:ApiKey"].map((type) => ({ type }));
  ${resource}
`;

describe.each<Host>(["dynamic", "plugin"])("an alias of another type, in the %s host", (host) => {
  let scene: Scene;
  afterEach(() => scene?.close());

  it.each([
    `new RotatingApiKey("ci", { ...base, rotateEvery: "90d" }, { aliases });`,
    `new ApiKeySet("ci", { workspaceId: "ws_main", keys: { ci: { customerId: "internal" } } }, { aliases });`,
  ])("fails the preview and the update, and the key stays: %s", async (resource) => {
    scene = await setScene("aliases", { program: program(`new ApiKey("ci", base);`), host });
    expect((await scene.stack.up()).ok).toBe(true);
    const [before] = scene.service.keys();
    scene.service.clearRequests();
    await scene.declare(program(resource));
    for (const command of ["preview", "up"] as const) {
      const outcome = await scene.stack[command]();
      expect(outcome.ok, outcome.output).toBe(false);
      expect(outcome.output).toContain(
        `In state, ${before?.id} is of the type ApiKey, and an alias can't make it`,
      );
    }
    expect(scene.service.requests).toEqual([]);
    await scene.declare(program(`new ApiKey("ci", base);`));
    const quiet = await scene.stack.preview({ expectNoChanges: true });
    expect(quiet.ok, quiet.output).toBe(true);
  });
});
