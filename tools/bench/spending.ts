import { readFileSync } from "node:fs";
import type { Spent } from "./orders";
import { cpuIn, writtenIn } from "./proc";

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
 * through pipes and sockets, as `wchar` has it, is not in it. A page that is written anew after it was truncated away
 * counts again, as it should, and a small file counts as whole pages.
 */
export async function spend(act: () => Promise<void>): Promise<Spent> {
  const before = counters();
  const began = performance.now();
  await act();
  const seconds = (performance.now() - began) / 1_000;
  const after = counters();
  if (before === undefined || after === undefined) {
    return { seconds, cpuSeconds: undefined, writtenBytes: undefined };
  }
  return {
    seconds,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    writtenBytes: after.writtenBytes - before.writtenBytes,
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
