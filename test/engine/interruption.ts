import { expect, vi } from "vitest";
import type { Endpoint, Fault } from "../../standin";
import type { Outcome } from "../../tools/engine/outcome";
import type { Host } from "../../tools/engine/project";
import { type Ending, upCutShort } from "./cutShort";
import { type Scene, setScene } from "./scene";

export const hosts: readonly Host[] = ["dynamic", "plugin"];

const changed = `
new ApiKey("changed", { ...base, enabled: false });
new ApiKey("first", { ...base, keepers: { month: "june" } }, { deleteBeforeReplace: true });`;
const during = (credits: string) => `${changed}
new ApiKey("swapped", { ...base, keepers: { month: "june" } });
new ApiKey("made", { ...base, enabled: false });
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
  adopting: ({ service }: Scene) => program(during(`billingId: "${service.billings()[0]?.id}"`)),
  after: program(changed),
};

function program(resources: string): string {
  return `import { ApiKey, CustomerBilling } from "pulumi-apikeys";
const base = { workspaceId: "ws_main", customerId: "customer" };
${resources}
`;
}

/** The first writes of an update from `before` to `during`. A PATCH that disables `made`, and further deletes, come later. */
export const writes = [
  "createApiKey",
  "createApiKey",
  "createBilling",
  "deleteApiKey",
  "editApiKey",
] as const;

/** What state then has pending if the results are not saved. */
export const pendingCreates = ["creating credits", "creating made", "creating swapped"];
export const pendingThen = [...pendingCreates, "deleting first", "updating changed"];

/** A stack of the program `before`. Deleted keys stay readable to the test, which searches for their secrets. */
export async function start(host: Host): Promise<Scene> {
  const variant = { delete: "marks", enabledOnCreate: "ignored" } as const;
  const scene = await setScene("interrupted", { program: programs.before, host, variant });
  await done(scene.stack.up());
  return scene;
}

/** The outcome of a command that succeeds. */
export async function done(command: Promise<Outcome>): Promise<Outcome> {
  const outcome = await command;
  expect(outcome.ok, outcome.output).toBe(true);
  return outcome;
}

/** Answers that take some seconds, but fewer than the 4 after which a create is named without one. */
const slow = (endpoint: Endpoint): Fault => ({
  kind: "drip",
  bytesPerSecond: endpoint === "createBilling" ? 80 : 120,
});

/** Updates to a program, and ends that in this way once these requests are under way. Returns what was printed. */
export async function interrupt(
  scene: Scene,
  ending: Ending,
  program: string,
  during: readonly Endpoint[],
  faultOf: (endpoint: Endpoint) => Fault = slow,
): Promise<string> {
  const { service, stack } = scene;
  await scene.declare(program);
  service.clearRequests();
  for (const endpoint of during) service.inject({ endpoint, fault: faultOf(endpoint) });
  const underWay = vi.waitFor(() => expect(written(scene)).toEqual(during), {
    timeout: 60_000,
    interval: 5,
  });
  const { ok, output } = await upCutShort(stack, ending, underWay);
  // If the last requests of an update were under way, nothing is left to cancel after one signal.
  const isLast = program === programs.after && ["ctrlC", "sigterm"].includes(ending);
  if (!isLast) expect(ok, output).toBe(false);
  service.clearFaults();
  return output;
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

export function secretsOf({ service }: Scene): readonly string[] {
  return service.keys().map(({ key }) => key);
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
