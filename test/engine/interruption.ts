import { setTimeout as pause } from "node:timers/promises";
import { expect, vi } from "vitest";
import type { Endpoint, Fault } from "../../standin";
import { descendants, isRunning } from "../../tools/engine/command";
import type { Host } from "../../tools/engine/project";
import type { Outcome } from "../../tools/engine/stack";
import { createFixture, type Fixture } from "./fixture";

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
  adopting: ({ service }: Fixture) => program(during(`billingId: "${service.billings()[0]?.id}"`)),
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

/** The pending operations in state if the results are not saved. */
export const pendingCreates = ["creating credits", "creating made", "creating swapped"];
export const pendingThen = [...pendingCreates, "deleting first", "updating changed"];

/** A stack of the program `before`. Deleted keys stay readable to the test, which searches for their secrets. */
export async function start(host: Host): Promise<Fixture> {
  const variant = { delete: "marks", enabledOnCreate: "ignored" } as const;
  const fixture = await createFixture("interrupted", { program: programs.before, host, variant });
  await done(fixture.stack.up());
  return fixture;
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

/** Updates to a program, and ends that in this way once these requests are under way. */
export async function interrupt(
  fixture: Fixture,
  ending: Ending,
  program: string,
  during: readonly Endpoint[],
  faultOf: (endpoint: Endpoint) => Fault = slow,
): Promise<Outcome> {
  await fixture.declare(program);
  fixture.service.clearRequests();
  for (const endpoint of during) fixture.service.inject({ endpoint, fault: faultOf(endpoint) });
  const areUnderWay = () => expect(written(fixture)).toEqual(during);
  const outcome = await upCutShort(
    fixture,
    ending,
    vi.waitFor(areUnderWay, { timeout: 60_000, interval: 5 }),
  );
  fixture.service.clearFaults();
  return outcome;
}

/** The requests that may change something, sorted by their names. */
export function written({ service }: Fixture): readonly string[] {
  const sent = service.requests.filter(({ method }) => method !== "GET");
  return sent.map(({ endpoint }) => endpoint).toSorted();
}

/** The live keys, each as its name and its id. */
export function live({ service }: Fixture): readonly string[] {
  return service
    .keys({ deleted: false })
    .map(({ name, id }) => `${name} ${id}`)
    .toSorted();
}

export function names(keys: readonly string[]): readonly string[] {
  return keys.map((key) => key.split(" ")[0] ?? "");
}

export function secretsOf({ service }: Fixture): readonly string[] {
  return service.keys().map(({ key }) => key);
}

interface StateSummary {
  /** As `live` has them. */
  readonly keys: readonly string[];
  readonly pending: readonly string[];
  readonly billingId: unknown;
}

/** The keys, the pending operations and the grant in state. */
export async function readState({ stack }: Fixture): Promise<StateSummary> {
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

const hostScript = /cmd\/dynamic-provider|pulumi-resource-apikeys/;
/** A host whose engine is gone takes its leave within seconds. */
const leaveMs = 60_000;
/** Within such a time any other host has done its work too. */
const idleMs = 10_000;

/** The command under way that is to be ended before its time. */
interface Target {
  readonly pid: number;
  /** The output so far. */
  readonly printed: string;
  readonly hasEnded: boolean;
}

/** How a command is ended. */
export type Ending = "ctrlC" | "sigterm" | "twoCtrlC" | "engineKilled" | "hostKilled";

/** Runs an update and ends it in this way at a moment. After a killed engine or a second Ctrl-C, the hosts have ended too. */
async function upCutShort({ stack }: Fixture, ending: Ending, moment: Promise<unknown>): Promise<Outcome> {
  const up = { pid: 0, printed: "", hasEnded: false };
  const onOutput = (text: string) => {
    up.printed += text;
  };
  const cutting = moment.then(() => cutShort(ending, up));
  // It may fail before the command ends, which is when it is waited for.
  cutting.catch(() => {});
  const onStart = (pid: number) => {
    up.pid = pid;
  };
  const outcome = await stack.up({ onStart, onOutput, onError: onOutput });
  up.hasEnded = true;
  await cutting;
  return outcome;
}

/** Settles when the signals are sent and the provider's hosts have ended. */
async function cutShort(kind: Ending, target: Target): Promise<void> {
  const hosts = descendants(target.pid)
    .filter(({ args }) => hostScript.test(args))
    .map(({ pid }) => pid);
  switch (kind) {
    case "ctrlC":
      return send(target.pid, "SIGINT");
    case "sigterm":
      return send(target.pid, "SIGTERM");
    case "twoCtrlC":
      send(target.pid, "SIGINT");
      await until(() => target.hasEnded || target.printed.includes("press ^C again"));
      if (!target.hasEnded) send(target.pid, "SIGINT");
      break;
    case "engineKilled":
      send(target.pid, "SIGKILL");
      break;
    case "hostKilled":
      for (const host of hosts) send(host, "SIGKILL");
      break;
  }
  await endOf(hosts);
}

/**
 * An up that refreshes may have a second host that was asked for nothing yet: it has not loaded the provider, so that
 * nothing in it notices that its engine is gone.
 */
async function endOf(hosts: readonly number[]): Promise<void> {
  const left = () => hosts.filter((host) => isRunning(host, hostScript));
  await until(() => left().length < Math.max(1, hosts.length));
  for (const end = Date.now() + idleMs; left().length > 0 && Date.now() < end; ) await pause(20);
  for (const host of left()) send(host, "SIGKILL");
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + leaveMs; !isSo(); await pause(20)) {
    if (Date.now() > end) throw new Error("a process that was interrupted goes on");
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
