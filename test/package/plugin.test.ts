import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { version } from "../../package.json";
import { execute, shellEnvironment } from "../../tools/engine/command";
import { checkout, makeWorkFolder, packedPackage, type WorkFolder } from "../../tools/engine/project";

const env = { ...shellEnvironment(checkout, []), NODE_COMPILE_CACHE: undefined };
const unasked = ["--offline", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];

let project: WorkFolder;
let plugin: string;

beforeAll(async () => {
  const { tarball } = await packedPackage();
  project = await makeWorkFolder("package", "installed");
  await writeFile(join(project.path, "package.json"), "{}");
  // Dependencies come from the checkout, so that npm needs no registry.
  const packages = ["--install-links", tarball, join(checkout, "node_modules/undici")];
  const installed = await execute("npm", ["install", ...unasked, ...packages], { cwd: project.path, env });
  expect(installed.code, installed.output).toBe(0);
  plugin = join(project.path, "node_modules/pulumi-apikeys/plugin");
});
afterAll(() => project?.remove());

/** The version that the plugin reports. It then ends because its stdin ends. */
async function startedVersion(): Promise<string> {
  const started = spawn(join(plugin, "pulumi-resource-apikeys"), ["127.0.0.1:1"], { env });
  const ended = once(started, "exit");
  const [port] = await Promise.race([once(started.stdout, "data"), ended]);
  const client = new ResourceProviderClient(`127.0.0.1:${port}`.trim(), credentials.createInsecure());
  const info = await new Promise<PluginInfo>((resolve, reject) => {
    client.getPluginInfo(new Empty(), (error, answer) => (error ? reject(error) : resolve(answer)));
  });
  client.close();
  started.stdin.end();
  expect(await ended).toEqual([0, null]);
  return info.getVersion();
}

test("the plugin of an installed package starts, and reports the package's version", async () => {
  expect(await startedVersion()).toBe(version);
});

test("the plugin of an installed package keeps the compile cache of Node.js beside itself, and starts even if it can't", async () => {
  const kept = join(plugin, "compiled");
  const [folder, ...files] = await readdir(kept, { recursive: true });
  // Two of three scripts: without a request, undici.js is not loaded.
  expect(files, folder).toHaveLength(2);
  await rm(kept, { recursive: true });
  // A file in place of the folder works like a read-only folder, but even for root.
  await writeFile(kept, "");
  expect(await startedVersion()).toBe(version);
  await rm(kept);
});

test("the plugin of an installed package keeps function names, which unexpected errors show, and has the licences of its libraries", async () => {
  const [bundle, licences] = await Promise.all(
    ["provider.js", "LICENSES.txt"].map((file) => readFile(join(plugin, file), "utf8")),
  );
  expect(bundle?.includes("function openInstance(")).toBe(true);
  for (const library of ["@grpc/grpc-js", "google-protobuf", "undici", "zod"]) {
    expect(licences).toMatch(new RegExp(`^${library}$`, "m"));
  }
});
