import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Commands that take the address of an inline program's server. */
const takingClient: ReadonlySet<string | undefined> = new Set(["up", "preview", "refresh", "destroy"]);

/**
 * Whether a command needs something that runs, or could run, the stack's program. Commands that generate code need the
 * language's own host.
 */
export function needsProgram([verb, ...args]: readonly string[]): boolean {
  return takingClient.has(verb) || (verb === "import" && args.includes("--generate-code=false"));
}

/**
 * A command line as a user types it, changed to use the inline program's server, if there is one, and the event log.
 * `offered` is the command line in which Automation API names both.
 */
export async function withInlineProgram(args: readonly string[], offered: readonly string[], dir: string) {
  const client = offered.find((arg) => arg.startsWith("--client="))?.slice("--client=".length);
  const events = ["--event-log", offered[offered.indexOf("--event-log") + 1] ?? ""];
  if (client === undefined) return { args: [...args, ...events], restore: async () => {} };
  if (takingClient.has(args[0])) {
    return {
      args: [...args, ...events, `--client=${client}`, "--exec-kind=auto.inline"],
      restore: async () => {},
    };
  }
  // `pulumi import` takes no address, and needs a language host although it runs no program. The runtime `client` accepts
  // any server as its host.
  const file = join(dir, "Pulumi.yaml");
  const text = await readFile(file, "utf8");
  const runtime = `runtime: { name: client, options: { address: "${client}" } }`;
  await writeFile(file, text.replace(/^runtime:.*(\n[ \t]+.*)*/m, runtime));
  return { args: [...args, ...events], restore: () => writeFile(file, text) };
}
