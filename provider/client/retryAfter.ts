const date = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d/i;
const longest = 365 * 24 * 3_600_000;

/**
 * The wait that a Retry-After header asks for, in milliseconds; `undefined` when it is absent or nonsense, such as more
 * than a year: a gateway may give the time at which the wait ends. A date counts from the answer's own Date header where
 * there is one, so that a clock that is wrong here does no harm. Of several values the first counts.
 */
export function retryAfterMs(
  header: string | string[] | undefined,
  dateHeader: string | string[] | undefined,
  wallNow: number,
): number | undefined {
  const value = [header].flat()[0]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return plausible(Math.ceil(Number(value) * 1000));
  if (!date.test(value)) return undefined;
  const stated = typeof dateHeader === "string" ? Date.parse(dateHeader) : Number.NaN;
  const wait = Date.parse(value) - (Number.isNaN(stated) ? wallNow : stated);
  return plausible(Math.max(0, wait));
}

function plausible(wait: number): number | undefined {
  return wait <= longest ? wait : undefined;
}
