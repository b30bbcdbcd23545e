import { type ApiKeyRecord, readApiKey } from "./client/apiKeys";
import type { Call } from "./client/call";
import { CallError } from "./client/callError";
import { pathProblem } from "./client/paths";
import type { ScopeRecord } from "./client/scopes";
import { openTransport, type Transport } from "./client/transport";
import type { WorkspaceRecord } from "./client/workspaces";
import { configuration, engineConfig } from "./core/config";
import type { HostContext } from "./core/context";
import { Failure, toFailure } from "./core/errors";
import { capitalised, listed } from "./core/text";
import { readFresh, type SharedReads, sharedReads } from "./reads/sharedReads";

/** The functions of a program. They throw a Failure and nothing else. */

/** Where a function reads. Functions with one transport share connections, pace, retries, and simultaneous requests. */
export type Source = Pick<HostContext, "configuration" | "transport">;

let shared: Transport | undefined;

/** The source of functions in the program's own process. `given`: config by its full keys. */
export function sourceOf(given: Readonly<Record<string, unknown>>): Source {
  const config = engineConfig((key) => given[key]);
  return {
    configuration: () => configuration(config, process.env),
    transport: () => {
      shared ??= openTransport();
      return shared;
    },
  };
}

/** A key without its secret, which no function returns. */
export type FoundApiKey = Omit<ApiKeyRecord, "key" | "deleted"> & { readonly deleted: boolean };

export interface ApiKeyFilter {
  readonly name?: string | undefined;
  readonly customerId?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly includeDeleted?: boolean | undefined;
}

interface ByIdOrName {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

interface InWorkspace {
  readonly workspaceId: string;
}

export async function getWorkspaces(source: Source): Promise<{ workspaces: WorkspaceRecord[] }> {
  const workspaces = await ask(source, "Listing the workspaces", async (reads) => [
    ...(await readFresh(reads.workspaces)).all,
  ]);
  return { workspaces };
}

export async function getWorkspace(source: Source, { id, name }: ByIdOrName): Promise<WorkspaceRecord> {
  if ((id === undefined) === (name === undefined))
    throw new Failure("Finding a workspace: give either id or name.");
  if (id !== undefined) {
    expectIds({ id });
    const doing = `Reading workspace ${id}`;
    return ask(
      source,
      doing,
      (reads) => readFresh(reads.workspace(id)),
      "Check the id, and that the access token is allowed to read the workspace.",
    );
  }
  return ask(source, "Listing the workspaces", async ({ workspaces }) => {
    const { all } = await readFresh(workspaces);
    return single(
      `workspace named "${name}"`,
      all.filter((one) => one.name === name),
      all,
    );
  });
}

export async function getApiKeys(
  source: Source,
  filter: InWorkspace & ApiKeyFilter,
): Promise<{ apiKeys: FoundApiKey[] }> {
  const { workspaceId, name, customerId, enabled, includeDeleted } = filter;
  const isWanted = (key: ApiKeyRecord) => includeDeleted === true || !key.deleted;
  const listed = await pickKeys(source, workspaceId, (all) =>
    all
      .filter(isWanted)
      .filter((key) => name === undefined || key.name === name)
      .filter((key) => customerId === undefined || key.customerId === customerId),
  );
  if (enabled === undefined) return { apiKeys: listed.map(withoutSecret) };
  const known = await Promise.all(listed.map((key) => withEnabled(source, workspaceId, key)));
  const matching = known.filter(isWanted).filter((key) => (key.enabled ?? false) === enabled);
  return { apiKeys: matching.map(withoutSecret) };
}

async function pickKeys<T>(
  source: Source,
  workspaceId: string,
  pick: (all: readonly ApiKeyRecord[]) => T,
): Promise<T> {
  expectIds({ workspaceId });
  return ask(
    source,
    `Listing the keys of workspace ${workspaceId}`,
    async (reads) => pick((await readFresh(reads.keys(workspaceId))).all),
    "Check workspaceId, and that the access token is allowed to list the keys of the workspace.",
  );
}

/** The key with `enabled`, which a list may leave out. A deleted key may not be readable by itself. */
async function withEnabled(source: Source, workspaceId: string, key: ApiKeyRecord): Promise<ApiKeyRecord> {
  return key.enabled !== undefined || key.deleted ? key : read(source, workspaceId, key.id);
}

async function read(source: Source, workspaceId: string, keyId: string): Promise<ApiKeyRecord> {
  expectIds({ workspaceId, id: keyId });
  return ask(
    source,
    `Reading key ${keyId} of workspace ${workspaceId}`,
    (_reads, call) => readApiKey(call, { workspaceId, keyId }),
    "Check both ids, and that the access token is allowed to read the key.",
  );
}

export async function getApiKey(
  source: Source,
  { workspaceId, id: givenId, name }: InWorkspace & ByIdOrName,
): Promise<FoundApiKey> {
  if ((givenId === undefined) === (name === undefined))
    throw new Failure("Finding a key: give either id or name.");
  // A list may leave out fields that the key by itself has.
  const id = givenId ?? (await keyNamed(source, workspaceId, name)).id;
  const key = await read(source, workspaceId, id);
  if (key.deleted) throw new Failure(`Reading key ${id} of workspace ${workspaceId}: it was deleted.`);
  return withoutSecret(key);
}

function keyNamed(source: Source, workspaceId: string, name: string | undefined): Promise<ApiKeyRecord> {
  return pickKeys(source, workspaceId, (all) => {
    const alive = all.filter(({ deleted }) => !deleted);
    return single(
      `key named "${name}" in workspace ${workspaceId}`,
      alive.filter((one) => one.name === name),
      alive,
    );
  });
}

export async function getScopes(
  source: Source,
  { workspaceId }: InWorkspace,
): Promise<{ scopes: ScopeRecord[] }> {
  expectIds({ workspaceId });
  const scopes = await ask(
    source,
    `Listing the scopes of workspace ${workspaceId}`,
    async (reads) => [...(await readFresh(reads.scopes(workspaceId))).all],
    "Check workspaceId, and that the access token is allowed to list the scopes of the workspace.",
  );
  return { scopes };
}

/** Also without the ids of scopes, so that a program can declare the scopes. */
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
      `There is more than one ${what}: ${found.map(({ id }) => id).join(", ")}. Use its id instead.`,
    );
  }
  const some = all.map(({ id, name }) => `"${name ?? ""}" (${id})`);
  const there = some.length === 0 ? "are none" : `${some.length === 1 ? "is" : "are"} ${listed(some)}`;
  throw new Failure(`No ${what} found; there ${there}.`);
}

/** Fails for ids that can't be part of a path, such as that of an unset variable. */
function expectIds(ids: Readonly<Record<string, string>>): void {
  for (const [name, id] of Object.entries(ids)) {
    const problem = pathProblem(id);
    if (problem !== undefined)
      throw new Failure(`The argument ${name} ${problem}: set it to an id of the service.`);
  }
}

async function ask<T>(
  source: Source,
  doing: string,
  act: (reads: SharedReads, call: Call) => Promise<T>,
  advice?: string,
): Promise<T> {
  const found = source.configuration();
  if ("problems" in found) throw new Failure(`${doing}: ${found.problems.map(capitalised).join(" ")}`);
  try {
    const call = { transport: source.transport(), credentials: found.credentials };
    // A copy, because programs may change it and others may get the same answer.
    return structuredClone(await act(sharedReads(call), call));
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw toFailure(error, found, { doing, notDone: "", ...(advice && { advice }) });
  }
}
