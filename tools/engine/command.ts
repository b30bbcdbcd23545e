import { spawn } from "node:child_process";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandOptions {
  readonly cwd?: string | undefined;
  /** The whole environment of the command; nothing else is inherited. */
  readonly env?: Environment;
  /** After this many milliseconds, the command and all that it started are killed. */
  readonly timeoutMs?: number;
  /** Sends the command SIGINT, as Ctrl-C does. */
  readonly signal?: AbortSignal | undefined;
  /** Gets the process id, so that a test can send signals. */
  readonly onStart?: ((pid: number) => void) | undefined;
  readonly onStdout?: ((text: string) => void) | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
}

export interface CommandResult {
  /** The exit code; null when the command could not be started or was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams, in the order in which they came. */
  readonly output: string;
}

/** Runs a command to its end, without a shell and without standard input. Never rejects. */
export function execute(command: string, args: readonly string[], options: CommandOptions = {}) {
  return new Promise<CommandResult>((resolve) => {
    // Only a process group of its own can be killed as a whole.
    const detached = options.timeoutMs !== undefined;
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...(options.env ?? process.env) },
      stdio: ["ignore", "pipe", "pipe"],
      detached,
    });
    if (child.pid !== undefined) options.onStart?.(child.pid);
    const taken = { stdout: "", stderr: "", output: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      taken.stdout += text;
      taken.output += text;
      options.onStdout?.(text);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      taken.stderr += text;
      taken.output += text;
      options.onStderr?.(text);
    });

    const interrupt = () => void child.kill("SIGINT");
    if (options.signal?.aborted) interrupt();
    options.signal?.addEventListener("abort", interrupt, { once: true });
    const timer = detached ? setTimeout(() => killGroup(child.pid), options.timeoutMs) : undefined;

    const end = (code: number | null, failure = "") => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", interrupt);
      resolve({ ...taken, stderr: taken.stderr + failure, output: taken.output + failure, code });
    };
    child.once("error", (error) => end(null, `${error.message}\n`));
    child.once("close", (code) => end(code));
  });
}

function killGroup(pid: number | undefined) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
