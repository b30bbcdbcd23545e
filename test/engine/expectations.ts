import { expect } from "vitest";
import type { Outcome, Step } from "./outcome";
import type { Scene } from "./scene";

/** The steps taken for one resource, by its name in the program. */
export function stepsFor(outcome: Outcome, name: string): readonly Step[] {
  return outcome.steps.filter((step) => step.name === name);
}

/** An up with nothing to do: the engine says so, and the service is not asked (R13). */
export async function expectSilentUp({ stack, service }: Scene): Promise<void> {
  service.clearRequests();
  const up = await stack.up({ expectNoChanges: true });
  expect(up.ok, up.output).toBe(true);
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
}

/** Neither a refresh nor the preview after it has anything to show (R3). */
export async function expectQuiet({ stack }: Scene): Promise<void> {
  const outcome = await stack.previewRefresh({ expectNoChanges: true });
  expect(outcome.ok, outcome.output).toBe(true);
  const shown = outcome.steps.filter(
    ({ op, changed }) => !["same", "refresh", "read"].includes(op) || Object.keys(changed).length > 0,
  );
  expect(shown).toEqual([]);
}

/** The lines of error that the user reads of a resource, without a stack trace anywhere (R8). */
export function errorsFor(outcome: Outcome, name: string): readonly string[] {
  expect(outcome.ok, outcome.output).toBe(false);
  expect(outcome.output.split("\n").filter((line) => /^\s+at /.test(line))).toEqual([]);
  return (
    outcome.diagnostics
      .filter(({ severity, urn }) => severity === "error" && urn?.endsWith(`::${name}`))
      // What failed after the object was made, the engine numbers itself.
      .flatMap(({ message }) => message.replace(/^1 error occurred:\n\t\* /, "").split("\n"))
      .filter((line) => line.trim() !== "")
  );
}

/** The same, where it has to be one line. */
export function onlyLine(outcome: Outcome, name: string): string {
  const lines = errorsFor(outcome, name);
  expect(lines, outcome.output).toHaveLength(1);
  return lines[0] ?? "";
}

/** None of the texts stands in what was printed, nor in the state as `pulumi stack export` shows it. */
export async function expectUnsaid({ stack, printed }: Scene, secrets: readonly string[]): Promise<void> {
  expect(secrets.length).toBeGreaterThan(0);
  const places = { printed: printed.join("\n"), state: JSON.stringify(await stack.exportState()) };
  for (const [place, text] of Object.entries(places)) {
    const said = secrets.filter((secret) => text.includes(secret));
    expect(said, place).toEqual([]);
  }
}
