import { listApiKeys } from "../client/apiKeys";
import type { Call } from "../client/call";
import { CallError } from "../client/callError";
import { listScopes } from "../client/scopes";
import type { Transport } from "../client/transport";
import { listWorkspaces, readWorkspace } from "../client/workspaces";
import { openSharedRead, type SharedRead } from "./sharedRead";

/** What the operations of a process read together, from one service with one access token. */
export type SharedReads = ReturnType<typeof openReads>;

/** The records of a list. */
export interface Listing<T> {
  readonly all: readonly T[];
  readonly byId: ReadonlyMap<string, T>;
}

interface Listable {
  readonly id: string;
  readonly deleted?: boolean | undefined;
}

/** An answer that could not be read. */
export interface Unavailable {
  /** Why, as a phrase. */
  readonly problem: string;
  /** What the call threw; `undefined` if the answer took too long. */
  readonly error?: CallError;
}

/** How long a list serves at most. */
export const servesMs = 30_000;
/** The longest wait for a list of keys, which can also be read one by one. */
export const patienceMs = 10_000;
const tooLate: Unavailable = { problem: `no answer came within ${patienceMs / 1_000} s` };
const patience = { ms: patienceMs, late: tooLate };

const ofTransport = new WeakMap<Transport, Map<string, SharedReads>>();

export function sharedReads({ maskedInMessages = [], ...call }: Call): SharedReads {
  const { baseUrl, accessToken } = call.credentials;
  const all = ofTransport.get(call.transport) ?? new Map<string, SharedReads>();
  ofTransport.set(call.transport, all);
  const service = JSON.stringify([baseUrl, accessToken]);
  const reads = all.get(service) ?? openReads(call);
  all.set(service, reads);
  for (const text of maskedInMessages) reads.maskedInMessages.add(text);
  return reads;
}

function openReads(ofFirst: Call) {
  const maskedInMessages = new Set<string>();
  const call: Call = {
    ...ofFirst,
    get maskedInMessages() {
      return [...maskedInMessages];
    },
  };
  const writes = () => call.transport.writes;
  const open = <T>(read: () => Promise<T>, options: { readonly patience?: typeof patience } = {}) =>
    openSharedRead<T | Unavailable>(() => orUnavailable(read()), { ...options, servesMs, writes });
  return {
    /** What any reader masks in messages: a URL may contain it. */
    maskedInMessages,
    keys: each((workspaceId) =>
      open(async () => listing(await listApiKeys(call, { workspaceId })), { patience }),
    ),
    scopes: each((workspaceId) => open(async () => listing(await listScopes(call, { workspaceId })))),
    workspaces: open(async () => listing(await listWorkspaces(call))),
    workspace: each((workspaceId) => open(() => readWorkspace(call, { workspaceId }))),
  };
}

/** One for each workspace, made at its first use. */
function each<T>(make: (workspaceId: string) => T): (workspaceId: string) => T {
  const opened = new Map<string, T>();
  return (workspaceId) => {
    const found = opened.get(workspaceId) ?? make(workspaceId);
    opened.set(workspaceId, found);
    return found;
  };
}

function listing<T extends Listable>(records: readonly T[]): Listing<T> {
  const byId = new Map<string, T>();
  // If an id is listed twice, the record that is not deleted counts.
  for (const record of records) {
    if (record.deleted !== true || !byId.has(record.id)) byId.set(record.id, record);
  }
  return { all: [...byId.values()], byId };
}

async function orUnavailable<T>(answer: Promise<T>): Promise<T | Unavailable> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { problem: error.message, error };
  }
}

/** The answer. Throws what the call threw. */
export function orThrow<T extends object>(answer: T | Unavailable): T {
  if (!("problem" in answer)) return answer;
  throw answer.error ?? new CallError("ambiguous", answer.problem);
}

/** A new answer, however long it takes. */
export async function readFresh<T extends object>(shared: SharedRead<T | Unavailable>): Promise<T> {
  return orThrow(await shared.awaited());
}
