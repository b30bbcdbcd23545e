import { readFileSync } from "node:fs";
import type { Step } from "./keys";

/** The input of a measured process, as JSON on its command line. */
export interface EngineOrder {
  readonly step: Step;
  readonly count: number;
  /** The folder in whose bin the CLI stands. */
  readonly root: string;
  /** The user's project. */
  readonly dir: string;
  readonly projectName: string;
  /** The file, and what of it declares the keys. */
  readonly program: string;
  readonly declares: string;
}

/** The report of a measured process on itself and its children. */
export interface Spent {
  readonly seconds: number;
  /** undefined on systems without /proc. */
  readonly cpuSeconds: number | undefined;
  /** undefined on systems without /proc. */
  readonly writtenBytes: number | undefined;
}

/**
 * Measures what this process and all that it starts spend on something.
 *
 * CPU: the kernel adds the time of a child to its parent's `cutime` and `cstime` when the parent has waited for it, and
 * with it that of the child's own children. So this process' own time plus those two are the whole tree: the program
 * (here), the CLI, and the provider host, which the CLI waits for through its shim. Nothing is sampled, so nothing of
 * a process that lives shortly is lost.
 *
 * Bytes: `write_bytes` in /proc/<pid>/io counts the pages that were made dirty in files on a disk, and is passed from a
 * child to its parent in the same way. The CLI's are its state: snapshots, their backups and its history. What goes
 * through pipes and sockets, as `wchar` has it, is not in it. A page that is written again after it was truncated away
 * counts again, as it should, and a small file counts as whole pages.
 */
export async function spend(act: () => Promise<void>): Promise<Spent> {
  const before = counters();
  const began = performance.now();
  await act();
  const seconds = (performance.now() - began) / 1_000;
  const after = counters();
  return {
    seconds,
    cpuSeconds: before && after && after.cpuSeconds - before.cpuSeconds,
    writtenBytes: before && after && after.writtenBytes - before.writtenBytes,
  };
}

function counters(): { cpuSeconds: number; writtenBytes: number } | undefined {
  try {
    const { own, children } = cpuIn(readFileSync("/proc/self/stat", "utf8"));
    return {
      cpuSeconds: own + children,
      writtenBytes: writtenIn(readFileSync("/proc/self/io", "utf8")),
    };
  } catch {
    return undefined;
  }
}

/** Jiffies of /proc are hundredths of a second on every Linux that Node.js runs on, whatever its kernel's own tick. */
const ticksPerSecond = 100;

/** Of `stat`: CPU seconds of the process, and of its children that it has waited for, and of theirs. */
function cpuIn(stat: string): { readonly own: number; readonly children: number } {
  // The name before the second field may hold anything, brackets and spaces too.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const seconds = (place: number) => Number(fields[place]) / ticksPerSecond;
  return { own: seconds(11) + seconds(12), children: seconds(13) + seconds(14) };
}

/** Of `status`: the most memory that the process has held at once. A process that has ended has none. */
export function peakMiBIn(status: string): number | undefined {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

/** Of `io`: bytes that it, and children that it has waited for, have sent towards a disk. */
function writtenIn(io: string): number {
  return Number(/^write_bytes: (\d+)$/m.exec(io)?.[1] ?? Number.NaN);
}
