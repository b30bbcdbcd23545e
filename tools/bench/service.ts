import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** What the service saw since it was asked last, and what it holds. */
export interface Served {
  readonly requests: number;
  readonly endpoints: Readonly<Record<string, number>>;
  /** Answered with anything but 2xx. */
  readonly failed: number;
  readonly cpuSeconds: number;
  readonly keys: number;
  /** Keys that grant the permission which the update adds. */
  readonly keysWithUpdate: number;
}

export interface Service {
  /** The variables that point a provider to it. */
  readonly env: Readonly<Record<string, string>>;
  take(): Promise<Served>;
  close(): Promise<void>;
}

/** Starts the service, whose CPU time is none of the contenders'. */
export async function startService(compiled: string, latencyMs: number): Promise<Service> {
  const child = fork(join(compiled, "serviceProcess.js"), [String(latencyMs)], { execArgv: [] });
  const [{ url, accessToken }] = await once(child, "message");
  return {
    env: { APIKEYS_BASE_URL: url, APIKEYS_ACCESS_TOKEN: accessToken },
    async take() {
      const answer = once(child, "message");
      child.send("take");
      return (await answer)[0];
    },
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
