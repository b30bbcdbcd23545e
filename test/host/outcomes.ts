import { expect } from "vitest";
import type { Scene } from "./fixture";
import { HostFailure, type Properties } from "./host";

/** The canonical inputs of an ApiKey; any failure fails the test. */
export async function declared({ key }: Scene): Promise<Properties> {
  const checked = await key.check({ workspaceId: "ws_main", customerId: "cus_1", name: "ci" });
  expect(checked.failures).toEqual([]);
  return checked.inputs;
}

/** The requests that an operation sends. */
export async function requestsOf<T>({ standIn }: Scene, operation: () => Promise<T>) {
  const before = standIn.requests.length;
  const result = await operation();
  const requests = standIn.requests.slice(before).map(({ endpoint, body }) => ({ endpoint, body }));
  return { result, requests, endpoints: requests.map(({ endpoint }) => endpoint).join(" ") };
}

/** Tests compare writes alone: the creates of one workspace share a list of its keys, so only some of them request it. */
export function isWrite({ endpoint }: { readonly endpoint: string }): boolean {
  return !/^(list|read)/.test(endpoint);
}

/** The failure of this operation, whose message must be one line without a stack. */
export async function failureOf(operation: Promise<unknown>): Promise<HostFailure> {
  const failure: unknown = await operation.catch((error: unknown) => error);
  if (!(failure instanceof HostFailure)) throw new Error("the operation did not fail");
  expect(failure.message).not.toMatch(/\n|\.[jt]s:\d+/);
  return failure;
}
