import { cp, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, execute } from "../engine/command";
import { shellEnvironment } from "../engine/environment";
import { checkout } from "../engine/folders";
import { createProject } from "../engine/project";
import type { PluginName } from "./contender";

/** A project with an empty stack, of one contender and round. */
export interface Site {
  readonly dir: string;
  readonly projectName: string;
  readonly program: string;
  readonly declares: string;
  readonly env: Environment;
  /** The stack's state as the backend wrote it. */
  stateBytes(): Promise<number>;
  remove(): Promise<void>;
}

export interface SiteOptions {
  readonly root: string;
  readonly compiled: string;
  readonly program: string;
  readonly plugin: PluginName | undefined;
  readonly package: string | undefined;
  readonly env: Environment;
}

// The same for all, since it stands in every URN.
const projectName = "bench";

export async function openSite(options: SiteOptions): Promise<Site> {
  const { root, compiled, program, plugin, env, package: other } = options;
  const { dir, write, remove } = await createProject(projectName, { withPackage: other === undefined });
  if (other !== undefined) await cp(other, join(dir, "node_modules", "pulumi-apikeys"), { recursive: true });
  if (plugin !== undefined) await write("Pulumi.yaml", withPlugin(plugin));
  const file = join(dir, "index.js");
  const [source, declares = ""] = program.split("/");
  await cp(join(compiled, "programs", `${source}.js`), file);
  await installNothing(join(compiled, "programs", "nothing"), join(dir, "node_modules", "pulumi-nothing"));

  const [home, state, temporary] = [join(dir, ".home"), join(dir, ".state"), join(dir, ".tmp")];
  await Promise.all([home, state, temporary].map((folder) => mkdir(folder)));
  const whole: Environment = {
    ...shellEnvironment(checkout, [join(root, "bin")]),
    TMPDIR: temporary,
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "bench",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...env,
  };
  const prepare = async (...args: readonly string[]) => {
    const options = { cwd: dir, env: whole };
    const made = await execute(join(root, "bin", "pulumi"), [...args, "--non-interactive"], options);
    if (made.code !== 0) throw new Error(`pulumi ${args.join(" ")} fails:\n${made.output}`);
  };
  await prepare("stack", "init", "dev");
  if (plugin === "apikeys") await prepare("config", "set", "apikeys:host", "plugin");
  return {
    ...{ dir, projectName, program: file, declares, env: whole, remove },
    stateBytes: async () => (await stat(join(state, ".pulumi", "stacks", projectName, "dev.json"))).size,
  };
}

function withPlugin(name: PluginName): string {
  const plugin = `{ name: ${name}, path: node_modules/pulumi-${name}/plugin }`;
  return `name: ${projectName}\nruntime: nodejs\nplugins:\n  providers:\n    - ${plugin}\n`;
}

/** Laid out as ours is, for paths of the same length. */
async function installNothing(from: string, to: string): Promise<void> {
  await mkdir(join(to, "dist", "sdk"), { recursive: true });
  const main = "dist/sdk/apiKey.js";
  await writeFile(
    join(to, "package.json"),
    JSON.stringify({ name: "pulumi-nothing", version: "1.0.0", main }),
  );
  await cp(join(from, "resources.js"), join(to, main));
  await cp(join(from, "plugin"), join(to, "plugin"), { recursive: true });
}
