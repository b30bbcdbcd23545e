import { type StandIn, startStandIn } from "../../standin";
import { loadProgram } from "../engine/loadProgram";
import { createProject } from "../engine/project";
import { createStack, type EngineStack } from "../engine/stack";
import { restoreCheckpoint } from "./checkpoint";
import { drawing } from "./draw";
import type { EngineHost } from "./inEngine";
import { type Ending, upCutShort } from "./signals";

/** One set of keys on the real engine, whose up is ended at a moment that follows from a seed, and then run again. */
export interface SetTrial {
  readonly seed: number;
  readonly ending: Ending;
  /** Whether the engine that was killed left no state, so that the one before stands in its place. */
  readonly checkpointLost: boolean;
  /** How many keys stood before, and how many the up was to make. */
  readonly before: number;
  readonly adding: number;
  /** The create at which it was ended: when it arrived, or was answered. */
  readonly at: string;
  /** How long the command went on after its first signal. */
  readonly secondsToEnd: number;
  /** Keys that lived when it had ended; how many of them no state held then, and how many none ever did. */
  readonly live: number;
  readonly unheld: number;
  readonly orphans: number;
  /** How many of the orphans were told of by their ids, by the interrupted up or by the next. */
  readonly told: number;
  /** What must not be. */
  readonly findings: readonly string[];
}

const endings: readonly Ending[] = ["ctrlC", "sigterm", "twoCtrlC", "engineKilled", "hostKilled"];
const latencyMs = 20;

export interface SetTrialOptions {
  /** Default: none. */
  readonly before?: number;
  readonly adding: number;
  /** Default: by the seed. */
  readonly ending?: Ending;
  /** Default: that of dynamic resources. */
  readonly host?: EngineHost;
}

export async function tryOutSet(seed: number, given: SetTrialOptions): Promise<SetTrial> {
  const { before = 0, adding, host = "dynamic" } = given;
  const draw = drawing(seed);
  const ending = given.ending ?? (endings[seed % endings.length] as Ending);
  const moment = draw.one(["arrives", "answered"] as const);
  const nth = draw.number(1, adding);
  let answered: () => void = () => {};
  const service = await startStandIn({
    latencyMs,
    onRequest: ({ endpoint }) => endpoint === "createApiKey" && answered(),
  });
  const project = await createProject(`set-cut-${seed}`);
  try {
    if (host === "plugin") await project.setHost(host);
    const stack = await createStack(project, {
      program: loadProgram(project.dir),
      env: { APIKEYS_BASE_URL: service.url, APIKEYS_ACCESS_TOKEN: service.accessToken },
    });
    if (before > 0) {
      await project.write("index.ts", program(before));
      const up = await stack.up();
      if (!up.ok) throw new Error(up.output);
    }
    await project.write("index.ts", program(before + adding));
    const create = new Promise<void>((resolve) => {
      let left = nth;
      const come = () => {
        left -= 1;
        if (left === 0) resolve();
      };
      if (moment === "answered") answered = come;
      else onArrival(service, come);
    });
    const { output, secondsToEnd } = await upCutShort(stack, ending, create);
    const said = [output];
    answered = () => {};
    service.clearFaults();
    const checkpointLost = ending === "engineKilled" && (await restoreCheckpoint(project));
    const live = service.keys().map(({ id }) => id);
    const unheld = live.length - (await heldIn(stack)).size;
    const findings = await recovered(stack, service, { ending, size: before + adding, said });
    // After one signal the engine takes what is under way.
    if (unheld > 0 && (ending === "ctrlC" || ending === "sigterm")) {
      findings.push(`${unheld} of ${live.length} keys that live are not in state`);
    }
    const held = await heldIn(stack);
    const orphans = service.keys().filter(({ id }) => !held.has(id));
    const told = orphans.filter(({ id }) => said.some((text) => text.includes(id)));
    if (told.length < orphans.length) {
      const untold = orphans.length - told.length;
      findings.push(`${untold} of ${orphans.length} keys that live and stand in no state were not told of`);
    }
    const at = `${nth} ${moment}`;
    return {
      ...{ seed, ending, checkpointLost, before, adding, at, live: live.length, unheld },
      ...{ secondsToEnd, orphans: orphans.length, told: told.length, findings },
    };
  } finally {
    await Promise.all([service.close(), project.remove()]);
  }
}

function program(count: number): string {
  return `import { ApiKeySet } from "pulumi-apikeys";
const aliases = Array.from({ length: ${count} }, (_, n) => "key-" + n);
new ApiKeySet("set", {
  workspaceId: "ws_main",
  defaults: { customerId: "customer", scopes: [{ representation: "orders", read: true }] },
  keys: Object.fromEntries(aliases.map((alias) => [alias, {}])),
});
export {};
`;
}

function onArrival({ inject }: StandIn, come: () => void): void {
  inject({
    endpoint: "createApiKey",
    times: Number.POSITIVE_INFINITY,
    when: () => {
      come();
      return false;
    },
    fault: { kind: "resetBefore" },
  });
}

interface Recovery {
  readonly ending: Ending;
  readonly size: number;
  /** Takes what the commands print. */
  readonly said: string[];
}

/** What a user does then: unlocks if the engine is gone, runs up again, clears what is pending. */
async function recovered(stack: EngineStack, service: StandIn, { ending, size, said }: Recovery) {
  const findings: string[] = [];
  if (ending === "engineKilled") await stack.run(["cancel", "--yes"]);
  const up = await stack.up();
  said.push(up.output);
  if (!up.ok) findings.push(`the next up fails: ${up.error}`);
  const { pending_operations = [] } = await stack.exportState();
  if (pending_operations.length > 0) {
    const cleared = await stack.run(["refresh", "--clear-pending-creates", "--yes"]);
    said.push(cleared.output);
    if (!cleared.ok) findings.push(`what is pending can't be cleared: ${cleared.error}`);
  }
  const held = await heldIn(stack);
  const keys = new Map(service.keys().map(({ id, key }) => [id, key]));
  const whole = [...held].filter(([id, secret]) => keys.get(id) === secret);
  if (whole.length !== size) findings.push(`${whole.length} of ${size} keys stand with their secrets`);
  const preview = await stack.previewRefresh({ expectNoChanges: true });
  if (!preview.ok) findings.push(`something is left to do: ${preview.output}`);
  return findings;
}

/** The secrets in state by the keys' ids. */
async function heldIn(stack: EngineStack): Promise<ReadonlyMap<string, string>> {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  const outputs = resources.find(({ urn }) => urn.endsWith("::set"))?.outputs;
  const secrets = JSON.parse(outputs?.["secrets"]?.plaintext ?? "{}");
  return new Map(Object.entries(outputs?.["ids"] ?? {}).map(([alias, id]) => [String(id), secrets[alias]]));
}
