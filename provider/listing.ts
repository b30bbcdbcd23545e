/** Lists what can be imported, for `pulumi do … list`. */
import { Failure } from "./core/errors";
import { importId } from "./core/text";
import { getApiKeys, getScopes, getWorkspace, getWorkspaces, type Source } from "./functions";

interface Listed {
  readonly id: string;
  readonly name: string | undefined;
}

/** In one workspace. The service has no list of billing records. Sets and rotating keys exist only in state. */
const listers: Readonly<Record<string, (source: Source, workspaceId: string) => Promise<readonly Listed[]>>> =
  {
    ApiKey: async (source, workspaceId) =>
      (await getApiKeys(source, { workspaceId })).apiKeys.map(withImportId(workspaceId)),
    Scope: async (source, workspaceId) =>
      (await getScopes(source, { workspaceId })).scopes.map(withImportId(workspaceId)),
    WorkspaceSettings: async (source, id) => [await getWorkspace(source, { id })],
  };

export const listedKinds = Object.keys(listers);

export async function list(source: Source, kind: string, workspaceId?: unknown): Promise<readonly Listed[]> {
  const find = Object.hasOwn(listers, kind) ? listers[kind] : undefined;
  if (find === undefined) {
    throw new Failure("unsupported", `${kind} can't be listed: the service has no call for that.`);
  }
  if (typeof workspaceId === "string") return find(source, workspaceId);
  const { workspaces } = await getWorkspaces(source);
  return (await Promise.all(workspaces.map(({ id }) => find(source, id)))).flat();
}

function withImportId(workspaceId: string) {
  return ({ id, name }: Listed): Listed => ({ id: importId(workspaceId, id), name });
}
