import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import {
  type LoggedRequest,
  type StandIn,
  type StandInOptions,
  type StoredKey,
  startStandIn,
} from "../../standin";
import { representations } from "./drawProgram";
import { heldKeys, holdsKeys, idsIn } from "./heldKeys";
import type { Drift, Interruption, Schedule, Trouble } from "./schedule";
import type { Entry, MadeKey } from "./trace";

export type Stage = Awaited<ReturnType<typeof openStage>>;

const dayMs = 86_400_000;

/** The service of one run, with what goes wrong in it. */
export async function openStage({ seed, variant, workspaceId, existing }: Schedule) {
  const accessToken = `token-canary-${seed}`;
  const workspaces = [{ id: workspaceId, defaultKeyPrefix: "was", defaultRateLimitPerSecond: 10 }];
  const made: MadeKey[] = [];
  const known = new Set<string>();
  let answered: (request: LoggedRequest) => void = () => {};
  let stopping = Promise.resolve();
  const standIn = await startOnOwnPort({
    variant,
    tenants: [{ name: "acme", accessToken, workspaces }],
    onRequest(request) {
      if (request.carriedOut && /^(createApiKey|migrateApiKey)$/.test(request.endpoint)) collect(request.n);
      answered(request);
    },
  });
  function collect(request: number): void {
    for (const key of standIn.keys()) {
      if (known.has(key.id)) continue;
      known.add(key.id);
      made.push({ key, request });
    }
  }
  async function restore(): Promise<void> {
    await stopping;
    await startAgain(standIn);
  }
  for (const representation of representations) standIn.addScope({ workspaceId, representation });
  // Somebody else's, of the name that a program declares too.
  known.add(standIn.addKey({ workspaceId, name: "key", customerId: "cus_elsewhere" }).id);

  for (const key of existing) known.add(standIn.addKey({ workspaceId, ...key }).id);
  let aheadMs = 0;

  return {
    standIn,
    accessToken,
    made,
    /** By how much the clock of whoever runs the commands is ahead of the service's. */
    get aheadMs() {
      return aheadMs;
    },
    passDays(days: number): void {
      aheadMs += days * dayMs;
    },
    /** Lets things go wrong from now on. `interrupt` is called when the interruption's moment has come. */
    async trouble(
      { faults, outage, interruption }: Trouble,
      interrupt: (interruption: Interruption) => void,
    ): Promise<void> {
      standIn.clearFaults();
      const watch = interruption && watchFor(interruption, () => interrupt(interruption));
      let left = outage?.afterRequests ?? 0;
      answered = (request) => {
        watch?.("answered", request);
        if (left > 0) {
          left -= 1;
          if (left === 0) stopping = standIn.stop();
        }
      };
      standIn.inject({
        times: Number.POSITIVE_INFINITY,
        when: (request) => {
          watch?.("arrives", request);
          return false;
        },
        fault: { kind: "resetBefore" },
      });
      for (const rule of faults) standIn.inject(rule);
      if (outage?.afterRequests === 0) await standIn.stop();
    },
    /** The service answers again, if it was down. */
    restore,
    /** Nobody is connected any more, so that no request of a process that was ended is still on its way. */
    async abandoned(): Promise<void> {
      for (const until = Date.now() + 2_000; standIn.connections > 0 && Date.now() < until; ) await pause(10);
    },
    /** Nothing goes wrong any more. */
    async calm(): Promise<void> {
      standIn.clearFaults();
      answered = () => {};
      await restore();
    },
    /** Gives the id of the key that was changed, if one was. */
    drift(drift: Drift, entries: readonly Entry[]): string | undefined {
      if (drift.kind === "editWorkspace") {
        standIn.editWorkspace(workspaceId, drift.change);
        return undefined;
      }
      const current = entries.filter(({ kind, doomed }) => holdsKeys(kind) && !doomed);
      const id = current.flatMap(heldKeys).find(({ place }) => place === drift.place)?.id;
      if (id === undefined || standIn.key(id) === undefined) return undefined;
      if (drift.kind === "useKey") {
        const { updatedAt, lastUsedAt } = standIn.key(id) as StoredKey;
        standIn.editKey(id, { updatedAt, lastUsedAt: laterThan(lastUsedAt) });
        return undefined;
      }
      if (drift.kind === "editKey") standIn.editKey(id, drift.change);
      else standIn.deleteKey(id);
      return id;
    },
    /** Those of an entry's ids whose object lives in the service. */
    living(entry: Entry): readonly string[] {
      const { kind } = entry;
      return idsIn(entry).filter((id) => {
        if (holdsKeys(kind)) return standIn.key(id)?.deleted === false;
        if (kind === "Scope") return standIn.scopes(workspaceId).some((scope) => scope.id === id);
        return true;
      });
    },
    liveKeys: (): StoredKey[] => standIn.keys({ deleted: false }),
  };
}

/** In whole seconds, which every service tells apart. */
function laterThan(time = "2026-01-01T00:00:00.000Z"): string {
  return new Date(Date.parse(time) + 1_000).toISOString();
}

/** Calls `act` once, when the interruption's request comes by. */
function watchFor({ at }: Interruption, act: () => void) {
  let left = at.nth;
  return (moment: "arrives" | "answered", { method }: LoggedRequest): void => {
    if (moment !== at.moment || (at.writes && method === "GET")) return;
    left -= 1;
    if (left === 0) act();
  };
}

/** Below the ports that systems give to whoever asks for any: nobody gets one while its service is down. */
const range = { from: 10_000, blocks: 40, size: 500 };
const block = range.from + (process.pid % range.blocks) * range.size;
let next = 0;

/** A stand-in that can stop and start again beside many others. */
async function startOnOwnPort(options: StandInOptions): Promise<StandIn> {
  for (let tries = 0; tries < range.size; tries += 1) {
    next = (next + 1) % range.size;
    try {
      return await startStandIn({ ...options, port: block + next });
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new Error("no port is free");
}

/** Another process may have the port for a while all the same. */
async function startAgain(standIn: StandIn): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await standIn.start();
    } catch (error) {
      if (!isTaken(error) || tries === 300) throw error;
      await pause(100);
    }
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EADDRINUSE";
}

export type Foreigner = Awaited<ReturnType<typeof openForeigner>>;

/** Another origin, to which a redirect may lead, and which nobody should ever visit. */
export async function openForeigner() {
  const visits = new Map<string, number>();
  const server = createServer(({ url = "" }, response) => {
    const seed = url.split("/")[1] ?? "";
    visits.set(seed, (visits.get(seed) ?? 0) + 1);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    urlFor: (seed: number) => `http://127.0.0.1:${port}/${seed}/api/v1`,
    visits: (seed: number) => visits.get(String(seed)) ?? 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
