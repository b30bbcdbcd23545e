import { CallError } from "../client/callError";
import { type Call, listApiKeys, listScopes, listWorkspaces, readWorkspace } from "../client/endpoints";
import type { ApiKeyRecord, ScopeRecord, WorkspaceRecord } from "../client/responses";
import type { Transport } from "../client/transport";
import { type ByList, type Listing, openByList } from "./byList";
import { openSharedRead, type SharedRead, type SharedReadOptions } from "./sharedRead";

/** What operations of one process read together: of one service, with one access token. */
export interface SharedReads {
  keys(workspaceId: string): SharedListing<ApiKeyRecord>;
  scopes(workspaceId: string): SharedListing<ScopeRecord>;
  readonly workspaces: SharedListing<WorkspaceRecord>;
  workspace(workspaceId: string): SharedRead<WorkspaceRecord | Unavailable>;
}

interface Listable {
  readonly id: string;
  readonly deleted?: boolean | undefined;
}

export interface SharedListing<T> extends SharedRead<Listing<T> | Unavailable>, ByList<T> {}

/** Why an answer could not be had, as words to stand in brackets. */
export interface Unavailable {
  readonly problem: string;
  /** What the call threw; `undefined` where its answer was not waited for. */
  readonly error?: CallError;
}

/** A list serves for so long at most. */
export const lastingMs = 30_000;
/** A list that takes longer is not waited for, where what it holds can be read singly too. */
const patienceMs = 10_000;
const tooLate: Unavailable = { problem: `it did not come within ${patienceMs / 1_000} s` };
const patience = { ms: patienceMs, late: tooLate };

interface Opened {
  readonly reads: SharedReads;
  /** What one of those who read together has to conceal: an address may hold it. */
  readonly concealed: Set<string>;
}

const ofTransport = new WeakMap<Transport, Map<string, Opened>>();

export function sharedReads({ transport, credentials, secrets = [], concealed = [] }: Call): SharedReads {
  const { baseUrl, accessToken } = credentials;
  const all = ofTransport.get(transport) ?? new Map<string, Opened>();
  ofTransport.set(transport, all);
  const place = JSON.stringify([baseUrl, accessToken]);
  const opened = all.get(place) ?? open({ transport, credentials, secrets });
  all.set(place, opened);
  for (const text of concealed) opened.concealed.add(text);
  return opened.reads;
}

function open(call: Call): Opened {
  const concealed = new Set<string>();
  const ofAll: Call = {
    ...call,
    get concealed() {
      return [...concealed];
    },
  };
  return { reads: openReads(ofAll), concealed };
}

function openReads(call: Call): SharedReads {
  const writes = () => call.transport.writes;
  function open<T>(
    read: () => Promise<T>,
    options: Pick<SharedReadOptions<T | Unavailable>, "patience"> = {},
  ) {
    return openSharedRead<T | Unavailable>(() => had(read()), { ...options, lastingMs, writes });
  }
  function list<T extends Listable>(
    read: () => Promise<readonly T[]>,
    options: Pick<SharedReadOptions<Unavailable>, "patience"> = {},
  ): SharedListing<T> {
    const listed = open(async () => listing(await read()), options);
    return { ...listed, ...openByList(listed, lastingMs) };
  }
  return {
    keys: each((workspaceId) => list(() => listApiKeys(call, { workspaceId }), { patience })),
    scopes: each((workspaceId) => list(() => listScopes(call, { workspaceId }))),
    workspaces: list(() => listWorkspaces(call), { patience }),
    workspace: each((workspaceId) => open(() => readWorkspace(call, { workspaceId }))),
  };
}

/** One for each workspace, opened when it is first asked for. */
function each<T>(make: (workspaceId: string) => T): (workspaceId: string) => T {
  const opened = new Map<string, T>();
  return (workspaceId) => {
    const found = opened.get(workspaceId) ?? make(workspaceId);
    opened.set(workspaceId, found);
    return found;
  };
}

function listing<T extends Listable>(all: readonly T[]): Listing<T> {
  const byId = new Map<string, T>();
  // Of an id that is listed twice, dead and alive, the live record tells.
  for (const record of all) {
    if (record.deleted !== true || !byId.has(record.id)) byId.set(record.id, record);
  }
  return { all, byId };
}

async function had<T>(answer: Promise<T>): Promise<T | Unavailable> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { problem: error.message, error };
  }
}

/** The answer, or what the call threw in its place. */
export function demanded<T extends object>(answer: T | Unavailable): T {
  if (!("problem" in answer)) return answer;
  throw answer.error ?? new CallError("ambiguous", answer.problem);
}

/** For each reader once one that others share, so long as it says something; otherwise that of now. */
export async function shared<T extends object>(
  read: SharedRead<T | Unavailable>,
  reader: string,
): Promise<T | Unavailable> {
  const answer = await read.current(lastingMs, reader)?.answer;
  return answer === undefined || "problem" in answer ? read.fresh() : answer;
}

/** The answer of now, however long it takes. */
export async function freshly<T extends object>(shared: SharedRead<T | Unavailable>): Promise<T> {
  return demanded(await shared.awaited());
}
