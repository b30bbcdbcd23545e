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
import { capitalised, listed } from "./core/text";
import { configuration, engineConfig, nodeProblem } from "./lifecycle/config";
import type { HostContext } from "./lifecycle/context";
import { orThrow, type SharedReads, sharedReads } from "./reads";

/** The functions of a program. They throw a Failure and nothing else. */

/** Where a function reads. Functions with one transport share connections, pace and simultaneous requests. */
export type Source = Pick<HostContext, "configuration" | "transport">;

const shared = openTransport();

/** The source of functions in the program's own process. `get` reads config by its full keys. */
export function sourceOf(get: (key: string) => unknown): Source {
  const problem = nodeProblem();
  if (problem !== undefined) throw new Failure(problem);
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
  const workspaces = await ask(source, "Listing the workspaces", async (reads) => [
    ...orThrow(await reads.workspaces.fresh()).all,
  ]);
  return { workspaces };
}

export async function getWorkspace(source: Source, { id, name }: ByIdOrName): Promise<WorkspaceRecord> {
  if ((id === undefined) === (name === undefined))
    throw new Failure("Finding a workspace: give either id or name.");
  if (id !== undefined) {
    expectIds({ id });
    const advice = "Check the id, and that the access token is allowed to read the workspace.";
    return ask(
      source,
      `Reading workspace ${id}`,
      async (reads) => orThrow(await reads.workspace(id).fresh()),
      advice,
    );
  }
  return ask(source, "Listing the workspaces", async ({ workspaces }) =>
    single(`workspace named "${name}"`, name, orThrow(await workspaces.fresh()).all),
  );
}

export async function getApiKeys(
  source: Source,
  { workspaceId, includeDeleted = false, ...filter }: InWorkspace & ApiKeyFilter,
): Promise<{ apiKeys: FoundApiKey[] }> {
  const fields = (["name", "customerId", "enabled"] as const).filter((field) => filter[field] !== undefined);
  const isWanted = (key: ApiKeyRecord) => includeDeleted || !key.deleted;
  const isEqual = (key: ApiKeyRecord, field: (typeof fields)[number]) =>
    (field === "enabled" ? (key.enabled ?? false) : key[field]) === filter[field];
  const candidates = await pickKeys(source, workspaceId, (all) => {
    // A list may leave a field out of all records, and `enabled` where it is false.
    const omitted = fields.filter(
      (field) => field === "enabled" || all.every((key) => key[field] === undefined),
    );
    return all.filter(isWanted).flatMap((key) => {
      // A deleted key may not be readable by itself.
      const open = key.deleted ? [] : omitted.filter((field) => key[field] === undefined);
      const mayMatch = fields.every((field) => open.includes(field) || isEqual(key, field));
      return mayMatch ? [{ key, isOpen: open.length > 0 }] : [];
    });
  });
  const keys = await Promise.all(
    candidates.map(({ key, isOpen }) => (isOpen ? complete(source, workspaceId, key) : key)),
  );
  const found = keys.filter((key) => isWanted(key) && fields.every((field) => isEqual(key, field)));
  return { apiKeys: found.map(withoutSecret) };
}

/** A listed key with the fields that the list leaves out, or as deleted if it is not found. */
async function complete(source: Source, workspaceId: string, listed: ApiKeyRecord): Promise<ApiKeyRecord> {
  const key = await read(source, workspaceId, listed.id, { ...listed, deleted: true });
  return { ...listed, ...defined(key as object as Properties) };
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
    async (reads) => pick(orThrow(await reads.keys(workspaceId).fresh()).all),
    "Check workspaceId, and that the access token is allowed to list the keys of the workspace.",
  );
}

async function read(
  source: Source,
  workspaceId: string,
  keyId: string,
  missing?: ApiKeyRecord,
): Promise<ApiKeyRecord> {
  expectIds({ workspaceId, id: keyId });
  return ask(
    source,
    `Reading key ${keyId} of workspace ${workspaceId}`,
    (_reads, call) =>
      readApiKey(call, { workspaceId, keyId }).catch((error: unknown) => {
        if (isNotFound(error) && missing !== undefined) return missing;
        throw error;
      }),
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
  const what = `key named "${name}" in workspace ${workspaceId}`;
  return pickKeys(source, workspaceId, (all) =>
    single(
      what,
      name,
      all.filter(({ deleted }) => !deleted),
    ),
  );
}

export async function getScopes(
  source: Source,
  { workspaceId }: InWorkspace,
): Promise<{ scopes: ScopeRecord[] }> {
  expectIds({ workspaceId });
  const scopes = await ask(
    source,
    `Listing the scopes of workspace ${workspaceId}`,
    async (reads) => [...orThrow(await reads.scopes(workspaceId).fresh()).all],
    "Check workspaceId, and that the access token is allowed to list the scopes of the workspace.",
  );
  return { scopes };
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
    throw new Failure(
      `There is more than one ${what}: ${found.map(({ id }) => id).join(", ")}. Use its id instead.`,
    );
  }
  const some = all.map(({ id, name }) => (name === undefined ? id : `"${name}" (${id})`));
  const there = some.length === 0 ? "are none" : `${some.length === 1 ? "is" : "are"} ${listed(some)}`;
  throw new Failure(`No ${what} found; there ${there}.`);
}

/** Fails for ids that can't be part of a path, such as that of an unset variable. */
function expectIds(ids: Readonly<Record<string, unknown>>): void {
  for (const [name, id] of Object.entries(ids)) {
    const problem = typeof id === "string" ? pathProblem(id) : "is not a string";
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
  const call = { transport: source.transport(), credentials: found.credentials };
  const attempt = { doing, notDone: "", ...(advice && { advice }) };
  // A copy, because programs may change it and others may get the same answer.
  return structuredClone(await orFail(act(sharedReads(call), call), { setup: found }, attempt));
}
