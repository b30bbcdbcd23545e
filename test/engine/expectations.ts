import { expect } from "vitest";
import type { Outcome, Step } from "../../tools/engine/outcome";
import type { Scene } from "./scene";

/** The steps taken for one resource, by its name in the program. */
export function stepsFor(outcome: Outcome, name: string): readonly Step[] {
  return outcome.steps.filter((step) => step.name === name);
}

/** An update shows no change and sends no request (R13). */
export async function expectSilentUp({ stack, service }: Scene): Promise<void> {
  service.clearRequests();
  const up = await stack.up({ expectNoChanges: true });
  expect(up.ok, up.output).toBe(true);
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
}

/** Neither a refresh nor the preview after it shows a change (R3). */
export async function expectQuiet({ stack }: Scene): Promise<void> {
  const outcome = await stack.previewRefresh({ expectNoChanges: true });
  expect(outcome.ok, outcome.output).toBe(true);
  const shown = outcome.steps.filter(
    ({ op, changed }) => !["same", "refresh", "read"].includes(op) || Object.keys(changed).length > 0,
  );
  expect(shown).toEqual([]);
}

/** The lines of a resource's errors. No stack trace may be printed anywhere (R8). */
export function errorsFor(outcome: Outcome, name: string): readonly string[] {
  expect(outcome.ok, outcome.output).toBe(false);
  expect(outcome.output.split("\n").filter((line) => /^\s+at /.test(line))).toEqual([]);
  return (
    outcome.diagnostics
      .filter(({ severity, urn }) => severity === "error" && urn?.endsWith(`::${name}`))
      // The engine adds this line to the error of a partial failure.
      .flatMap(({ message }) => message.replace(/^1 error occurred:\n\t\* /, "").split("\n"))
      .filter((line) => line.trim() !== "")
  );
}

/** As `errorsFor`, but the error must be one line. */
export function onlyLine(outcome: Outcome, name: string): string {
  const lines = errorsFor(outcome, name);
  expect(lines, outcome.output).toHaveLength(1);
  return lines[0] ?? "";
}

/** Neither the output so far nor the state of `pulumi stack export` contains one of the secrets. */
export async function expectUnsaid({ stack, printed }: Scene, secrets: readonly string[]): Promise<void> {
  expect(secrets.length).toBeGreaterThan(0);
  const places = { printed: printed.join("\n"), state: JSON.stringify(await stack.exportState()) };
  for (const [place, text] of Object.entries(places)) {
    const said = secrets.filter((secret) => text.includes(secret));
    expect(said, place).toEqual([]);
  }
}
