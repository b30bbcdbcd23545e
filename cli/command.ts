import { Failure, oneLine } from "./provider";

/** The process that runs a command. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when the user wants the command to end. */
  readonly stopped: Promise<void>;
  /** For tests, which don't wait as long. */
  readonly pause?: (ms: number) => Promise<void>;
}

/**
 * Makes a command, which returns its exit code. It prints its usage if that is asked for, or if `read` throws because the
 * options are invalid (2). Otherwise it runs.
 */
export function command<Options>(
  name: string,
  usage: string,
  read: (args: string[]) => Options,
  run: (options: Options, terminal: Terminal) => Promise<number>,
): (args: readonly string[], terminal: Terminal) => Promise<number> {
  return async (args, terminal) => {
    if (args.includes("--help") || args.includes("-h")) {
      terminal.out(usage);
      return 0;
    }
    let options: Options;
    try {
      options = read([...args]);
    } catch (error) {
      terminal.err(`pulumi-apikeys ${name}: ${oneLine((error as Error).message)}\n\n${usage}`);
      return 2;
    }
    return run(options, terminal);
  };
}

/** Throws a Failure unless the environment has the settings. */
export function needSettings(env: Terminal["env"]): void {
  const unset = ["APIKEYS_BASE_URL", "APIKEYS_ACCESS_TOKEN"].filter((name) => !env[name]);
  if (unset.length === 0) return;
  const missing = `Set ${unset.join(" and ")} in the environment. This command doesn't read stack config.`;
  throw new Failure("configuration", missing);
}
