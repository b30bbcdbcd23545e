import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { expect } from "vitest";
import type { Outcome } from "./outcome";

/** Sources of a program, which may name a secret that the test gave it, and what @pulumi/pulumi keeps of them compiled. */
const sources = /^([^.][^/\\]*|\.tmp[/\\]ts-node-.*)\.[jt]s$/;

/** Stands before each secret on Pulumi's wire. */
const secretMark = "4dabf18193072939515e22adb298388d";

/**
 * All that a command told. Asked to debug, Pulumi's own SDK prints each resource as it goes over the wire, with its
 * secrets, whatever the provider: those lines are left out, and the events in which they come unasked.
 */
export function told({ output, events }: Outcome): readonly string[] {
  const lines = output.split("\n").filter((line) => !line.includes(secretMark));
  // Not a severity that the declarations know.
  const seen = events.filter(({ diagnosticEvent: event }) => (event?.severity as string) !== "debug");
  return [lines.join("\n"), JSON.stringify(seen)];
}

/** No secret stands in what was printed, nor in a file of a project: its state and config, the CLI's home, temporary files. */
export async function expectKept(secrets: readonly string[], printed: readonly string[], dir: string) {
  const places = new Map(printed.map((text, place) => [`what was printed, part ${place + 1}`, text]));
  for (const file of await filesIn(dir)) places.set(file, await readFile(join(dir, file), "latin1"));
  expect(found(places, secrets)).toEqual([]);
}

/** The places that hold a secret, each with what stands around it. */
export function found(places: ReadonlyMap<string, string>, secrets: readonly string[]): readonly string[] {
  return [...places].flatMap(([place, text]) =>
    secrets.flatMap((secret) => {
      const at = text.indexOf(secret);
      return at < 0 ? [] : [`${place}: ${text.slice(Math.max(0, at - 80), at + secret.length + 40)}`];
    }),
  );
}

/** Without the program's own sources, and without what is installed. */
async function filesIn(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .filter((file) => !file.startsWith(`node_modules${sep}`) && !sources.test(file));
}
