import { readApiKey } from "../../provider/client/apiKeys";
import type { Call } from "../../provider/client/call";
import { openTransport } from "../../provider/client/transport";
import { startStandIn } from "../../standin";
import { quickClock } from "../../test/client/quickClock";

/** How many requests a service that is down gets for each call that a process makes. */
export interface Amplification {
  readonly oneCall: number;
  /** Over many calls of one process. */
  readonly manyCalls: number;
}

const calls = 1_000;

export async function measureAmplification(): Promise<Amplification> {
  return { oneCall: await attemptsFor(1), manyCalls: (await attemptsFor(calls)) / calls };
}

/** Answers with 503 are counted by the service itself; of refused connections nobody would know. */
async function attemptsFor(count: number): Promise<number> {
  const standIn = await startStandIn();
  standIn.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "status", status: 503 } });
  const transport = openTransport({ clock: quickClock(), random: () => 0, env: {} });
  const credentials = { baseUrl: standIn.url, accessToken: standIn.accessToken };
  const call: Call = { transport, credentials };
  try {
    for (let n = 0; n < count; n += 1) {
      await readApiKey(call, { workspaceId: "ws_main", keyId: "key" }).catch(() => {});
    }
    return standIn.requests.length;
  } finally {
    await transport.close();
    await standIn.close();
  }
}
