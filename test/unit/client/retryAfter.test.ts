import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { retryAfterMs } from "../../../provider/client/send";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-01T00:00:00Z") }));
afterEach(() => void vi.useRealTimers());

describe("Retry-After", () => {
  it.each([
    ["0", 0],
    [" 7 ", 7_000],
    ["1.5", 1_500],
    ["31536000", 31_536_000_000],
    ["Thu, 01 Jan 2026 00:00:10 GMT", 10_000],
    ["Thursday, 01-Jan-26 00:00:10 GMT", 10_000],
  ])("Retry-After: %s asks for a pause of %i ms", (header, ms) => {
    expect(retryAfterMs(header)).toBe(ms);
  });

  const odd = ["", "soon", "-5", "+5", "1e3", "5 s", "Infinity", "NaN", "Wed, 31 Dec 2025 00:00:00 GMT"];
  const tooLong = ["31536001", "1767225600", "9".repeat(400), "Fri, 01 Jan 9999 00:00:00 GMT"];
  it.each([undefined, ...odd, ...tooLong])("Retry-After: %s asks for no pause", (header) => {
    expect(retryAfterMs(header)).toBeUndefined();
  });
});
