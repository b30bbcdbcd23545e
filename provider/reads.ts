/** Reads that many operations need at about the same time: one request serves them all. */

import type { Call } from "./client/request";
import { CallError, type Credentials, type Transport } from "./client/send";
import { listApiKeys, listScopes, listWorkspaces, readWorkspace } from "./client/service";

/** An answer, or why there is none. */
export type Reading<T> =
  | { readonly kind: "known"; readonly value: T }
  | { readonly kind: "unavailable"; readonly error: CallError };

export interface SharedRead<T> {
  /** An answer to a request of the last 30 seconds; `sinceWrites`: and since the last write of this process. */
  recent(sinceWrites?: boolean): Promise<Reading<T>>;
  /** An answer to a request that is sent after this call. Those who ask meanwhile share it. */
  fresh(): Promise<Reading<T>>;
}

export interface Listing<T> {
  /** Whether nothing shows that the service has left records out. */
  readonly isWhole: boolean;
  readonly all: readonly T[];
  readonly byId: ReadonlyMap<string, T>;
}

/** How long an answer serves, from its request on. */
export const servesMs = 30_000;

/** `writes` grows whenever a write of this process ends. */
export function openSharedRead<T>(read: () => Promise<T>, writes: () => number): SharedRead<T> {
  interface Request {
    readonly startedAt: number;
    readonly writes: number;
    readonly answer: Promise<Reading<T>>;
  }
  let last: Request | undefined;
  let next: Promise<Reading<T>> | undefined;

  function start(): Request {
    const request = { startedAt: Date.now(), writes: writes(), answer: readingOf(read(), forget) };
    /** A failure serves only those who wait for it, unless the service has no such list. */
    function forget({ verdict, status }: CallError): void {
      if (last === request && (verdict !== "refused" || status === 401)) last = undefined;
    }
    last = request;
    return request;
  }
  /** Shares the request that follows the one under way. */
  async function fresh(): Promise<Reading<T>> {
    next ??= Promise.allSettled([last?.answer]).then(() => {
      next = undefined;
      return start().answer;
    });
    return next;
  }
  return {
    fresh,
    async recent(sinceWrites = false) {
      const request = last && Date.now() - last.startedAt < servesMs ? last : start();
      const answer = await request.answer;
      return sinceWrites && request.writes !== writes() ? fresh() : answer;
    },
  };
}

async function readingOf<T>(answer: Promise<T>, onError: (error: CallError) => void): Promise<Reading<T>> {
  try {
    return { kind: "known", value: await answer };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    onError(error);
    return { kind: "unavailable", error };
  }
}

export function orThrow<T>(reading: Reading<T>): T {
  if (reading.kind === "known") return reading.value;
  throw reading.error;
}

/** The reads that the operations of a process share, from one service with one access token. */
export type SharedReads = ReturnType<typeof openReads>;

const ofTransport = new WeakMap<Transport, Map<string, SharedReads>>();

export function sharedReads({ transport, credentials, secrets = [], run }: Call): SharedReads {
  const all = ofTransport.get(transport) ?? new Map<string, SharedReads>();
  ofTransport.set(transport, all);
  const service = JSON.stringify(credentials);
  const reads = all.get(service) ?? openReads(transport, credentials);
  all.set(service, reads);
  for (const secret of secrets) reads.secrets.add(secret);
  reads.call.run = run ?? reads.call.run;
  return reads;
}

function openReads(transport: Transport, credentials: Credentials) {
  const secrets = new Set<string>();
  const call: { -readonly [Name in keyof Call]: Call[Name] } = { transport, credentials, secrets };
  const opened = new Map<string, SharedRead<unknown>>();
  /** The one read of this name, made at its first use. */
  const shared = <T>(name: string, read: () => Promise<T>): SharedRead<T> => {
    const found = opened.get(name) ?? openSharedRead(read, () => transport.writes);
    opened.set(name, found);
    return found as SharedRead<T>;
  };
  const list = <T extends { readonly id: string }>(
    name: string,
    read: (call: Call) => Promise<Omit<Listing<T>, "byId">>,
  ) =>
    shared(name, async (): Promise<Listing<T>> => {
      const { all, isWhole } = await read(call);
      const byId = new Map(all.map((record) => [record.id, record]));
      // A list can have a record twice.
      return { isWhole, all: [...byId.values()], byId };
    });
  return {
    /** The values that any reader masks in messages, and the run of the last. */
    secrets,
    call,
    list,
    keys: (workspaceId: string) => list(`keys ${workspaceId}`, () => listApiKeys(call, { workspaceId })),
    scopes: (workspaceId: string) => list(`scopes ${workspaceId}`, () => listScopes(call, { workspaceId })),
    workspaces: list("workspaces", listWorkspaces),
    workspace: (workspaceId: string) =>
      shared(`workspace ${workspaceId}`, () => readWorkspace(call, { workspaceId })),
  };
}
