import { expect, vi } from "vitest";
import type { Endpoint, StoredKey } from "../../standin";
import { someOf } from "../all";
import { accessToken, type Scene } from "./fixture";
import { type HostedResource, HostFailure, type Properties } from "./host";

/** Ways in which a run ends while the host is at work: two signals, or the engine exits. */
export type Ending = "SIGINT" | "SIGTERM" | "engine exit";
export const endings = someOf<Ending>(["SIGINT", "SIGTERM", "engine exit"], (one) => one !== "SIGTERM");

export function end({ host }: Scene, ending: Ending): void {
  if (ending === "engine exit") host.desert();
  else process.kill(host.pid, ending);
}

/** The value of a key that may already be in use. */
export const existingKey = "sk_live_somebody_uses_this_0123456789";

/** One of each kind, in workspaces that share no list. */
const beginnings = {
  key: ["ApiKey", { workspaceId: "ws_main", customerId: "cus_1", name: "ci" }],
  migrated: ["ApiKey", { workspaceId: "ws_main", customerId: "cus_1", name: "old", existingKey }],
  scope: ["Scope", { workspaceId: "ws_main", name: "Orders", representation: "orders" }],
  settings: ["WorkspaceSettings", { workspaceId: "ws_main", defaultKeyPrefix: "sk", onDestroy: "restore" }],
  grant: ["CustomerBilling", { workspaceId: "ws_main", totalCredits: "100" }],
} as const satisfies Readonly<Record<string, readonly [string, Properties]>>;
type Name = keyof typeof beginnings;

/** Starts to create all at once. Returns the engine's answer for each: "done", or why it failed. */
export async function begin({ host }: Scene, ...names: readonly Name[]): Promise<Record<string, string>> {
  const results = names.map(async (name) => {
    const [kind, declared] = beginnings[name];
    const resource: HostedResource = host.resource(kind);
    const { inputs, failures } = await resource.check(declared);
    expect(failures).toEqual([]);
    return [name, await messageOf(resource.create(inputs))] as const;
  });
  return Object.fromEntries(await Promise.all(results));
}

export async function messageOf(operation: Promise<unknown>): Promise<string> {
  try {
    await operation;
    return "done";
  } catch (error) {
    if (!(error instanceof HostFailure)) throw error;
    return error.message;
  }
}

/** Answers to this endpoint take a second or two, so that there is time to act while they are under way. */
export function slow({ standIn }: Scene, ...endpoints: readonly Endpoint[]): void {
  for (const endpoint of endpoints) {
    const bytesPerSecond = endpoint.startsWith("list") ? 10 : 250;
    standIn.inject({ endpoint, fault: { kind: "drip", bytesPerSecond } });
  }
}

/** Waits until a request to each of these has arrived at the service. */
export async function arrival({ standIn }: Scene, ...endpoints: readonly Endpoint[]): Promise<void> {
  const seen = () => standIn.requests.map(({ endpoint }) => endpoint);
  await vi.waitFor(() => expect(seen()).toEqual(expect.arrayContaining([...endpoints])), {
    timeout: 10_000,
    interval: 5,
  });
}

/** The requests that may change something, in the order of their arrival. */
export function writes({ standIn }: Scene): readonly string[] {
  return standIn.requests.filter(({ method }) => method !== "GET").map(({ endpoint }) => endpoint);
}

export function live({ standIn }: Scene): readonly StoredKey[] {
  return standIn.keys().filter(({ deleted }) => !deleted);
}

/** The lines that the host wrote to stderr until its end; none may contain a secret. */
export async function lastWords({ host, standIn }: Scene): Promise<readonly string[]> {
  await host.ended;
  const { stdout, stderr } = host.output;
  const secrets = [accessToken, existingKey, ...standIn.keys().map(({ key }) => key)];
  expect(secrets.filter((secret) => (stdout + stderr).includes(secret))).toEqual([]);
  return stderr.split("\n").filter((line) => line !== "");
}
