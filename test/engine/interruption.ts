import { expect, vi } from "vitest";
import type { Endpoint, Fault } from "../../standin";
import type { Outcome } from "../../tools/engine/outcome";
import { ended, hostOf } from "./provider";
import type { Scene } from "./scene";

/** Ways in which a run ends early. */
export type Way = "one Ctrl-C" | "SIGTERM" | "two Ctrl-C" | "SIGKILL of the engine" | "SIGKILL of the host";

const changed = `
new ApiKey("changed", { ...base, enabled: false });
new ApiKey("first", { ...base, keepers: { month: "june" } }, { deleteBeforeReplace: true });`;
const during = (credits: string) => `${changed}
new ApiKey("swapped", { ...base, keepers: { month: "june" } });
new ApiKey("made", base);
new CustomerBilling("credits", { workspaceId: "ws_main", ${credits} });`;

/** Keys to update, to replace in either order, to create and to delete; and credits. */
export const programs = {
  before: program(`
new ApiKey("changed", base);
new ApiKey("first", { ...base, keepers: { month: "may" } }, { deleteBeforeReplace: true });
new ApiKey("swapped", { ...base, keepers: { month: "may" } });
new ApiKey("dropped", base);`),
  during: program(during('totalCredits: "100"')),
  /** The credits were granted, as the user has found in the service. */
  adopting: (billingId: string) => program(during(`billingId: "${billingId}"`)),
  after: program(changed),
};

function program(resources: string): string {
  return `import { ApiKey, CustomerBilling } from "pulumi-apikeys";
const base = { workspaceId: "ws_main", customerId: "customer" };
${resources}
`;
}

/** The first writes of an update from `before` to `during`. Further deletes come last. */
export const writes = [
  "createApiKey",
  "createApiKey",
  "createBilling",
  "deleteApiKey",
  "editApiKey",
] as const;

/** Answers that take some seconds. */
const slow = (endpoint: Endpoint): Fault => ({
  kind: "drip",
  bytesPerSecond: endpoint === "createBilling" ? 50 : 120,
});

/** Runs an update and ends it in this way once these requests are under way. Returns when the host has ended too. */
export async function upCutShort(
  scene: Scene,
  way: Way,
  during: readonly Endpoint[],
  faultOf: (endpoint: Endpoint) => Fault = slow,
): Promise<Outcome> {
  const { service, stack } = scene;
  service.clearRequests();
  for (const endpoint of during) service.inject({ endpoint, fault: faultOf(endpoint) });
  let cli = 0;
  let printed = "";
  const collect = (text: string) => {
    printed += text;
  };
  const onStart = (pid: number) => {
    cli = pid;
  };
  const up = stack.up({ onStart, onOutput: collect, onError: collect });
  await vi.waitFor(() => expect(written(scene)).toEqual(during), {
    timeout: 60_000,
    interval: 5,
  });
  const host = hostOf(cli);
  switch (way) {
    case "one Ctrl-C":
      process.kill(cli, "SIGINT");
      break;
    case "SIGTERM":
      process.kill(cli, "SIGTERM");
      break;
    case "two Ctrl-C":
      process.kill(cli, "SIGINT");
      await vi.waitFor(() => expect(printed).toContain("press ^C again"), { timeout: 10_000, interval: 5 });
      process.kill(cli, "SIGINT");
      break;
    case "SIGKILL of the engine":
      process.kill(cli, "SIGKILL");
      break;
    case "SIGKILL of the host":
      process.kill(host, "SIGKILL");
      break;
  }
  const outcome = await up;
  await ended(host);
  service.clearFaults();
  return outcome;
}

/** The requests that may change something, sorted by their names. */
export function written({ service }: Scene): readonly string[] {
  const sent = service.requests.filter(({ method }) => method !== "GET");
  return sent.map(({ endpoint }) => endpoint).toSorted();
}

/** The live keys, each as its name and its id. */
export function live({ service }: Scene): readonly string[] {
  return service
    .keys({ deleted: false })
    .map(({ name, id }) => `${name} ${id}`)
    .toSorted();
}

export function names(keys: readonly string[]): readonly string[] {
  return keys.map((key) => key.split(" ")[0] ?? "");
}

interface Held {
  /** As `live` has them. */
  readonly keys: readonly string[];
  readonly pending: readonly string[];
  readonly billingId: unknown;
}

/** The keys, the pending operations and the grant in state. */
export async function held({ stack }: Scene): Promise<Held> {
  const { resources = [], pending_operations = [] } = await stack.exportState();
  const nameOf = ({ urn }: { urn: string }) => urn.split("::").at(-1) ?? "";
  const of = (kind: string) => resources.filter(({ type }) => type.endsWith(`:${kind}`));
  return {
    keys: of("ApiKey")
      .map((one) => `${nameOf(one)} ${one.id}`)
      .toSorted(),
    pending: pending_operations.map((one) => `${one.type} ${nameOf(one.resource)}`).toSorted(),
    billingId: of("CustomerBilling")[0]?.outputs?.["billingId"],
  };
}
