import { startPlugin } from "../../test/host/plugin";
import type { Actor, Service } from "./actor";
import { environmentFor, interrupt, ofProcess } from "./inHost";

/** The provider as a plugin, over gRPC. */
export async function startInPlugin(service: Service): Promise<Actor> {
  const plugin = await startPlugin(environmentFor(service));
  await plugin.configure({});
  return {
    ...ofProcess(plugin, plugin.resource),
    cancel: plugin.cancel,
    interrupt() {
      // The engine has cancelled before. It may have ended in the meantime.
      plugin.cancel().catch(() => {});
      interrupt(plugin);
    },
    // What users are shown, and keep.
    warnings: () =>
      plugin.logged
        .filter(({ ephemeral }) => !ephemeral)
        .map(({ message }) => message)
        .join("\n"),
    debug: () => `${plugin.output.stderr}\n${plugin.output.stdout}`,
  };
}
