/** The functions of a program. They throw a Failure and nothing else. */
import type { Call } from "./client/request";
import { openTransport } from "./client/send";
import {
  type ApiKeyRecord,
  type WorkspacePath as InWorkspace,
  readApiKey,
  type ScopeRecord,
  type WorkspaceRecord,
} from "./client/service";
import { Failure, orFail } from "./core/errors";
import { defined, type Properties } from "./core/state";
import { listed } from "./core/text";
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

export type ApiKeyFilter = Partial<Pick<ApiKeyRecord, "name" | "customerId" | "enabled">> & {
  readonly includeDeleted?: boolean | undefined;
};

interface ByIdOrName {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

export async function getWorkspaces(source: Source): Promise<{ workspaces: WorkspaceRecord[] }> {
  return { workspaces: await ask(source, "Listing the workspaces", (reads) => listOf(reads.workspaces)) };
}

export async function getWorkspace(source: Source, given: ByIdOrName): Promise<WorkspaceRecord> {
  const id = await idOf("the workspaces", given, async () => (await getWorkspaces(source)).workspaces);
  return ask(source, `Reading workspace ${id}`, async (reads) => orThrow(await reads.workspace(id).fresh()));
}

export async function getApiKeys(
  source: Source,
  { workspaceId, includeDeleted = false, ...filter }: InWorkspace & ApiKeyFilter,
): Promise<{ apiKeys: FoundApiKey[] }> {
  const doing = `Listing the keys of workspace ${workspaceId}`;
  const all = await ask(source, doing, (reads) => listOf(reads.keys(workspaceId)));
  const fields = (["name", "customerId", "enabled"] as const).filter((field) => filter[field] !== undefined);
  const isWanted = (key: ApiKeyRecord) => includeDeleted || !key.deleted;
  const keys = all.filter(isWanted).map(async (key) => {
    // The list may leave fields out. A deleted key may not be readable by itself.
    if (key.deleted || fields.every((field) => key[field] !== undefined)) return key;
    const own = await readKey(source, workspaceId, key.id).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === "notFound") return { deleted: true };
      throw error;
    });
    return { ...key, ...defined(own as object as Properties) };
  });
  const isEqual = ({ enabled = false, ...key }: ApiKeyRecord) =>
    fields.every((field) => (field === "enabled" ? enabled : key[field]) === filter[field]);
  const found = (await Promise.all(keys)).filter((key) => isWanted(key) && isEqual(key));
  return { apiKeys: found.map(withoutSecret) };
}

export async function getApiKey(
  source: Source,
  { workspaceId, ...given }: InWorkspace & ByIdOrName,
): Promise<FoundApiKey> {
  // The list may leave out fields that the key by itself has, so only the id is taken from it.
  const all = async () => (await getApiKeys(source, { workspaceId })).apiKeys;
  const id = await idOf(`the keys of workspace ${workspaceId}`, given, all);
  const key = await readKey(source, workspaceId, id);
  if (key.deleted)
    throw new Failure("notFound", `Reading key ${id} of workspace ${workspaceId}: it was deleted.`);
  return withoutSecret(key);
}

async function readKey(source: Source, workspaceId: string, keyId: string): Promise<ApiKeyRecord> {
  const doing = `Reading key ${keyId} of workspace ${workspaceId}`;
  return ask(source, doing, (_, call) => readApiKey(call, { workspaceId, keyId }));
}

export async function getScopes(
  source: Source,
  { workspaceId }: InWorkspace,
): Promise<{ scopes: ScopeRecord[] }> {
  const doing = `Listing the scopes of workspace ${workspaceId}`;
  return { scopes: await ask(source, doing, (reads) => listOf(reads.scopes(workspaceId))) };
}

/** Also without the ids of scopes, so that a program can declare the scopes. */
function withoutSecret({ key: _, deleted = false, scopes, ...rest }: ApiKeyRecord): FoundApiKey {
  return { ...rest, deleted, scopes: scopes?.map(({ id: __, ...scope }) => scope) };
}

/** The id that the program gives, or that of the only object with this name. */
async function idOf(
  all: string,
  { id, name }: ByIdOrName,
  find: () => Promise<readonly { readonly id: string; readonly name: string | undefined }[]>,
): Promise<string> {
  if ((id === undefined) === (name === undefined))
    throw new Failure("wrongInput", `To find one of ${all}, give either id or name.`);
  if (id !== undefined) return id;
  const there = await find();
  const found = there.filter((one) => one.name === name);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first.id;
  const some = (found.length > 0 ? found : there).map((one) => `${one.id} ("${one.name ?? ""}")`);
  const advice = `Check the name, or use an id. The service shows: ${listed(some) || "none"}.`;
  throw new Failure("notFound", `${found.length} of ${all} are named "${name}". ${advice}`);
}

async function listOf<T>(list: SharedRead<Listing<T>>): Promise<T[]> {
  return [...orThrow(await list.fresh()).all];
}

/** Returns copies, because programs may change what they get, and others may get the same records. */
async function ask<T>(
  source: Source,
  doing: string,
  act: (reads: SharedReads, call: Call) => Promise<T>,
): Promise<T> {
  const found = usable(source.configuration());
  const call = { transport: source.transport(), credentials: found.credentials };
  const advice = "Check the arguments, and that the access token is allowed to read this";
  const words = { doing, notDone: "", advice };
  return structuredClone(await orFail(act(sharedReads(call), call), { setup: found }, words));
}
