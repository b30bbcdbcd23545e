import { type HostedResource, HostFailure } from "../../test/host/host";
import { type PluginHost, startPlugin } from "../../test/host/plugin";
import { type Actor, OperationFailed, type Resource, type Service } from "./actor";

/** After a second Ctrl-C the engine gives the provider so long. */
const graceMs = 5_000;

/** The provider as a plugin, over gRPC. */
export async function startInPlugin({ url, accessToken, aheadMs, env }: Service): Promise<Actor> {
  const plugin = await startPlugin({
    ...{ APIKEYS_BASE_URL: url, APIKEYS_ACCESS_TOKEN: accessToken, APIKEYS_DEBUG: "1" },
    ...env,
    ...quickTime(aheadMs),
  });
  await plugin.configure({});
  return {
    resource: (kind) => asResource((name) => plugin.resource(kind, name)),
    cancel: plugin.cancel,
    interrupt() {
      // The engine has cancelled before. It may have ended in the meantime.
      plugin.cancel().catch(() => {});
      signal(plugin, "SIGINT");
      const timer = setTimeout(() => signal(plugin, "SIGKILL"), graceMs / factor);
      void plugin.ended.then(() => clearTimeout(timer));
    },
    desert: plugin.desert,
    async kill() {
      signal(plugin, "SIGKILL");
      await plugin.ended;
    },
    stop: async () => void (await plugin.stop()),
    // What users are shown, and keep.
    warnings: () =>
      plugin.logged
        .filter(({ ephemeral }) => !ephemeral)
        .map(({ message }) => message)
        .join("\n"),
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

const changed = { unknown: undefined, none: false, some: true } as const;

function asResource(named: (name?: string) => HostedResource): Resource {
  const of = named();
  return {
    check: (inputs, before, name) =>
      answering(async () => {
        const { inputs: given, failures } = await named(name).check(inputs, before);
        return { inputs: given, failures: failures.map(({ reason }) => reason) };
      }),
    diff: (held, inputs, name) =>
      answering(async () => {
        const { changes, replaces } = await named(name).diff(held, inputs);
        return { changes: changed[changes], replaces };
      }),
    create: (inputs) => answering(() => of.create(inputs)),
    read: (held) =>
      answering(async () => {
        const { id, properties, inputs } = await of.read(held);
        return id === "" ? undefined : { id, state: properties, inputs };
      }),
    update: (held, inputs) => answering(async () => (await of.update(held, inputs)).state),
    delete: (held, name) => answering(() => named(name).delete(held)),
  };
}

async function answering<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof HostFailure)) throw error;
    const { message, kept } = error;
    throw new OperationFailed(message, kept && { id: kept.id, state: kept.properties });
  }
}

/** How much faster time runs in the plugin than outside. */
const factor = 20;

/**
 * Environment of a process in which all time passes quickly: pauses, time-outs, and the clock that measures them. Short
 * waits, in which the process takes its leave, stay what they are. The day may be another.
 */
function quickTime(aheadMs: number): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script(aheadMs))}` };
}

const script = (aheadMs: number) => `
const wall = Date.now;
Date.now = () => wall() + ${aheadMs};
const wait = globalThis.setTimeout;
const scaled = (ms) => (ms > 100 ? Math.max(ms / ${factor}, 5) : ms);
const quick = (run, ms, ...rest) => wait(run, scaled(ms), ...rest);
globalThis.setTimeout = Object.defineProperties(quick, Object.getOwnPropertyDescriptors(wait));
const now = performance.now.bind(performance);
performance.now = () => now() * ${factor};
`;
