import { execFileSync } from "node:child_process";
import { expect, vi } from "vitest";

/** The process id of the one provider host that a command of the CLI has started. */
export function hostOf(cli: number): number {
  const all = processes();
  const family = new Set([cli]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  // The shim that starts the host has the same arguments, but not this script.
  const hosts = all.filter(({ pid, args }) => family.has(pid) && /cmd\/dynamic-provider/.test(args));
  expect(hosts).toHaveLength(1);
  return hosts[0]?.pid ?? 0;
}

/** Waits until a process has ended. A zombie process counts as ended. */
export async function ended(pid: number): Promise<void> {
  const runs = () => processes().some((one) => one.pid === pid && !/<defunct>/.test(one.args));
  await vi.waitFor(() => expect(runs()).toBe(false), { timeout: 30_000, interval: 100 });
}

function processes() {
  const lines = table().split("\n");
  return lines.flatMap((line) => {
    const [, pid, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
}

function table(): string {
  try {
    return execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  } catch (error) {
    throw new Error(`These tests find the provider host with the command ps, which fails: ${error}`);
  }
}
