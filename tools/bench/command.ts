import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Contender } from "./contender";
import { commonSteps } from "./steps";

const plugin = "pulumi-resource-command";

/** @pulumi/command with curl: a package and a plugin that this project does not depend on. */
export const command: Contender = {
  id: "command",
  title: "@pulumi/command and curl",
  work: { kind: "engine", program: "command/single", host: /pulumi-resource-command/ },
  asks: true,
  // A refresh of it asks nothing: it has no way to read.
  steps: commonSteps,
  rounds: (count, rounds) => (count < 1_000 ? rounds : 0),
  missing,
};

function missing(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  if (!folders.some((folder) => existsSync(join(folder, "curl")))) return "there is no curl on PATH";
  if (commandPlugin() === undefined)
    return `there is no plugin ${plugin} on PATH or in the plugins of PULUMI_HOME`;
  try {
    createRequire(__filename).resolve("@pulumi/command");
    return undefined;
  } catch {
    return "the npm package @pulumi/command can't be resolved (NODE_PATH may lead to it)";
  }
}

/** The folder that holds the plugin's program. */
export function commandPlugin(): string | undefined {
  const plugins = join(process.env["PULUMI_HOME"] ?? join(homedir(), ".pulumi"), "plugins");
  const installed = existsSync(plugins) ? readdirSync(plugins).sort().reverse() : [];
  const kept = installed.filter((name) => /^resource-command-v[\d.]+$/.test(name));
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...kept.map((name) => join(plugins, name)),
  ];
  const found = folders.map((folder) => join(folder, plugin)).find((file) => existsSync(file));
  return found === undefined ? undefined : dirname(found);
}
