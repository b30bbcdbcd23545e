import { type StandIn, type StandInOptions, startStandIn } from "../../standin";
import { quickly } from "../engine/folders";
import { type Host, type HostedResource, startHost } from "./host";

/** The real host, configured for a stand-in of the service. */
export interface Scene {
  readonly standIn: StandIn;
  readonly host: Host;
  readonly key: HostedResource;
  /** Ends both, and gives all that the host printed. */
  close(): Promise<string>;
}

export const accessToken = "token-of-the-host-tests";

export interface SceneOptions extends Omit<StandInOptions, "tenants"> {
  /** Default: ws_main and ws_second. */
  readonly workspaces?: readonly string[];
  /** Beside the address and the token. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openScene({ workspaces, env, ...options }: SceneOptions = {}): Promise<Scene> {
  const ids = workspaces ?? ["ws_main", "ws_second"];
  const tenants = [{ name: "acme", accessToken, workspaces: ids.map((id) => ({ id })) }];
  const standIn = await startStandIn({ ...options, tenants });
  const host = await startHost({
    ...quickly,
    APIKEYS_BASE_URL: standIn.url,
    APIKEYS_ACCESS_TOKEN: accessToken,
    ...env,
  });
  await host.configure({});
  return {
    standIn,
    host,
    key: host.resource("ApiKey"),
    async close() {
      const printed = await host.stop();
      await standIn.close();
      return printed;
    },
  };
}
