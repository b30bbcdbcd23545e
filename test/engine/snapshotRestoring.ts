import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";
import type { Scene } from "./scene";
import { type Story, sceneOf, snapshots } from "./snapshotMaking";

/** A stack with a snapshot's state and program, on a service that has its objects. */
export async function restored(version: string, story: Story): Promise<Scene> {
  const scene = await sceneOf(version, story);
  const { keys, scopes, workspaces } = JSON.parse(
    await readFile(join(snapshots, version, `${story}.service.json`), "utf8"),
  );
  for (const key of keys) scene.service.addKey(key);
  for (const scope of scopes) scene.service.addScope(scope);
  for (const { id, tenant: _, ...values } of workspaces) scene.service.editWorkspace(id, values);
  const file = join(scene.project.dir, "state.json");
  const state = await readFile(join(snapshots, version, `${story}.state.json`), "utf8");
  // As if the service were still at the base URL at which the state was written.
  const place = createHash("sha256")
    .update(new URL(scene.service.url).origin)
    .digest("base64url")
    .slice(0, 8);
  await writeFile(file, state.replaceAll('"__service": "at_first"', `"__service": "${place}"`));
  const imported = await scene.stack.run(["stack", "import", "--file", file]);
  expect(imported.ok, imported.output).toBe(true);
  await rm(file);
  return scene;
}

/** The resources with a step other than "same", each with its steps. */
export function acting({ steps }: Outcome): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {};
  for (const { name, op } of steps) {
    if (["same", "read"].includes(op)) continue;
    found[name] ??= [];
    found[name].push(op);
  }
  return found;
}
