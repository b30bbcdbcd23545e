import { join } from "node:path";
import { type CommandResult, execute } from "../../tools/engine/command";
import { shellEnvironment } from "../../tools/engine/environment";
import { checkout } from "../../tools/engine/folders";
import { credentials, type Scene } from "./scene";

/** Runs `npx pulumi-apikeys <args>` in a project. */
export function runApikeys({ project, service }: Scene, ...args: readonly string[]): Promise<CommandResult> {
  const command = join(project.dir, "node_modules", "pulumi-apikeys", "dist", "cli", "main.js");
  const env = { ...shellEnvironment(checkout, []), ...credentials(service) };
  return execute("node", [command, ...args], { cwd: project.dir, env });
}
