import { vi } from "vitest";
import type { Scene } from "./scene";

/** Sets the clocks of the service and of all processes of the stack's commands ahead by this many days. */
export function setDaysAhead({ stack }: Scene, days: number): void {
  const ms = days * 86_400_000;
  stack.setEnv("NODE_OPTIONS", `--import=data:text/javascript,${encodeURIComponent(script(ms))}`);
  // The stand-in runs in this process. It must not date a key long before its create, or the key counts as an older one.
  vi.useFakeTimers({ toFake: ["Date"], now: performance.timeOrigin + performance.now() + ms });
}

const script = (ms: number) => `
const Real = globalThis.Date;
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + ${ms}] : given));
  }
  static now() {
    return Real.now() + ${ms};
  }
};
`;
