/** How much faster time runs in the host than outside. */
const factor = 20;

/** For a list that it could do without, the provider waits so long: a busy machine is not to take longer. */
const patienceMs = { inside: 10_000, outside: 3_000 };

/** So long outside, for a time inside. */
export function scaled(ms: number): number {
  return ms / factor;
}

/**
 * Environment of a host in which all time passes quickly: pauses, time-outs, and the clock that measures them. Short
 * waits, in which the process takes its leave, stay what they are. The day may be another.
 */
export function quickTime(aheadMs = 0): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script(aheadMs))}` };
}

const script = (aheadMs: number) => `
const wall = Date.now;
Date.now = () => wall() + ${aheadMs};
const wait = globalThis.setTimeout;
const scaled = (ms) => (ms > 100 ? Math.max(ms / ${factor}, 5) : ms);
const shorter = (ms) => (ms === ${patienceMs.inside} ? ${patienceMs.outside} : scaled(ms));
const quick = (run, ms, ...rest) => wait(run, shorter(ms), ...rest);
globalThis.setTimeout = Object.defineProperties(quick, Object.getOwnPropertyDescriptors(wait));
const now = performance.now.bind(performance);
performance.now = () => now() * ${factor};
`;
