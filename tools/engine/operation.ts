import { AsyncLocalStorage } from "node:async_hooks";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PulumiCommand } from "@pulumi/pulumi/automation";
import type { CommandOptions, CommandResult, Environment } from "./command";

/** What every command takes in addition to the options of Automation API. */
export interface CommandExtras {
  /** Further arguments of the command line, such as `["--target-replace", urn]`. */
  readonly args?: readonly string[] | undefined;
  /** Gets the CLI's process id, so that a test can send signals. */
  readonly onStart?: ((pid: number) => void) | undefined;
}

/** One call of Automation API: how it changes the command line, and the command's result. */
export interface Operation extends CommandExtras {
  /** Replaces the command line of Automation API, with the same servers. */
  readonly instead?: readonly string[] | undefined;
  result?: CommandResult;
}

/** The operation for which Automation API runs the CLI. */
export const operation = new AsyncLocalStorage<Operation>();

type Run = (args: readonly string[], options: CommandOptions) => Promise<CommandResult>;

/**
 * The CLI as Automation API runs it, but with exactly the given environment, with the operation's changes of the command
 * line, and with the output of failed commands.
 */
export function pulumiCommand(official: PulumiCommand, execute: Run): PulumiCommand {
  const run = async (
    offered: readonly string[],
    cwd: string,
    env: Environment,
    onStdout?: (text: string) => void,
    onStderr?: (text: string) => void,
    signal?: AbortSignal,
  ) => {
    const current = operation.getStore();
    const { args, restore } =
      current?.instead === undefined
        ? { args: [...offered, ...(current?.args ?? [])], restore: undefined }
        : await withInlineProgram(current.instead, offered, cwd);
    const options = { cwd, env, onStdout, onStderr, signal, onStart: current?.onStart };
    const result = await execute(args, options).finally(restore);
    if (current !== undefined) current.result = result;
    if (result.code !== 0) throw new Error(`pulumi ${args.join(" ")} fails:\n${result.output}`);
    return result;
  };
  // Automation API calls run(), which its declarations leave out.
  return Object.assign({ command: official.command, version: official.version }, { run });
}

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
async function withInlineProgram(args: readonly string[], offered: readonly string[], dir: string) {
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
