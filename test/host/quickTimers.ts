import { longestLagMs, pausesMs } from "../../provider/core/existence";

/**
 * The environment of a host with short waits: the pauses before a write is verified or a lost key looked for again (0.5 s
 * and 1.5 s for a key), the time that a set waits for other resources (0.5 s), and the time-out for an answer (30 s). Rate
 * limits and back-offs keep their lengths. `lengths`: other waits to change, from and to, in milliseconds.
 */
export function quickTimers(
  lengths: Readonly<Record<number, number>> = {},
): Readonly<Record<string, string>> {
  const shorter = JSON.stringify({ ...pauses, 500: 1, 1500: 1, 30000: 300, ...lengths });
  return preloaded(withWaits(`${shorter}[ms] ?? ms`));
}

const pauses = Object.fromEntries([...pausesMs, longestLagMs].map((ms) => [ms, 1]));

/** The environment of a host that runs this script first. */
export const preloaded = (script: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
});

/** A script that gives each wait of `ms` milliseconds the length of this expression. */
export const withWaits = (length: string) => `
const wait = globalThis.setTimeout;
const quick = (run, ms, ...rest) => wait(run, ${length}, ...rest);
globalThis.setTimeout = Object.defineProperties(quick, Object.getOwnPropertyDescriptors(wait));
const timers = process.getBuiltinModule("node:timers/promises");
const pause = timers.setTimeout;
timers.setTimeout = (ms, ...rest) => pause(${length}, ...rest);
`;
