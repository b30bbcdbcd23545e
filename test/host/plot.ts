import { expect, vi } from "vitest";
import type { Endpoint, Variant } from "../../standin";
import type { Held, HostedResource, Properties } from "./host";
import { failureOf } from "./outcomes";
import type { Scene } from "./scene";

/** The lifecycle of one resource of any kind on one variant. */
export interface Plot extends Scene {
  readonly resource: HostedResource;
  readonly variant: Variant;
  readonly workspaceId: string;
}

/** A resource as the engine has it, and what the program declares for it. */
export interface Declared {
  readonly held: Held;
  readonly inputs: Properties;
}

const nothing: Planned = { changes: false, replaces: [] };

/** What a diff says, in the same form for both hosts. */
export interface Planned {
  readonly changes: boolean;
  readonly replaces: readonly string[];
}

/** The inputs in canonical form, checked without a request (R12). */
export async function checked(plot: Plot, inputs: Properties, olds?: Properties): Promise<Properties> {
  const answer = await asking(plot, [], () => plot.resource.check(inputs, olds));
  expect(answer.failures).toEqual([]);
  return answer.inputs;
}

/** The check failures of the inputs. */
export async function refusals(plot: Plot, inputs: Properties, olds?: Properties): Promise<string[]> {
  const { failures } = await asking(plot, [], () => plot.resource.check(inputs, olds));
  expect(failures.every(({ property }) => property === "")).toBe(true);
  return failures.map(({ reason }) => reason);
}

/** The diff, made without a request (R12). */
export async function planned(plot: Plot, held: Held, inputs: Properties): Promise<Planned> {
  const { changes, replaces } = await asking(plot, [], () => plot.resource.diff(held, inputs));
  return { changes: changes !== "none", replaces };
}

/** R3: right after a write, a read and a diff show no change. */
export async function expectQuiet(plot: Plot, held: Held, inputs: Properties): Promise<void> {
  const read = await plot.resource.read(held);
  // A read without a change returns no inputs.
  expect(read).toEqual({ id: held.id, properties: held.state, inputs: undefined });
  expect(await planned(plot, held, inputs)).toEqual(nothing);
  expect(await planned(plot, { id: held.id, state: read.properties }, inputs)).toEqual(nothing);
}

/** Runs the operation, and expects it to send exactly these writes; those answered with 429 don't count. */
export async function writing<T>(
  { standIn }: Pick<Scene, "standIn">,
  writes: readonly Endpoint[],
  operation: () => Promise<T>,
): Promise<T> {
  const before = standIn.requests.length;
  const result = await operation();
  const asked = standIn.requests
    .slice(before)
    .filter(({ method, status }) => method !== "GET" && status !== 429);
  expect(asked.map(({ endpoint }) => endpoint)).toEqual(writes);
  return result;
}

/** Runs the operation, and expects it to send exactly these requests; those answered with 429 don't count. */
export async function asking<T>(
  { standIn }: Pick<Scene, "standIn">,
  endpoints: readonly Endpoint[],
  operation: () => Promise<T>,
): Promise<T> {
  const before = standIn.requests.length;
  const result = await operation();
  const asked = standIn.requests.slice(before).filter(({ status }) => status !== 429);
  expect(asked.map(({ endpoint }) => endpoint)).toEqual(endpoints);
  return result;
}

/** Runs the operation, and expects this warning on stderr. */
export async function warned<T>(
  { host }: Pick<Scene, "host">,
  warning: RegExp,
  operation: () => Promise<T>,
): Promise<T> {
  const before = host.output.stderr.length;
  const result = await operation();
  await vi.waitFor(() => expect(host.output.stderr.slice(before)).toMatch(warning), { timeout: 1_000 });
  return result;
}

/** The message of a create that fails and leaves nothing in state. */
export async function refusedCreate(plot: Plot, inputs: Properties): Promise<string> {
  const failure = await failureOf(plot.resource.create(inputs));
  expect(failure.kept).toBeUndefined();
  return failure.message;
}
