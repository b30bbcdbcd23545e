import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

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
