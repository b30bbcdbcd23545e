import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fault } from "../../standin";
import { openScene, type Scene } from "./fixture";
import type { Held } from "./host";
import { declared } from "./outcomes";
import { type Gauge, gauge } from "./watched";

const MiB = 1024 * 1024;
const deep = "[".repeat(500_000) + "]".repeat(500_000);

let scene: Scene;
let watched: Gauge;
let folder: string;
let key: Held;
let scope: Held;
const figures: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "memory-"));
  watched = gauge(join(folder, "peak"));
  scene = await openScene({ env: watched.env });
  key = await scene.key.create(await declared(scene));
  const docs = { workspaceId: "ws_main", name: "Docs", representation: "docs" };
  const { inputs } = await scene.host.resource("Scope").check(docs);
  scope = await scene.host.resource("Scope").create(inputs);
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true, force: true });
  process.stdout.write(`peak memory of a host: ${figures.join(", ")}\n`);
});

async function measured(what: string): Promise<number> {
  const peak = await watched.peak();
  figures.push(`${what} ${peak} MiB`);
  return peak;
}

// Its name in state is outdated, so no list confirms the key, and it is read by itself each time.
const readKey = () => scene.key.read({ ...key, state: { ...key.state, name: "before" } });
const readScope = () => scene.host.resource("Scope").read(scope);

// A peak never falls, so the cases that need least memory come first.
test("the host's memory stays bounded, whatever the service answers", async () => {
  const idle = await measured("idle");
  /** The host's peak after one such answer. */
  async function after(what: string, fault: Fault, run: () => Promise<unknown>): Promise<number> {
    scene.standIn.inject({ endpoint: ["readApiKey", "listScopes"], fault });
    // Whether it fails or is repeated makes no difference here.
    await run().catch(() => {});
    scene.standIn.clearFaults();
    return measured(what);
  }
  await after("1 MB of deep JSON", { kind: "moreFields", json: `"more":${deep}` }, readKey);
  // An answer is read whole up to 64 MiB: as chunks, as one buffer and as text.
  await after("a list of 10 MB", { kind: "hugeBody", bytes: 10 * MiB }, readScope);
  const list = await after("a list just under 64 MiB", { kind: "hugeBody", bytes: 64 * MiB - 1 }, readScope);
  const cut = await after("1,000 MB", { kind: "hugeBody", bytes: 1_000 * MiB }, readKey);
  expect(list - idle).toBeLessThan(500);
  expect(cut - idle).toBeLessThan(500);
});
