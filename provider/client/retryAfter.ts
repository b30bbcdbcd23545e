const date = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d/i;
const longest = 365 * 24 * 3_600_000;

function readOne(value: string, serviceNow: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Math.ceil(Number(value) * 1000), longest);
  if (!date.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - serviceNow), longest);
}

/**
 * The wait that a Retry-After header asks for, in milliseconds, a year at most; `undefined` when it is absent or
 * nonsense. A date counts from the answer's own Date header where there is one, so that a clock that is wrong
 * here does no harm. Of several values the longest wait holds.
 */
export function retryAfterMs(
  header: string | string[] | undefined,
  dateHeader: string | string[] | undefined,
  wallNow: number,
): number | undefined {
  const values = header === undefined ? [] : Array.isArray(header) ? header : [header];
  const stated = typeof dateHeader === "string" ? Date.parse(dateHeader) : Number.NaN;
  const serviceNow = Number.isNaN(stated) ? wallNow : stated;
  const waits = values.map((value) => readOne(value.trim(), serviceNow)).filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}
