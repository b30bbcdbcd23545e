/**
 * Environment of a host whose waits are short: the pauses before a scope is looked for again (0.5 s and 1.5 s), and the
 * time that the service has for an answer (30 s). Only these, so that paces and back-offs stay what they are.
 */
export function quickTimers(): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

const script = `
const wait = globalThis.setTimeout;
const shorter = { 500: 1, 1500: 1, 30000: 300 };
const quick = (run, ms, ...rest) => wait(run, shorter[ms] ?? ms, ...rest);
globalThis.setTimeout = Object.defineProperties(quick, Object.getOwnPropertyDescriptors(wait));
`;
