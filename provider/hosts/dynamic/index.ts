/**
 * The door for Pulumi's dynamic-provider host, which finds it by the string that stands in every resource's state:
 * `require("pulumi-apikeys/dynamic").provider("ApiKey")`. The subpath, this function and the kinds are permanent.
 */
import type { dynamic } from "@pulumi/pulumi";
import { openTransport, type Transport } from "../../client/transport";
import { configuration, type Settings, settings } from "../../core/config";
import { Failure, type Kept } from "../../core/errors";
import { type Lifecycle, lifecycle } from "../../core/lifecycle";
import { type Known, openKnown } from "../../core/registry";
import type { Run } from "../../core/run";
import { markedAt } from "../../core/secrecy";
import type { Surroundings } from "../../core/session";
import { nameKey, type Properties, providerKey } from "../../core/state";
import { isKeepable } from "../../core/stateSize";
import { definitions } from "../../resources";
import { serveRun } from "./process";

const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const warn = (message: string): void => tell(`warning: ${message}`);

/** One host process serves one provider instance, whose resources share the run, connections, pace and retries. */
let run: Run | undefined;
let shared: Transport | undefined;
const known = new Map<string, Known>();

function knownOf(kind: string): Known {
  const found = known.get(kind) ?? openKnown();
  known.set(kind, found);
  return found;
}

function sharedTransport(writing: Run, given: Settings): Transport {
  shared ??= openShared(writing, given);
  return shared;
}

function openShared(writing: Run, given: Settings): Transport {
  const found = configuration(given, process.env);
  const parallel = "ready" in found ? found.ready.parallel : 0;
  const gate = async (method: string) =>
    method === "POST" || method === "PATCH" ? writing.over() : undefined;
  return openTransport({ gate, signal: writing.signal, concurrency: Math.max(32, parallel) });
}

/** The provider of one kind of resource, as the host calls it. */
export function provider(kind: string): dynamic.ResourceProvider<Properties, Properties> {
  let configured: Settings = { argument: {}, stack: {} };
  const definition = definitions[kind];
  if (definition === undefined) {
    throw new HostError(
      `This version of pulumi-apikeys knows no resource ${kind}: install the version that wrote the state, or a later one.`,
    );
  }
  run ??= serveRun(warn);
  const served = run;
  const surroundings: Surroundings = {
    get settings() {
      return configured;
    },
    env: process.env,
    transport: () => sharedTransport(served, configured),
    known: knownOf,
    warn,
    tell,
    run: served,
  };
  const resource: Lifecycle = lifecycle(definition, surroundings);
  // In read the engine would take the marks from the inputs before, and what the program has since left out is not
  // among them; in check, from the program, which may not have marked what stands in a map.
  const markedInputs = (inputs: Properties) => markedAt(inputs, resource.secretInputs(inputs), secret);
  // Of outputs the engine knows only those that bear the name of a secret input.
  const markedOutputs = (state: Properties) => markedAt(state, resource.secretOutputs(state), secret);
  const told = <T>(properties: Properties, operation: () => Promise<T>): Promise<T> =>
    guarded(properties, markedOutputs, operation);
  return {
    // Synchronous and never throwing: the host would call an unconfigured provider otherwise. check tells what is wrong.
    configure: (request): Promise<void> => {
      configured = settings((key) => request.config.get(key));
      return Promise.resolve();
    },
    check: (olds, news) =>
      told(news, async () => {
        const { [nameKey]: name, ...declared } = news;
        const before = isEmpty(olds) ? undefined : olds;
        const named = typeof name === "string" ? name : undefined;
        const { inputs, failures } = resource.check(declared, before, named);
        // A property named here would have its value printed by the engine, secret or not.
        const reasons = failures.map((reason) => ({ property: "", reason }));
        return { inputs: markedInputs(inputs), failures: reasons };
      }),
    diff: (id, olds, news) =>
      told(news, async () => {
        const { changes, replaces } = resource.diff(id, olds, news);
        return changes === undefined ? { replaces } : { changes, replaces };
      }),
    create: (inputs) =>
      told(inputs, async () => {
        const { id, state } = await resource.create(inputs);
        return { id, outs: markedOutputs(state) };
      }),
    read: (id, props = {}) =>
      told(props, async () => {
        const found = await resource.read(id, props);
        if (found === undefined) return {};
        const read = { id: found.id, props: markedOutputs(found.state) };
        return found.inputs === undefined ? read : { ...read, inputs: markedInputs(found.inputs) };
      }),
    update: (id, olds, news) =>
      told(news, async () => ({ outs: markedOutputs(await resource.update(id, olds, news)) })),
    delete: (id, props) => told(props, () => resource.delete(id, props)),
  };
}

/** How a secret is marked on Pulumi's wire. Source: Pulumi's provider protocol. */
const secretMark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

function secret(value: unknown): Properties {
  return { ...secretMark, value };
}

function isEmpty(properties: Properties): boolean {
  return Object.keys(properties).every((name) => name === providerKey);
}

/** Nothing but a HostError leaves: of anything else the host would print the stack, and with it what it holds. */
async function guarded<T>(
  properties: Properties,
  marked: (state: Properties) => Properties,
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof Failure)) throw new HostError(defect(error));
    const { message, kept } = error;
    if (kept === undefined) throw new HostError(message);
    const state = { ...marked(kept.state), [providerKey]: properties[providerKey] };
    if (isKeepable(kept.state)) throw new HostError(message, { ...kept, state });
    throw new HostError(
      `${message} The engine could not take so large a state: what it held before stays, and ${kept.id} stands in the service.`,
    );
  }
}

/** The message of an unforeseen error may hold anything, secrets too, so only its kind and place are told. */
function defect(error: unknown): string {
  const frames =
    error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  const kind = error instanceof Error ? error.name : typeof error;
  return `This is a defect of pulumi-apikeys: ${kind}${(frames[0] ?? "").replace(/^\s+/, " ")}. State is unchanged. Please report it.`;
}

/**
 * What the host takes for a failed operation. With `id` and `properties` the engine keeps the resource and shows
 * `reasons`. Printed as one line: the host logs `${error}: ${error.stack}`.
 */
class HostError extends Error {
  declare readonly id?: string;
  declare readonly properties?: Properties;
  declare readonly reasons?: readonly string[];

  constructor(message: string, kept?: Kept) {
    super(message);
    this.stack = message;
    if (kept !== undefined) Object.assign(this, { id: kept.id, properties: kept.state, reasons: [message] });
  }

  override toString(): string {
    return "pulumi-apikeys";
  }
}
