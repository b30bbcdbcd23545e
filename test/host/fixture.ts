import { type StandIn, type StandInOptions, startStandIn } from "../../standin";
import { type Host, startHost } from "./host";
import { type PluginHost, startPlugin } from "./plugin";

/** A real host, configured for a stand-in. */
export interface Scene<H extends Host = Host> {
  readonly standIn: StandIn;
  readonly host: H;
  readonly key: ReturnType<H["resource"]>;
  /** The host of a later command, which has not checked this program. */
  readonly laterHost: () => Promise<H>;
  /** Ends both, and returns all that the host printed. */
  close(): Promise<string>;
}

export const accessToken = "token-of-the-host-tests";

export interface SceneOptions extends Omit<StandInOptions, "tenants"> {
  /** Default: ws_main and ws_second. */
  readonly workspaces?: readonly string[];
  /** In addition to the base URL and the token. */
  readonly env?: Readonly<Record<string, string>>;
}

/** In Pulumi's dynamic-provider host. */
export function openScene(options: SceneOptions = {}): Promise<Scene> {
  return openSceneOf(startHost, options);
}

/** In the plugin. */
export function openPluginScene(options: SceneOptions = {}): Promise<Scene<PluginHost>> {
  return openSceneOf(startPlugin, options);
}

async function openSceneOf<H extends Host>(
  start: (env: Readonly<Record<string, string>>) => Promise<H>,
  { workspaces = ["ws_main", "ws_second"], env, ...options }: SceneOptions,
): Promise<Scene<H>> {
  const tenants = [{ name: "acme", accessToken, workspaces: workspaces.map((id) => ({ id })) }];
  const standIn = await startStandIn({ ...options, tenants });
  const hosts: H[] = [];
  async function opened(): Promise<H> {
    const given = { APIKEYS_BASE_URL: standIn.url, APIKEYS_ACCESS_TOKEN: accessToken };
    const host = await start({ ...given, ...env });
    hosts.push(host);
    await host.configure({});
    return host;
  }
  const host = await opened();
  return {
    standIn,
    host,
    key: host.resource("ApiKey") as ReturnType<H["resource"]>,
    laterHost: opened,
    async close() {
      const printed = await Promise.all(hosts.map((one) => one.stop()));
      await standIn.close();
      return printed.join("");
    },
  };
}
