import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

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

/** Variables that must come from the test only. */
export const ours = /^(APIKEYS|PULUMI)_/;

/** Variables of the test runner and of npm, which a user's shell doesn't have. */
const runners = /^(VITEST|npm_|NODE_ENV$|NODE_OPTIONS$|TEST$|DEV$|PROD$|MODE$)/;

/** The environment of a user's shell: that of this process, without the test runner's variables and ours. */
export function shellEnvironment(checkout: string, pathFirst: readonly string[]): Environment {
  const inherited = Object.entries(process.env).filter(([name]) => !ours.test(name) && !runners.test(name));
  // The checkout has a `node` that is new enough for the provider; the one on PATH may be older.
  const path = [...pathFirst, join(checkout, "node_modules", ".bin"), process.env["PATH"] ?? ""];
  return { ...Object.fromEntries(inherited), PATH: path.join(delimiter) };
}

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** The whole command line. */
  readonly args: string;
}

/** The processes of this machine, as any user can see them. */
function processes(): readonly RunningProcess[] {
  return existsSync("/proc/self/cmdline") ? fromProc() : fromPs();
}

/** The processes that a process has started, and those that they have started. */
export function descendants(pid: number): readonly RunningProcess[] {
  const all = processes();
  const found: RunningProcess[] = [];
  const add = (parent: number) => {
    for (const child of all.filter((one) => one.parent === parent)) {
      found.push(child);
      add(child.pid);
    }
  };
  add(pid);
  return found;
}

/** Whether a process with matching arguments runs. A zombie process has no arguments. */
export function isRunning(pid: number, like: RegExp): boolean {
  return processes().some((one) => one.pid === pid && like.test(one.args));
}

/** Collects the command lines of all processes that this one starts, until it is stopped. */
export function watchArguments(): { stop(): readonly string[] } {
  const seen = new Set<string>();
  const timer = setInterval(() => {
    for (const { args } of descendants(process.pid)) seen.add(args);
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return [...seen];
    },
  };
}

function fromProc(): readonly RunningProcess[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The name before these fields may contain anything, including brackets.
      const [, parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return [{ pid: Number(pid), parent: Number(parent), args }];
    } catch {
      // It has ended in the meantime.
      return [];
    }
  });
}

function fromPs(): readonly RunningProcess[] {
  const listed = execFileSync("ps", ["-axww", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return [...listed.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)].map(([, pid, parent, args = ""]) => ({
    pid: Number(pid),
    parent: Number(parent),
    args,
  }));
}
