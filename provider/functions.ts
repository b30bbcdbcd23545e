import { type ApiKeyRecord, readApiKey } from "./client/apiKeys";
import type { Call } from "./client/call";
import { CallError } from "./client/callError";
import type { ScopeRecord } from "./client/scopes";
import { openTransport, type Transport } from "./client/transport";
import type { WorkspaceRecord } from "./client/workspaces";
import { configuration, settings } from "./core/config";
import { capitalised, Failure, listed, toFailure } from "./core/errors";
import { readFresh, type SharedReads, sharedReads } from "./reads/sharedReads";

/** Reads for a program, which wants to know what there is. Each throws a Failure and nothing else. */

/** Configuration by its full key, such as `apikeys:baseUrl`, as a provider is configured with. */
type Given = Readonly<Record<string, unknown>>;

/** Functions of one program share connections, pace, retries, and the requests of those that ask at the same time. */
let shared: Transport | undefined;

/** A key without its secret, which no function returns. */
export type FoundApiKey = Omit<ApiKeyRecord, "key" | "deleted"> & { readonly deleted: boolean };

export interface ApiKeyFilter {
  readonly name?: string | undefined;
  readonly customerId?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly includeDeleted?: boolean | undefined;
}

export function workspaces(given: Given): Promise<WorkspaceRecord[]> {
  return ask(given, "Listing the workspaces", async ({ workspaces }) => [
    ...(await readFresh(workspaces)).all,
  ]);
}

export async function workspace(
  given: Given,
  by: { readonly id?: string | undefined; readonly name?: string | undefined },
): Promise<WorkspaceRecord> {
  const { id, name } = by;
  if ((id === undefined) === (name === undefined))
    throw new Failure("Finding a workspace: give either id or name.");
  if (id !== undefined) {
    const doing = `Reading workspace ${id}`;
    return ask(
      given,
      doing,
      (reads) => readFresh(reads.workspace(id)),
      "Check the id, and that the access token may see it.",
    );
  }
  return ask(given, "Listing the workspaces", async ({ workspaces }) => {
    const { all } = await readFresh(workspaces);
    return single(
      `workspace named "${name}"`,
      all.filter((one) => one.name === name),
      all,
    );
  });
}

export async function apiKeys(
  given: Given,
  workspaceId: string,
  filter: ApiKeyFilter,
): Promise<FoundApiKey[]> {
  const { name, customerId, enabled, includeDeleted } = filter;
  const alive = (key: ApiKeyRecord) => includeDeleted === true || !key.deleted;
  const listed = await ofKeys(given, workspaceId, (all) =>
    all
      .filter(alive)
      .filter((key) => name === undefined || key.name === name)
      .filter((key) => customerId === undefined || key.customerId === customerId),
  );
  if (enabled === undefined) return listed.map(withoutSecret);
  const known = await Promise.all(listed.map((key) => withEnabled(given, workspaceId, key)));
  return known
    .filter(alive)
    .filter((key) => (key.enabled ?? false) === enabled)
    .map(withoutSecret);
}

function ofKeys<T>(given: Given, workspaceId: string, pick: (all: readonly ApiKeyRecord[]) => T): Promise<T> {
  return ask(given, `Listing the keys of workspace ${workspaceId}`, async (reads) =>
    pick((await readFresh(reads.keys(workspaceId))).all),
  );
}

/** A list may leave `enabled` out, which says nothing of a key. One that was deleted may not be there to read. */
async function withEnabled(given: Given, workspaceId: string, key: ApiKeyRecord): Promise<ApiKeyRecord> {
  return key.enabled !== undefined || key.deleted ? key : read(given, workspaceId, key.id);
}

function read(given: Given, workspaceId: string, keyId: string): Promise<ApiKeyRecord> {
  return ask(
    given,
    `Reading key ${keyId} of workspace ${workspaceId}`,
    (_reads, call) => readApiKey(call, { workspaceId, keyId }),
    "Check both ids, and that the access token may see the key.",
  );
}

export async function apiKey(
  given: Given,
  workspaceId: string,
  by: { readonly id?: string | undefined; readonly name?: string | undefined },
): Promise<FoundApiKey> {
  const { id: givenId, name } = by;
  if ((givenId === undefined) === (name === undefined))
    throw new Failure("Finding a key: give either id or name.");
  // A list may leave out what a key that is read has.
  const id = givenId ?? (await keyNamed(given, workspaceId, name)).id;
  const key = await read(given, workspaceId, id);
  if (key.deleted) throw new Failure(`Reading key ${id} of workspace ${workspaceId}: it was deleted.`);
  return withoutSecret(key);
}

function keyNamed(given: Given, workspaceId: string, name: string | undefined): Promise<ApiKeyRecord> {
  return ofKeys(given, workspaceId, (all) => {
    const alive = all.filter(({ deleted }) => !deleted);
    return single(
      `key named "${name}" in workspace ${workspaceId}`,
      alive.filter((one) => one.name === name),
      alive,
    );
  });
}

export function scopes(given: Given, workspaceId: string): Promise<ScopeRecord[]> {
  return ask(given, `Listing the scopes of workspace ${workspaceId}`, async (reads) => [
    ...(await readFresh(reads.scopes(workspaceId))).all,
  ]);
}

/** As a program may declare it: the ids of scopes are the service's own. */
function withoutSecret({ key: _, deleted = false, scopes, ...rest }: ApiKeyRecord): FoundApiKey {
  return { ...rest, deleted, scopes: scopes?.map(({ id: __, ...scope }) => scope) };
}

interface Named {
  readonly id: string;
  readonly name: string | undefined;
}

function single<T extends Named>(what: string, found: readonly T[], all: readonly T[]): T {
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (found.length > 1) {
    throw new Failure(
      `There is more than one ${what}: ${found.map(({ id }) => id).join(", ")}. Find it by its id.`,
    );
  }
  const some = all.map(({ id, name }) => `"${name ?? ""}" (${id})`);
  const there = some.length === 0 ? "are none" : `${some.length === 1 ? "is" : "are"} ${listed(some)}`;
  throw new Failure(`No ${what} found; there ${there}.`);
}

async function ask<T>(
  given: Given,
  doing: string,
  act: (reads: SharedReads, call: Call) => Promise<T>,
  advice?: string,
): Promise<T> {
  const found = configuration(
    settings((key) => given[key]),
    process.env,
  );
  if ("problems" in found) throw new Failure(`${doing}: ${found.problems.map(capitalised).join(" ")}`);
  shared ??= openTransport();
  try {
    const call = { transport: shared, credentials: found.ready.credentials };
    // Others may have the same answer, and a program may change what it is given.
    return structuredClone(await act(sharedReads(call), call));
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw toFailure(error, found.ready, { doing, notDone: "", ...(advice && { advice }) });
  }
}
