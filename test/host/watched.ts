import { readFile } from "node:fs/promises";
import { vi } from "vitest";

/** Tells how much memory a host has used. */
export interface Gauge {
  /** Environment of the host. */
  readonly env: Readonly<Record<string, string>>;
  /** The most that its process has held at once so far, in MiB. */
  peak(): Promise<number>;
}

/** A host that writes its peak to this file all the time: `process.resourceUsage` is there on every platform. */
export function gauge(file: string, { hurried = false } = {}): Gauge {
  const script = `${hurried ? hurry : ""}
import { renameSync, writeFileSync } from "node:fs";
let n = 0;
const file = ${JSON.stringify(file)};
setInterval(() => {
  writeFileSync(file + ".new", JSON.stringify([++n, process.resourceUsage().maxRSS]));
  renameSync(file + ".new", file);
}, 20).unref();`;
  const measured = async () => JSON.parse(await readFile(file, "utf8")) as [n: number, kib: number];
  return {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` },
    async peak() {
      const [before] = await vi.waitFor(measured);
      // Twice, so that the second one began after now.
      const [, kib] = await vi.waitFor(async () => {
        const now = await measured();
        if (now[0] < before + 2) throw new Error("not measured yet");
        return now;
      });
      return Math.round(kib / 1024);
    },
  };
}

/** A hundredth of the time for an answer, and for the pauses before an object is looked for again. */
const hurry = `
const wait = globalThis.setTimeout;
const hurried = (ms) => ([500, 1500, 2400, 3600].includes(ms) || (ms > 20000 && ms <= 60000) ? ms / 100 : ms);
const quick = (run, ms, ...rest) => wait(run, hurried(ms), ...rest);
globalThis.setTimeout = Object.defineProperties(quick, Object.getOwnPropertyDescriptors(wait));
`;
