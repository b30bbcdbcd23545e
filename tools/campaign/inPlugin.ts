import { startPlugin } from "../../test/host/plugin";
import type { Actor, Resource, Service } from "./actor";
import { asResource, interrupt, signal } from "./inHost";
import { quickTime } from "./quickTime";
import type { Kind } from "./schedule";

/** The provider as a plugin, over gRPC. */
export async function startInPlugin(service: Service): Promise<Actor> {
  const plugin = await startPlugin({
    APIKEYS_BASE_URL: service.url,
    APIKEYS_ACCESS_TOKEN: service.accessToken,
    APIKEYS_DEBUG: "1",
    ...service.env,
    ...quickTime(service.aheadMs),
  });
  await plugin.configure({});
  const resources = new Map<Kind, Resource>();
  return {
    resource(kind) {
      const resource = resources.get(kind) ?? asResource((name) => plugin.resource(kind, name));
      resources.set(kind, resource);
      return resource;
    },
    cancel: plugin.cancel,
    interrupt() {
      // The engine has cancelled before. It may have ended in the meantime.
      plugin.cancel().catch(() => {});
      interrupt(plugin);
    },
    desert: () => void plugin.desert(),
    async kill() {
      signal(plugin, "SIGKILL");
      await plugin.ended;
    },
    stop: async () => void (await plugin.stop()),
    // What users are shown, and keep.
    warnings: () =>
      plugin.told
        .filter(({ ephemeral }) => !ephemeral)
        .map(({ message }) => message)
        .join("\n"),
    debug: () => `${plugin.output.stderr}\n${plugin.output.stdout}`,
  };
}
