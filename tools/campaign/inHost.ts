import { type Host, type HostedResource, HostFailure, startHost } from "../../test/host/host";
import { type Actor, OperationFailed, type Resource, type Service } from "./actor";
import { quickTime, scaled } from "./quickTime";
import type { Kind } from "./schedule";

/** After a second Ctrl-C the engine gives its host so long. */
const graceMs = 5_000;

/** The provider in the host that the engine runs. */
export async function startInHost(service: Service): Promise<Actor> {
  const host = await startHost(environmentFor(service));
  await host.configure({});
  const lines = (debug: boolean) =>
    host.output.stderr
      .split("\n")
      .filter((line) => line.startsWith("apikeys: ") === debug)
      .join("\n");
  return {
    ...ofProcess(host, (kind, name) => namedAs(name, host.resource(kind))),
    // The engine tells it, and it knows nothing of that.
    cancel: async () => {},
    interrupt: () => interrupt(host),
    warnings: () => lines(false),
    debug: () => `${lines(true)}\n${host.output.stdout}`,
  };
}

/** Of a process in which the provider finds the service. */
export function environmentFor({ url, accessToken, aheadMs, env }: Service) {
  return {
    APIKEYS_BASE_URL: url,
    APIKEYS_ACCESS_TOKEN: accessToken,
    APIKEYS_DEBUG: "1",
    ...env,
    ...quickTime(aheadMs),
  };
}

/** What any process that serves the provider is told in the same way. `named`: a resource, whose name check alone gets. */
export function ofProcess(
  process: Host,
  named: (kind: Kind, name: string | undefined) => HostedResource,
): Pick<Actor, "resource" | "desert" | "kill" | "stop"> {
  const resources = new Map<Kind, Resource>();
  return {
    resource(kind) {
      const resource = resources.get(kind) ?? asResource((name) => named(kind, name));
      resources.set(kind, resource);
      return resource;
    },
    desert: () => process.desert(),
    async kill() {
      signal(process, "SIGKILL");
      await process.ended;
    },
    stop: async () => void (await process.stop()),
  };
}

export function interrupt(host: Host): void {
  signal(host, "SIGINT");
  const timer = setTimeout(() => signal(host, "SIGKILL"), scaled(graceMs));
  void host.ended.then(() => clearTimeout(timer));
}

function signal({ pid }: Host, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** As the package's classes tell the host. */
function namedAs(name: string | undefined, resource: HostedResource): HostedResource {
  if (name === undefined) return resource;
  return {
    ...resource,
    check: (inputs, before) => resource.check({ ...inputs, __resourceName: name }, before),
  };
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
