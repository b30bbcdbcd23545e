import type { ExistingKey } from "./program";
import {
  eachBounded,
  Failure,
  getApiKeys,
  getWorkspace,
  hasOutput,
  type Instance,
  type Properties,
} from "./provider";

/** Which keys to adopt. */
export interface Wanted {
  readonly workspaceId: string;
  /** Default: all customers. */
  readonly customerId: string | undefined;
  /** None: all keys in the workspace's list. */
  readonly keyIds: readonly string[];
  readonly except: ReadonlySet<string>;
}

/**
 * Reads the keys. Their list only gives the ids, because it may be truncated, brief or out of date. Each key is then read as
 * an import reads it.
 */
export async function existingKeys(
  instance: Instance,
  wanted: Wanted,
  tell: (line: string) => void,
): Promise<readonly ExistingKey[]> {
  const { workspaceId, customerId, keyIds, except } = wanted;
  const ids = keyIds.length > 0 ? [...new Set(keyIds)] : await listed(instance, wanted, tell);
  const unmanaged = ids.filter((id) => !except.has(id));
  if (unmanaged.length < ids.length)
    tell(`Left out because a stack manages them: ${ids.length - unmanaged.length}.`);
  const keys: ExistingKey[] = [];
  let hasFailed = false;
  const { keysAtOnce } = instance.source().configuration();
  await eachBounded(keysAtOnce, unmanaged, async (id) => {
    if (hasFailed) return;
    const key = await read(instance, workspaceId, id);
    if (key !== undefined) keys.push(key);
    else if (keyIds.length === 0) tell(`Left out because it was deleted: ${id}.`);
    else throw new Failure("notFound", `There is no key ${id} in workspace ${workspaceId}: check both ids.`);
  }).finally(() => {
    hasFailed = true;
  });
  const chosen = keys.filter((key) => customerId === undefined || key.customerId === customerId);
  const others = keys.length - chosen.length;
  if (others > 0)
    tell(`Left out because the service does not show that they belong to ${customerId}: ${others}.`);
  return chosen.sort((a, b) => compare(a.name ?? "", b.name ?? "") || compare(a.id, b.id));
}

async function listed(
  instance: Instance,
  { workspaceId, customerId }: Wanted,
  tell: (line: string) => void,
): Promise<readonly string[]> {
  const { apiKeys } = await getApiKeys(instance.source(), { workspaceId }).catch((error: unknown) => {
    tell("If the access token is not allowed to list keys, name each key with --key-id.");
    throw error;
  });
  // Some services answer with an empty list for a workspace that does not exist.
  if (apiKeys.length === 0) await getWorkspace(instance.source(), { id: workspaceId });
  tell(`Keys in the list of workspace ${workspaceId}: ${apiKeys.length}.`);
  // A brief list doesn't show the customer.
  const wanted = apiKeys.filter(
    (key) => customerId === undefined || [undefined, customerId].includes(key.customerId),
  );
  const others = apiKeys.length - wanted.length;
  if (others > 0) tell(`Left out because they belong to other customers: ${others}.`);
  return [...new Set(wanted.map(({ id }) => id))];
}

/** Reads a key as an import does; `undefined` if it no longer exists. */
async function read(instance: Instance, workspaceId: string, id: string): Promise<ExistingKey | undefined> {
  const apiKey = instance.resource("ApiKey");
  const found = await apiKey.find({ id, given: { workspaceId }, isGet: false });
  if (found === undefined) return undefined;
  // The inputs are in canonical form, so they have these types.
  const { workspaceId: _, name, customerId, scopes = [], enabled, ...rest } = found.inputs as Inputs;
  const others = enabled === true ? rest : { enabled, ...rest };
  return { id, name: name && hasOutput(name) ? undefined : name, customerId, scopes, others };
}

type Inputs = Partial<Omit<ExistingKey, "id" | "others">> & Properties;

const { compare } = new Intl.Collator("en");
