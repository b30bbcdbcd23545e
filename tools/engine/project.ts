import { access, cp, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { checkout, makeWorkFolder } from "./folders";
import { packedPackage } from "./packedPackage";

/** A user's project: a folder with a program, and with the packed package in its node_modules. */
export interface Project {
  readonly name: string;
  readonly dir: string;
  /** Chooses where the provider runs from now on; Pulumi.yaml names the package's plugin, and other plugins with their paths. */
  setHost(host: Host, others?: Plugins): Promise<void>;
  /** Writes a file of the project, such as index.ts. */
  write(file: string, text: string): Promise<void>;
  /** Removes the folder, as the end of the process does. */
  remove(): Promise<void>;
}

/** Where the provider runs: in Pulumi's host of dynamic providers, or as the package's plugin. */
export type Host = "dynamic" | "plugin";

export interface ProjectOptions {
  /** A folder under examples/, whose files are copied. */
  readonly example?: string;
  /** Whether pulumi-apikeys is installed. Default: true. */
  readonly withPackage?: boolean;
}

/** Creates a project in a new folder. Other packages resolve from the checkout above it. */
export async function createProject(name: string, options: ProjectOptions = {}): Promise<Project> {
  const { path: dir, remove } = await makeWorkFolder("engine", name);
  const write = async (file: string, text: string) => writeFile(join(dir, file), text);
  if (options.example !== undefined) {
    await cp(join(checkout, "examples", options.example), dir, {
      recursive: true,
      filter: (source) => basename(source) !== "node_modules",
    });
  }
  // Without its own package.json, the project would belong to the package in the checkout, and the package's name would
  // resolve to the checkout. Without `main` in Pulumi.yaml, the host runs in this folder.
  await writeUnlessThere(join(dir, "package.json"), JSON.stringify({ name, private: true }));
  await writeUnlessThere(join(dir, "Pulumi.yaml"), `name: ${name}\nruntime: nodejs\n`);
  if (options.withPackage !== false) {
    // A real folder, because the host treats a symbolic link differently.
    const { folder } = await packedPackage();
    await cp(folder, join(dir, "node_modules", "pulumi-apikeys"), { recursive: true });
  }
  const setHost = (host: Host, others?: Plugins) => write("Pulumi.yaml", withPlugins(name, host, others));
  return { name, dir, setHost, write, remove };
}

type Plugins = Readonly<Record<string, string>>;

function withPlugins(name: string, host: Host, others: Plugins = {}): string {
  const plugins = Object.entries({ apikeys: "node_modules/pulumi-apikeys/plugin", ...others });
  const lines = plugins.map(([plugin, path]) => `    - name: ${plugin}\n      path: ${path}`);
  return `name: ${name}
runtime: nodejs
plugins:
  providers:
${lines.join("\n")}
config:
  apikeys:host:
    value: ${host}
`;
}

async function writeUnlessThere(file: string, text: string) {
  await access(file).catch(() => writeFile(file, text));
}
