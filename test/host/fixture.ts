import { expect } from "vitest";
import { type StandIn, type StandInOptions, startStandIn } from "../../standin";
import { type Host, HostFailure, startHost } from "./host";
import { type PluginHost, startPlugin } from "./plugin";

/** A real host, configured for a stand-in. */
export interface Fixture<H extends Host = Host> {
  readonly standIn: StandIn;
  readonly host: H;
  readonly key: ReturnType<H["resource"]>;
  /** The host of a later command, which has not checked this program. */
  readonly laterHost: () => Promise<H>;
  /** Ends both, and returns all that the host printed, which has no secret (R16). */
  close(): Promise<string>;
}

export const accessToken = "token-of-the-host-tests";

export interface FixtureOptions extends Omit<StandInOptions, "tenants"> {
  /** Default: ws_main and ws_second. */
  readonly workspaces?: readonly string[];
  /** In addition to the base URL and the token. */
  readonly env?: Readonly<Record<string, string>>;
}

/** In Pulumi's dynamic-provider host. */
export function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  return openFixtureOf(startHost, options);
}

/** In the plugin. */
export function openPluginFixture(options: FixtureOptions = {}): Promise<Fixture<PluginHost>> {
  return openFixtureOf(startPlugin, options);
}

async function openFixtureOf<H extends Host>(
  start: (env: Readonly<Record<string, string>>) => Promise<H>,
  { workspaces = ["ws_main", "ws_second"], env, ...options }: FixtureOptions,
): Promise<Fixture<H>> {
  const tenants = [
    { name: "acme", accessToken, workspaces: workspaces.map((id) => ({ id })) },
    { name: "other", accessToken: "token-of-other", workspaces: [] },
  ];
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
      const printed = (await Promise.all(hosts.map((one) => one.stop()))).join("");
      await standIn.close();
      for (const secret of [accessToken, ...standIn.secrets()]) expect(printed).not.toContain(secret);
      return printed;
    },
  };
}

/** The requests that an operation sends. */
export async function requestsOf<T>({ standIn }: Pick<Fixture, "standIn">, operation: () => Promise<T>) {
  const before = standIn.requests.length;
  const result = await operation();
  const requests = standIn.requests.slice(before).map(({ endpoint, body }) => ({ endpoint, body }));
  return { result, requests, endpoints: requests.map(({ endpoint }) => endpoint).join(" ") };
}

/** Tests compare writes alone: the creates of one workspace share a list of its keys, so only some of them request it. */
export function isWrite({ endpoint }: { readonly endpoint: string }): boolean {
  return !/^(list|read)/.test(endpoint);
}

/** The failure of this operation, whose message must begin with a summary of one line with a code, and have no stack. */
export async function failureOf(operation: Promise<unknown>): Promise<HostFailure> {
  const failure: unknown = await operation.catch((error: unknown) => error);
  if (!(failure instanceof HostFailure)) throw new Error("the operation did not fail");
  expect(failure.details).toMatch(/^(?=.{1,160}(\n|$))APIKEYS\d{4}: /);
  expect(failure.details).not.toMatch(/\.[jt]s:\d+/);
  return failure;
}
