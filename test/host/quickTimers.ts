import { pausesMs } from "../../provider/core/polling";

/**
 * Environment of a host whose waits are short: the pauses before a write is looked for again, the time in which a set
 * waits for other resources (0.5 s), and the time that the service has for an answer (30 s). Only these, so that paces and back-offs stay what they are. A wait may
 * be given another length: milliseconds as they are → as they shall be.
 */
export function quickTimers(
  lengths: Readonly<Record<number, number>> = {},
): Readonly<Record<string, string>> {
  const shorter = JSON.stringify({ ...pauses, 500: 1, 30000: 300, ...lengths });
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script(shorter))}` };
}

const pauses = Object.fromEntries(pausesMs.map((ms) => [ms, 1]));

const script = (shorter: string) => `
const wait = globalThis.setTimeout;
const shorter = ${shorter};
const quick = (run, ms, ...rest) => wait(run, shorter[ms] ?? ms, ...rest);
globalThis.setTimeout = Object.defineProperties(quick, Object.getOwnPropertyDescriptors(wait));
`;
