/** The service of one contender and round: a stand-in in a process of its own, with a store of its own. */
import { startStandIn } from "../../standin";
import type { Served } from "./trial";

async function serve(latencyMs: number): Promise<void> {
  const standIn = await startStandIn({ latencyMs });
  const served = (): Served => {
    const alive = standIn.keys().filter(({ deleted }) => !deleted);
    return {
      requests: standIn.requests.length,
      failed: standIn.requests.filter(({ status }) => status < 200 || status > 299).length,
      keys: alive.length,
      keysWithUpdate: alive.filter(({ scopes }) => scopes.some(({ update }) => update)).length,
    };
  };
  process.on("message", () => {
    process.send?.(served());
    standIn.clearRequests();
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.({ url: standIn.url, accessToken: standIn.accessToken });
}

void serve(Number(process.argv[2]));
