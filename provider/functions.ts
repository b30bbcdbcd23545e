/** The functions of a program. They throw a Failure and nothing else. */
import { type Call, pathProblem } from "./client/request";
import { isNotFound, openTransport } from "./client/send";
import {
  type ApiKeyRecord,
  type WorkspacePath as InWorkspace,
  readApiKey,
  type ScopeRecord,
  type WorkspaceRecord,
} from "./client/service";
import { Failure, orFail } from "./core/errors";
import { defined, type Properties } from "./core/state";
import { listed, sentences } from "./core/text";
import { configuration, engineConfig, nodeProblem, usable } from "./lifecycle/config";
import type { HostContext } from "./lifecycle/context";
import { type Listing, orThrow, type SharedRead, type SharedReads, sharedReads } from "./reads";

/** Where a function reads. Functions with one transport share connections, pace and simultaneous requests. */
export type Source = Pick<HostContext, "configuration" | "transport">;

const shared = openTransport();

/**
 * The source of functions in the program's own process. `get` reads config by its full keys.
 *
 * @public The SDK loads this module when a function is first called.
 */
export function sourceOf(get: (key: string) => unknown): Source {
  const problem = nodeProblem();
  if (problem !== undefined) throw new Failure("configuration", problem);
  const config = engineConfig(get);
  return { configuration: () => configuration(config, process.env), transport: () => shared };
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

export async function getWorkspaces(source: Source): Promise<{ workspaces: WorkspaceRecord[] }> {
  const doing = "Listing the workspaces";
  return { workspaces: await ask(source, doing, (reads) => listOf(reads.workspaces)) };
}

export async function getWorkspace(source: Source, { id, name }: ByIdOrName): Promise<WorkspaceRecord> {
  expectOne("a workspace", id, name);
  if (id === undefined)
    return single(`workspace named "${name}"`, name, (await getWorkspaces(source)).workspaces);
  expectIds({ id });
  const advice = "Check the id, and that the access token is allowed to read the workspace.";
  const read = async (reads: SharedReads) => orThrow(await reads.workspace(id).fresh());
  return ask(source, `Reading workspace ${id}`, read, advice);
}

/** `ifRefused`: what else to do if the service refuses to list them. */
export async function getApiKeys(
  source: Source,
  { workspaceId, includeDeleted = false, ...filter }: InWorkspace & ApiKeyFilter,
  ifRefused = "",
): Promise<{ apiKeys: FoundApiKey[] }> {
  expectIds({ workspaceId });
  const doing = `Listing the keys of workspace ${workspaceId}`;
  const check = "Check workspaceId, and that the access token is allowed to list the keys of the workspace";
  const read = (reads: SharedReads) => listOf(reads.keys(workspaceId));
  const all = await ask(source, doing, read, sentences(check, ifRefused));
  const fields = (["name", "customerId", "enabled"] as const).filter((field) => filter[field] !== undefined);
  const isWanted = (key: ApiKeyRecord) => includeDeleted || !key.deleted;
  const isEqual = (key: ApiKeyRecord, field: (typeof fields)[number]) =>
    (field === "enabled" ? (key.enabled ?? false) : key[field]) === filter[field];
  const keys = all.filter(isWanted).map(async (key) => {
    // The list may leave fields out. A deleted key may not be readable by itself.
    const open = key.deleted ? [] : fields.filter((field) => key[field] === undefined);
    const mayMatch = fields.every((field) => open.includes(field) || isEqual(key, field));
    if (open.length === 0 || !mayMatch) return key;
    // One that is not found was deleted since.
    const own = await readKey(source, workspaceId, key.id, { ...key, deleted: true });
    return { ...key, ...defined(own as object as Properties) };
  });
  const found = (await Promise.all(keys)).filter(
    (key) => isWanted(key) && fields.every((field) => isEqual(key, field)),
  );
  return { apiKeys: found.map(withoutSecret) };
}

export async function getApiKey(
  source: Source,
  { workspaceId, id: givenId, name }: InWorkspace & ByIdOrName,
): Promise<FoundApiKey> {
  expectOne("a key", givenId, name);
  let id = givenId;
  if (id === undefined) {
    const { apiKeys } = await getApiKeys(source, { workspaceId });
    // The list may leave out fields that the key by itself has, so only the id is taken from it.
    id = single(`key named "${name}" in workspace ${workspaceId}`, name, apiKeys).id;
  }
  const key = await readKey(source, workspaceId, id);
  if (key.deleted)
    throw new Failure("notFound", `Reading key ${id} of workspace ${workspaceId}: it was deleted.`);
  return withoutSecret(key);
}

/** `missing`: what to return if there is no such key. */
async function readKey(
  source: Source,
  workspaceId: string,
  keyId: string,
  missing?: ApiKeyRecord,
): Promise<ApiKeyRecord> {
  expectIds({ workspaceId, id: keyId });
  const read = (_: SharedReads, call: Call) =>
    readApiKey(call, { workspaceId, keyId }).catch((error: unknown) => {
      if (isNotFound(error) && missing !== undefined) return missing;
      throw error;
    });
  const advice = "Check both ids, and that the access token is allowed to read the key.";
  return ask(source, `Reading key ${keyId} of workspace ${workspaceId}`, read, advice);
}

export async function getScopes(
  source: Source,
  { workspaceId }: InWorkspace,
): Promise<{ scopes: ScopeRecord[] }> {
  expectIds({ workspaceId });
  const doing = `Listing the scopes of workspace ${workspaceId}`;
  const advice =
    "Check workspaceId, and that the access token is allowed to list the scopes of the workspace.";
  return { scopes: await ask(source, doing, (reads) => listOf(reads.scopes(workspaceId)), advice) };
}

/** Also without the ids of scopes, so that a program can declare the scopes. */
function withoutSecret({ key: _, deleted = false, scopes, ...rest }: ApiKeyRecord): FoundApiKey {
  return { ...rest, deleted, scopes: scopes?.map(({ id: __, ...scope }) => scope) };
}

function single<T extends { readonly id: string; readonly name: string | undefined }>(
  what: string,
  wanted: string | undefined,
  all: readonly T[],
): T {
  const found = all.filter(({ name }) => name === wanted);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (found.length > 1) {
    const several = `There is more than one ${what}: ${found.map(({ id }) => id).join(", ")}. Use its id instead.`;
    throw new Failure("notFound", several);
  }
  const some = all.map(({ id, name }) => (name === undefined ? id : `"${name}" (${id})`));
  const there = some.length === 0 ? "are none" : `${some.length === 1 ? "is" : "are"} ${listed(some)}`;
  throw new Failure("notFound", `No ${what} found. There ${there}.`);
}

function expectOne(what: string, id: string | undefined, name: string | undefined): void {
  if ((id === undefined) === (name === undefined))
    throw new Failure("wrongInput", `Finding ${what}: give either id or name.`);
}

/** Fails for ids that can't be part of a path, such as that of an unset variable. */
function expectIds(ids: Readonly<Record<string, unknown>>): void {
  for (const [name, id] of Object.entries(ids)) {
    const problem = typeof id === "string" ? pathProblem(id) : "is not a string";
    if (problem !== undefined)
      throw new Failure("wrongInput", `The argument ${name} ${problem}: set it to an id of the service.`);
  }
}

async function listOf<T>(list: SharedRead<Listing<T>>): Promise<T[]> {
  return [...orThrow(await list.fresh()).all];
}

/** Returns copies, because programs may change what they get, and others may get the same records. */
async function ask<T>(
  source: Source,
  doing: string,
  act: (reads: SharedReads, call: Call) => Promise<T>,
  advice?: string,
): Promise<T> {
  const found = usable(source.configuration());
  const call = { transport: source.transport(), credentials: found.credentials };
  const words = { doing, notDone: "", ...(advice && { advice }) };
  return structuredClone(await orFail(act(sharedReads(call), call), { setup: found }, words));
}
