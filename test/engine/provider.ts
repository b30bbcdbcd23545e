import { expect, vi } from "vitest";
import { descendants, isRunning } from "../../tools/engine/processes";

/** In the command line of the host of dynamic providers. The shim that starts it lacks this script. */
const script = /cmd\/dynamic-provider/;

/** The process id of the one provider host that a command of the CLI has started. */
export function hostOf(cli: number): number {
  const hosts = descendants(cli).filter(({ args }) => script.test(args));
  expect(hosts).toHaveLength(1);
  return hosts[0]?.pid ?? 0;
}

/** Waits until a provider host has ended. */
export async function ended(pid: number): Promise<void> {
  await vi.waitFor(() => expect(isRunning(pid, script)).toBe(false), { timeout: 30_000, interval: 100 });
}
