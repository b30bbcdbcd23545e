import { readFile } from "node:fs/promises";
import { vi } from "vitest";
import { preloaded } from "./quickTimers";

/** Measures the memory of a host. */
export interface Gauge {
  /** Environment of the host. */
  readonly env: Readonly<Record<string, string>>;
  /** The largest memory of its process so far, in MiB. */
  peak(): Promise<number>;
}

/** Has the host write its peak to this file all the time, because `process.resourceUsage` exists on every platform. */
export function gauge(file: string): Gauge {
  const script = `import { renameSync, writeFileSync } from "node:fs";
let n = 0;
const file = ${JSON.stringify(file)};
setInterval(() => {
  writeFileSync(file + ".new", JSON.stringify([++n, process.resourceUsage().maxRSS]));
  renameSync(file + ".new", file);
}, 20).unref();`;
  const measured = async () => JSON.parse(await readFile(file, "utf8")) as [n: number, kib: number];
  return {
    env: preloaded(script),
    async peak() {
      const [before] = await vi.waitFor(measured);
      // Two more measurements, so that the last one began after this call.
      const [, kib] = await vi.waitFor(async () => {
        const now = await measured();
        if (now[0] < before + 2) throw new Error("not measured yet");
        return now;
      });
      return Math.round(kib / 1024);
    },
  };
}
