import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { expect } from "vitest";
import type { StandIn } from "../../standin";
import type { EngineStack, Outcome, Step } from "../../tools/engine/stack";
import { inWords } from "../words";

interface Running {
  readonly service: StandIn;
  readonly stack: EngineStack;
  readonly printed: readonly string[];
}

/** The steps taken for one resource, by its name in the program. */
export function stepsFor(outcome: Outcome, name: string): readonly Step[] {
  return outcome.steps.filter((step) => step.name === name);
}

/** The resources that a command changes, or would change, each with its operations. */
export function actingIn({ steps }: Outcome): Readonly<Record<string, readonly string[]>> {
  const acting: Record<string, string[]> = {};
  for (const { name, op, duringRefresh } of steps) {
    if (duringRefresh || ["same", "read"].includes(op)) continue;
    acting[name] = [...(acting[name] ?? []), op];
  }
  return acting;
}

/** The requests, except the one by which a preview checks the access token (R12). */
export function sentTo(service: StandIn) {
  return service.requests.filter(({ endpoint }) => endpoint !== "readWorkspace");
}

/** An update shows no change and sends no request (R13). */
export async function expectSilentUp({ stack, service }: Running): Promise<void> {
  service.clearRequests();
  const up = await stack.up({ expectNoChanges: true });
  expect(up.ok, up.output).toBe(true);
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
}

/** Neither a refresh nor the preview after it shows a change (R3). */
export async function expectQuiet({ stack }: Running): Promise<void> {
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

/** The words of the only error of a resource, whose first line is a summary with a code. */
export function onlyError(outcome: Outcome, name: string): string {
  const all = errorsFor(outcome, name);
  // Pulumi has words of its own for a hook that fails, on a line before its error.
  const [first = "", ...rest] = / failed: *$/.test(all[0] ?? "") ? all.slice(1) : all;
  expect(first, outcome.output).toMatch(/APIKEYS\d{4}: /);
  expect(rest.join(), outcome.output).not.toMatch(/APIKEYS\d/);
  return inWords([first, ...rest].join("\n"));
}

/** Neither the output so far nor the state of `pulumi stack export` contains one of the secrets. */
export async function expectUnsaid({ stack, printed }: Running, secrets: readonly string[]): Promise<void> {
  expect(secrets.length).toBeGreaterThan(0);
  const places = { printed: printed.join("\n"), state: JSON.stringify(await stack.exportState()) };
  for (const [place, text] of Object.entries(places)) {
    const said = secrets.filter((secret) => text.includes(secret));
    expect(said, place).toEqual([]);
  }
}

/** Sources of a program, which may contain a secret of the test, and the copies that @pulumi/pulumi compiles. */
const sources = /^([^.][^/\\]*|\.tmp[/\\]ts-node-.*)\.[jt]s$/;

/** The mark of each secret in Pulumi's protocol. */
const secretMark = "4dabf18193072939515e22adb298388d";

/**
 * A command's output and events. With --debug, Pulumi's own SDK prints the secrets of every provider's
 * resources as it sends them. Those lines are left out, and so are debug events.
 */
export function shownBy({ output, events }: Outcome): readonly string[] {
  const lines = output.split("\n").filter((line) => !line.includes(secretMark));
  // The type of `severity` lacks "debug".
  const seen = events.filter(({ diagnosticEvent: event }) => (event?.severity as string) !== "debug");
  return [lines.join("\n"), JSON.stringify(seen)];
}

/** Neither the output nor a file of the project (state, config, the CLI's home, temporary files) contains a secret. */
export async function expectKept(secrets: readonly string[], printed: readonly string[], dir: string) {
  const places = new Map(printed.map((text, place) => [`output, part ${place + 1}`, text]));
  for (const file of await filesIn(dir)) places.set(file, await readFile(join(dir, file), "latin1"));
  expect(found(places, secrets)).toEqual([]);
}

/** The places that contain a secret, each with the text around it. */
export function found(places: ReadonlyMap<string, string>, secrets: readonly string[]): readonly string[] {
  return [...places].flatMap(([place, text]) =>
    secrets.flatMap((secret) => {
      const at = text.indexOf(secret);
      return at < 0 ? [] : [`${place}: ${text.slice(Math.max(0, at - 80), at + secret.length + 40)}`];
    }),
  );
}

/** All files but the program's sources and installed packages. */
async function filesIn(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .filter((file) => !file.startsWith(`node_modules${sep}`) && !sources.test(file));
}
