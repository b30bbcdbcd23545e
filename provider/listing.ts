import { importId } from "./core/importId";
import { getApiKeys, getScopes, getWorkspace, getWorkspaces, type Source } from "./functions";
import { hasSettings } from "./resources/workspaceSettings/properties";

/** Lists the objects of a kind, for tools that list before they import. */

export interface Listed {
  /** The id to import it by. */
  readonly id: string;
  readonly name: string | undefined;
}

/** A filter. */
interface Query {
  /** Default: all workspaces. */
  readonly workspaceId?: string | undefined;
  readonly customerId?: string | undefined;
  readonly enabled?: boolean | undefined;
}

interface Lister {
  /** The filters that it takes. */
  readonly query: { readonly [Name in keyof Query]: { readonly type: "string" | "boolean" } };
  list(source: Source, query: Query): Promise<readonly Listed[]>;
}

const [text, flag] = [{ type: "string" }, { type: "boolean" }] as const;

/** The service has no list of billing records. Sets and rotating keys exist only in state. */
export const listers: Readonly<Record<string, Lister>> = {
  ApiKey: {
    query: { workspaceId: text, customerId: text, enabled: flag },
    list: (source, { workspaceId, ...filter }) =>
      inEach(
        source,
        workspaceId,
        async (id) => (await getApiKeys(source, { workspaceId: id, ...filter })).apiKeys,
      ),
  },
  Scope: {
    query: { workspaceId: text },
    list: (source, { workspaceId }) =>
      inEach(source, workspaceId, async (id) => (await getScopes(source, { workspaceId: id })).scopes),
  },
  WorkspaceSettings: {
    query: { workspaceId: text },
    list: async (source, { workspaceId }) => {
      const ids = await workspacesOf(source, workspaceId);
      const records = await Promise.all(ids.map((id) => getWorkspace(source, { id })));
      return records.filter(hasSettings);
    },
  },
};

async function inEach(
  source: Source,
  workspaceId: string | undefined,
  find: (workspaceId: string) => Promise<readonly Listed[]>,
): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for (const id of await workspacesOf(source, workspaceId)) {
    for (const one of await find(id)) found.push({ id: importId(id, one.id), name: one.name });
  }
  return found;
}

async function workspacesOf(source: Source, workspaceId: string | undefined): Promise<readonly string[]> {
  return workspaceId === undefined
    ? (await getWorkspaces(source)).workspaces.map(({ id }) => id)
    : [workspaceId];
}
