/** The service of one contender and round: a stand-in in a process of its own, with a store of its own. */
import { startStandIn } from "../../standin";
import type { Served } from "./service";

async function serve(latencyMs: number): Promise<void> {
  const standIn = await startStandIn({ latencyMs });
  let cpu = process.cpuUsage();
  const served = (): Served => {
    const { user, system } = process.cpuUsage(cpu);
    const endpoints: Record<string, number> = {};
    for (const { endpoint } of standIn.requests) endpoints[endpoint] = (endpoints[endpoint] ?? 0) + 1;
    const alive = standIn.keys().filter(({ deleted }) => !deleted);
    return {
      requests: standIn.requests.length,
      endpoints,
      failed: standIn.requests.filter(({ status }) => status < 200 || status > 299).length,
      cpuSeconds: (user + system) / 1_000_000,
      keys: alive.length,
      keysWithUpdate: alive.filter(({ scopes }) => scopes.some(({ update }) => update)).length,
    };
  };
  process.on("message", () => {
    process.send?.(served());
    standIn.clearRequests();
    cpu = process.cpuUsage();
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.({ url: standIn.url, accessToken: standIn.accessToken });
}

void serve(Number(process.argv[2]));
