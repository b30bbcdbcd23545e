import type { Project } from "../../test/engine/project";

/** With which the package's classes register resources of the plugin. */
export const pluginConfig = { "apikeys:host": "plugin" } as const;

/** Tells the engine where the project has the plugin. */
export async function usePlugin({ name, write }: Project): Promise<void> {
  const plugin = "{ name: apikeys, path: node_modules/pulumi-apikeys/plugin }";
  await write("Pulumi.yaml", `name: ${name}\nruntime: nodejs\nplugins:\n  providers:\n    - ${plugin}\n`);
}
