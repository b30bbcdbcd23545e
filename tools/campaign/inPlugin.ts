import { type PluginHost, startPlugin } from "../../test/host/plugin";
import { preloaded, withWaits } from "../../test/host/quickTimers";
import type { Actor, Service } from "./actor";

/** After a second Ctrl-C the engine gives the provider so long. */
const graceMs = 5_000;

/** The provider as a plugin, over gRPC. */
export async function startInPlugin({ url, accessToken, aheadMs }: Service): Promise<Actor> {
  const plugin = await startPlugin({
    ...{ APIKEYS_BASE_URL: url, APIKEYS_ACCESS_TOKEN: accessToken, APIKEYS_DEBUG: "1" },
    ...preloaded(quickTime(aheadMs)),
  });
  await plugin.configure({});
  return {
    resource: plugin.resource,
    async interrupt(kind) {
      if (kind === "ctrlC") return plugin.cancel();
      if (kind === "engineKilled") return plugin.desert();
      if (kind === "hostKilled") {
        signal(plugin, "SIGKILL");
        return plugin.ended;
      }
      // The engine has cancelled before, and gives the process a while.
      plugin.cancel().catch(() => {});
      signal(plugin, "SIGINT");
      const timer = setTimeout(() => signal(plugin, "SIGKILL"), graceMs / factor);
      void plugin.ended.then(() => clearTimeout(timer));
    },
    stop: async () => void (await plugin.stop()),
    // Users see this, and keep it.
    warnings: () => plugin.logged.map(({ message }) => message).join("\n"),
    debug: () => `${plugin.output.stderr}\n${plugin.output.stdout}`,
  };
}

function signal({ pid }: PluginHost, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** How much faster time runs in the plugin than outside. */
const factor = 20;

/**
 * In a process with this script all time passes quickly: pauses, time-outs, and the clock that measures them. Short waits,
 * in which the process takes its leave, stay what they are. The day may be another.
 */
const quickTime = (aheadMs: number) => `
const wall = Date.now;
Date.now = () => wall() + ${aheadMs};
${withWaits(`ms > 100 ? Math.max(ms / ${factor}, 5) : ms`)}
const now = performance.now.bind(performance);
performance.now = () => now() * ${factor};
`;
