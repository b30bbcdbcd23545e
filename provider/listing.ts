import { getApiKeys, getScopes, getWorkspaces, type Source } from "./functions";

/** What there is of each kind in the service, for tools that list before they import. */

/** One that exists, by the id that an import takes. */
interface Listed {
  readonly id: string;
  readonly name: string | undefined;
}

/** Which of them are wanted. */
export interface Query {
  /** Default: those of all workspaces. */
  readonly workspaceId?: string | undefined;
  readonly customerId?: string | undefined;
  readonly enabled?: boolean | undefined;
}

type Lister = (source: Source, query: Query) => Promise<readonly Listed[]>;

/** The service has no list of billing records, and a set of keys exists in state alone. */
export const listers: Readonly<Record<string, Lister>> = {
  ApiKey: (source, { workspaceId, ...filter }) =>
    inEach(
      source,
      workspaceId,
      async (id) => (await getApiKeys(source, { workspaceId: id, ...filter })).apiKeys,
    ),
  Scope: (source, { workspaceId }) =>
    inEach(source, workspaceId, async (id) => (await getScopes(source, { workspaceId: id })).scopes),
  WorkspaceSettings: async (source, { workspaceId }) => {
    const { workspaces } = await getWorkspaces(source);
    return workspaces.filter(({ id }) => workspaceId === undefined || id === workspaceId);
  },
};

async function inEach(
  source: Source,
  workspaceId: string | undefined,
  find: (workspaceId: string) => Promise<readonly Listed[]>,
): Promise<readonly Listed[]> {
  const ids =
    workspaceId === undefined ? (await getWorkspaces(source)).workspaces.map(({ id }) => id) : [workspaceId];
  const found: Listed[] = [];
  for (const id of ids) {
    for (const one of await find(id)) found.push({ id: `${id}/${one.id}`, name: one.name });
  }
  return found;
}
