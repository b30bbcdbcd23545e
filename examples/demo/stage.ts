import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type StandIn, type StoredKey, startStandIn, type Variant, type VariantName } from "../../standin";
import { createProject, loadProgram, type Project } from "../../tools/engine/project";
import { createStack, type EngineStack, type Outcome } from "../../tools/engine/stack";
import type { Printer } from "./printer";

/** Options of every command of the demo. */
interface Given {
  readonly color: "always" | "never";
  readonly onOutput: (text: string) => void;
  readonly onError: (text: string) => void;
}

/** The stand-in, a project with the quickstart program, and its stack on the real engine. */
export interface Stage {
  readonly service: StandIn;
  readonly project: Project;
  readonly stack: EngineStack;
  readonly printer: Printer;
  readonly signal: AbortSignal;
  /** The access token, and the secret of every key that the service has created so far. */
  readonly secrets: ReadonlySet<string>;
  /** Prints a command as a user would type it, runs it, and prints its output. */
  command(line: string, run: (given: Given) => Promise<Outcome>): Promise<Outcome>;
  /** The service's key of this name. */
  key(name: string): StoredKey | undefined;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly printer: Printer;
  readonly signal: AbortSignal;
  readonly variant: Partial<Variant> | VariantName;
}

export async function openStage({ printer, signal, variant }: StageOptions): Promise<Stage> {
  const service = await startStandIn({ variant });
  let project: Project | undefined;
  const close = async () => {
    await Promise.all([service.close(), project?.remove()]);
  };
  try {
    project = await createProject("demo", { example: "quickstart" });
    const env = { APIKEYS_BASE_URL: service.url, APIKEYS_ACCESS_TOKEN: service.accessToken };
    const stack = await createStack(project, { program: loadProgram(project.dir), env });
    const secrets = new Set([service.accessToken]);
    return {
      service,
      project,
      stack,
      printer,
      signal,
      secrets,
      async command(line, run) {
        signal.throwIfAborted();
        const output = printer.command(line);
        const color = printer.color ? "always" : "never";
        try {
          return await run({ color, onOutput: output.write, onError: output.write });
        } finally {
          output.end();
          for (const { key } of service.keys()) secrets.add(key);
          // Ctrl-C in a terminal reaches the CLI as well, so the result then says nothing about the provider.
          signal.throwIfAborted();
        }
      },
      key: (name) => service.keys({ deleted: false }).find((key) => key.name === name),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Changes the program in the project, and prints the changed lines. */
export async function editProgram({ project, printer }: Stage, from: string, to: string): Promise<void> {
  const before = await readFile(join(project.dir, "index.ts"), "utf8");
  if (!before.includes(from)) throw new Error(`examples/quickstart/index.ts does not contain ${from}`);
  const after = before.replace(from, to);
  await project.write("index.ts", after);
  const now = after.split("\n");
  printer.line();
  printer.line("  index.ts", "bold");
  printer.quote(
    before
      .split("\n")
      .flatMap((line, index) => (line === now[index] ? [] : [`- ${line}`, `+ ${now[index]}`])),
  );
}
