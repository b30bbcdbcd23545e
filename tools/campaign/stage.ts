import { setTimeout as pause } from "node:timers/promises";
import {
  type LoggedRequest,
  type StandIn,
  type StandInOptions,
  type StoredKey,
  startStandIn,
} from "../../standin";
import type { InterruptionKind, StartActor } from "./actor";
import { openControl, type Site, type State } from "./engine";
import { heldKeys } from "./heldKeys";
import { representations } from "./program";
import type { Drift, Interruption, Schedule, Trouble } from "./schedule";

export type Stage = Awaited<ReturnType<typeof openStage>>;

export interface MadeKey {
  readonly key: StoredKey;
  /** The number of the request that made it. */
  readonly request: number;
}

/** The service of one run, with what goes wrong in it. */
export async function openStage(
  { seed, variant, workspaceId, existing, parallel }: Schedule,
  start: StartActor,
) {
  const accessToken = `token-canary-${seed}`;
  const workspaces = [{ id: workspaceId, defaultKeyPrefix: "was", defaultRateLimitPerSecond: 10 }];
  /** Every key that the provider's requests made, as it was made. */
  const made: MadeKey[] = [];
  const known = new Set<string>();
  let answered: (request: LoggedRequest) => void = () => {};
  let stopping = Promise.resolve();
  const standIn = await startOnOwnPort({
    variant,
    tenants: [{ name: "acme", accessToken, workspaces }],
    onRequest(request) {
      if (request.carriedOut && /^(createApiKey|migrateApiKey)$/.test(request.endpoint)) {
        for (const key of standIn.keys().filter(({ id }) => !known.has(id))) {
          known.add(key.id);
          made.push({ key, request: request.n });
        }
      }
      answered(request);
    },
  });
  for (const representation of representations) standIn.addScope({ workspaceId, representation });
  // One is somebody else's, of the name that a program declares too.
  for (const key of [{ name: "key", customerId: "cus_elsewhere" }, ...existing]) {
    known.add(standIn.addKey({ workspaceId, ...key }).id);
  }

  async function restore(): Promise<void> {
    await stopping;
    await standIn.start();
  }

  return {
    standIn,
    accessToken,
    made,
    /** Lets a process of the provider act, as each command has its own. Its clock may be ahead. */
    async acting<T>(aheadMs: number, act: (site: Site) => Promise<T>) {
      const { url, requests } = standIn;
      const actor = await start({ url, accessToken, aheadMs, tellsNames: seed % 2 === 0 });
      const site = { actor, control: openControl(), parallel, requests: () => requests.length };
      const result = await act(site);
      await actor.stop();
      return { actor, result };
    },
    /** Lets things go wrong from now on. `interrupt` is called when the interruption's moment has come. */
    async trouble(
      { faults, outage, interruption }: Trouble,
      interrupt: (kind: InterruptionKind) => void,
    ): Promise<void> {
      standIn.clearFaults();
      const watch = interruption && watchFor(interruption, () => interrupt(interruption.kind));
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
    drift(drift: Drift, state: State): string | undefined {
      if (drift.kind === "editWorkspace") {
        standIn.editWorkspace(workspaceId, drift.change);
        return undefined;
      }
      const current = state.filter(({ doomed }) => !doomed).flatMap(heldKeys);
      const key = standIn.key(current.find(({ place }) => place === drift.place)?.id ?? "");
      if (key === undefined) return undefined;
      const { id, updatedAt, lastUsedAt } = key;
      if (drift.kind === "useKey") {
        standIn.editKey(id, { updatedAt, lastUsedAt: laterThan(lastUsedAt) });
        return undefined;
      }
      if (drift.kind === "editKey") standIn.editKey(id, drift.change);
      else standIn.deleteKey(id);
      return id;
    },
    liveKeys: (): readonly StoredKey[] => standIn.keys({ deleted: false }),
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
  next = (next + 1) % range.size;
  try {
    return await startStandIn({ ...options, port: block + next });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return startOnOwnPort(options);
    throw error;
  }
}
