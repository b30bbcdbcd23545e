import { existsSync, readFileSync } from "node:fs";
import { descendants } from "../engine/processes";
import { peakMiBIn } from "./proc";

const everyMs = 10;

/**
 * The peak memory of a process below `root`, such as a provider host, which lives only as long as its command. The
 * kernel keeps the peak itself (VmHWM), so looking now and then misses no more than what it grows by in the last
 * hundredth of a second: a whole destroy may take no more than a tenth.
 */
export function watchPeak(root: number, host: RegExp): { stop(): number | undefined } {
  if (!existsSync("/proc/self/status")) return { stop: () => undefined };
  const peaks = new Map<number, number>();
  const hosts = new Set<number>();
  let looks = 0;
  const look = () => {
    // Going through all processes costs more than looking at a known one.
    if (looks++ % (hosts.size === 0 ? 10 : 100) === 0) {
      for (const { pid, args } of descendants(root)) if (isHost(args, host)) hosts.add(pid);
    }
    for (const pid of hosts) {
      const peak = peakOf(pid);
      if (peak !== undefined) peaks.set(pid, peak);
    }
  };
  const timer = setInterval(look, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return peaks.size === 0 ? undefined : Math.max(...peaks.values());
    },
  };
}

/** The shim that starts the dynamic host looks for its script first, in a process that names it too. */
export function isHost(args: string, host: RegExp): boolean {
  return host.test(args) && !/ -e /.test(args);
}

function peakOf(pid: number): number | undefined {
  try {
    return peakMiBIn(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return undefined;
  }
}
