import { type Answer, refuse } from "./answer";
import type { Variant } from "./variant";

/** Counts each tenant's requests per second. */
export interface RateLimiter {
  /** Counts a request. Returns the refusal if the request exceeds the limit. */
  judge(tenant: string, variant: Variant): Answer | undefined;
}

export function createRateLimiter(now: () => number = Date.now): RateLimiter {
  const seen = new Map<string, { second: number; requests: number }>();
  return {
    judge(tenant, { rateLimitPerSecond, retryAfter }) {
      if (rateLimitPerSecond <= 0) return undefined;
      const second = Math.floor(now() / 1000);
      const last = seen.get(tenant);
      const requests = last?.second === second ? last.requests + 1 : 1;
      seen.set(tenant, { second, requests });
      if (requests <= rateLimitPerSecond) return undefined;
      const date = new Date((second + 1) * 1000).toUTCString();
      const header = { seconds: { "retry-after": "1" }, date: { "retry-after": date }, none: {} };
      return refuse(429, "too many requests", header[retryAfter]);
    },
  };
}
