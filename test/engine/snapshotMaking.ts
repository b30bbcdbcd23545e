import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Variant } from "../../standin";
import { checkout } from "../../tools/engine/folders";
import { hurried, type Scene, setScene } from "./scene";

/** The states that this version writes, each with its program. */
export const stories = ["settled", "unsettled", "sets"] as const;
export type Story = (typeof stories)[number];

/** The folder of all snapshots, with a folder for each version that changed what state looks like. */
export const snapshots = join(checkout, "test", "snapshots");

/** The service of the snapshots. It rewrites values, so that state has `__observed`. */
const variant: Partial<Variant> = { names: "trimmed", addresses: "cidr", delete: "marks" };
const tenants = [
  {
    name: "acme",
    accessToken: "token-of-the-snapshots",
    workspaces: [
      { id: "ws_main", name: "Main", defaultRateLimitPerSecond: 7 },
      { id: "ws_second", name: "Second", defaultRateLimitPerSecond: 8 },
      { id: "ws_third", name: "Third", defaultKeyPrefix: "old", defaultRateLimitPerSecond: 9 },
    ],
  },
];

/** A scene with the program of a snapshot, which reads its current step from a variable. */
export async function sceneOf(version: string, story: Story): Promise<Scene> {
  return setScene(`snapshot-${story}`, {
    program: await readFile(join(snapshots, version, `${story}.ts`), "utf8"),
    variant,
    tenants,
    env: (service) => ({ ...hurried(service), APIKEYS_SNAPSHOT_EXISTING: "sk_test_takenOver" }),
  });
}

/** Sets the program's step. */
export function at({ stack }: Scene, step: string | undefined): void {
  stack.setEnv("APIKEYS_SNAPSHOT_STEP", step);
}

/** Runs the commands that lead to the state, one operation at a time, so that the result is the same each time. */
export const live: Readonly<Record<Story, (scene: Scene) => Promise<void>>> = {
  async settled(scene) {
    const { service, stack, project } = scene;
    const theirs = { workspaceId: "ws_main", customerId: "customer" };
    service.addKey({ ...theirs, id: "key_theirs", name: "theirs" });
    service.addKey({ ...theirs, id: "key_imported", name: "imported" });
    service.addScope({ workspaceId: "ws_main", id: "sc_theirs", representation: "theirs" });
    const __provider = 'exports.handler=()=>require("pulumi-apikeys/dynamic").provider("ApiKey");';
    const declared = { __provider, ...theirs, name: "imported" };
    const type = "pulumi-nodejs:dynamic/apikeys:ApiKey";
    const entry = { type, name: "imported", id: "key_imported", inputs: declared, outputs: declared };
    await project.write("import.json", JSON.stringify({ resources: [entry] }));
    for (const act of [
      () => stack.import("import.json", "--protect=false"),
      () => stack.refresh(),
      () => stack.up({ parallel: 1 }),
    ]) {
      const outcome = await act();
      expect(outcome.ok, outcome.output).toBe(true);
    }
  },

  async unsettled(scene) {
    const { service, stack } = scene;
    at(scene, "first");
    const up = await stack.up({ parallel: 1 });
    expect(up.ok, up.output).toBe(true);
    at(scene, undefined);
    service.inject({ endpoint: "createApiKey", when: asksFor("lost"), fault: { kind: "withoutKey" } });
    service.inject({ endpoint: "createBilling", fault: { kind: "resetAfter" } });
    service.inject({ endpoint: "deleteApiKey", fault: { kind: "status", status: 403 } });
    const unseen = ({ path }: { path: string }) => path.includes("ws_second");
    service.inject({ endpoint: "editWorkspace", when: unseen, times: 4, fault: { kind: "resetAfter" } });
    const failed = await stack.up({ parallel: 1, args: ["--continue-on-error"] });
    expect(failed.ok).toBe(false);
    service.clearFaults();
    const drifted = service.keys().find(({ name }) => name === "drifted");
    service.editKey(drifted?.id ?? "", { enabled: false, scopes: [] });
    service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 77 });
    const { resources = [] } = await stack.exportState();
    const target = resources.flatMap(({ urn }) => (/::(drifted|moved)$/.test(urn) ? [urn] : []));
    const refresh = await stack.refresh({ target });
    expect(refresh.ok, refresh.output).toBe(true);
  },

  async sets(scene) {
    const { service, stack } = scene;
    at(scene, "first");
    const up = await stack.up({ parallel: 1 });
    expect(up.ok, up.output).toBe(true);
    at(scene, undefined);
    service.inject({ endpoint: "createApiKey", when: asksFor("lost"), fault: { kind: "withoutKey" } });
    service.inject({ endpoint: "deleteApiKey", times: 2, fault: { kind: "status", status: 403 } });
    const failed = await stack.up({ parallel: 1, args: ["--continue-on-error"] });
    expect(failed.ok).toBe(false);
    const drifted = service.keys().find(({ name }) => name === "drifted");
    service.editKey(drifted?.id ?? "", { enabled: false, scopes: [] });
    const refresh = await stack.refresh();
    expect(refresh.ok, refresh.output).toBe(true);
  },
};

function asksFor(name: string) {
  return ({ body }: { body: unknown }) => (body as { name?: unknown }).name === name;
}
