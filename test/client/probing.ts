import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "../../cli/run";
import { type StandIn, type StandInOptions, startStandIn } from "../../standin";

/** A service with keys of its own. */
export async function serviceOn(variant: NonNullable<StandInOptions["variant"]>): Promise<StandIn> {
  const service = await startStandIn({ variant });
  const orders = { representation: "orders", read: true };
  for (const name of ["first", "second", "third"])
    service.addKey({ workspaceId: "ws_main", name, scopes: [orders] });
  return service;
}

/** Runs the command in this process. Its pauses are shorter. */
export async function probe(
  service: Pick<StandIn, "url" | "accessToken">,
  args: readonly string[],
  stopped = new Promise<void>(() => {}),
) {
  const printed = { out: "", err: "" };
  const code = await runCommand(["probe", ...args], {
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    env: { APIKEYS_BASE_URL: service.url, APIKEYS_ACCESS_TOKEN: service.accessToken },
    stopped,
    pause: async (ms) => void (await sleep(ms / 25)),
  });
  return { ...printed, code };
}

export const toWrite = ["--write", "--workspace", "ws_main", "--customer", "cus_probe"];

export async function seenOn(service: StandIn, ...args: string[]) {
  const { out, err, code } = await probe(service, ["--json", ...args]);
  return { ...JSON.parse(out), err, code };
}
