import { expect, onTestFinished, vi } from "vitest";
import type { Fault } from "../../standin";
import { someOf } from "../all";
import type { Held, Properties } from "./host";
import { declared } from "./outcomes";
import { quickTimers } from "./quickTimers";
import { accessToken, openScene, type Scene } from "./scene";

export const existingKey = "sk_live_Zx81kdPq33";

const all: readonly Fault[] = [
  { kind: "resetAfter" },
  { kind: "errorAfter" },
  { kind: "errorAfter", status: 408 },
  { kind: "truncated" },
  { kind: "garbled" },
  { kind: "emptyBody" },
  { kind: "hang", carriedOut: true },
];
/** Ways in which an answer is lost. */
export const losses = someOf(all, ({ kind }) => ["resetAfter", "truncated", "hang"].includes(kind));

/** A host for one test, with shortened pauses. It must not print a secret. */
export async function openLossyScene(): Promise<Scene> {
  const scene = await openScene({ env: quickTimers() });
  onTestFinished(async () => {
    const printed = await scene.close();
    expect(printed).not.toContain(accessToken);
    expect(printed).not.toContain(existingKey);
  });
  return scene;
}

/** Shorthands for the scene of the current test. */
export function actsOn(current: () => Scene) {
  const inputs = (more: Properties = {}) => declared(current(), more);
  const endpoints = () => current().standIn.requests.map(({ endpoint }) => endpoint);
  return {
    inputs,
    lists: () => endpoints().filter((endpoint) => endpoint === "listApiKeys").length,
    posts: () => endpoints().filter((endpoint) => /^(create|migrate)ApiKey$/.test(endpoint)).length,
    ids: () =>
      current()
        .standIn.keys()
        .map(({ id }) => id),
    warned: (text: RegExp) => vi.waitFor(() => expect(current().host.output.stderr).toMatch(text)),
    /** Creates keys of these names. */
    others: (...names: string[]): Promise<Held[]> =>
      Promise.all(names.map(async (name) => current().key.create(await inputs({ name })))),
  };
}
