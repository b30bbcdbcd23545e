import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { expect } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";

/** Sources of a program, which may contain a secret of the test, and the copies that @pulumi/pulumi compiles. */
const sources = /^([^.][^/\\]*|\.tmp[/\\]ts-node-.*)\.[jt]s$/;

/** The mark of each secret in Pulumi's protocol. */
const secretMark = "4dabf18193072939515e22adb298388d";

/**
 * What a command shows: its output and its events. With --debug, Pulumi's own SDK prints the secrets of every provider's
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
