/** The id by which an object of a workspace is imported. A slash in the workspace's id is written as %2F. */
export function importId(workspaceId: string, id: string): string {
  return `${workspaceId.replaceAll("/", "%2F")}/${id}`;
}

/** The ids of the workspace and the object; `undefined` if the id does not have that form. */
export function partsOfImportId(given: string): readonly [workspaceId: string, id: string] | undefined {
  const [, workspaceId = "", id = ""] = /^([^/]+)\/(.+)$/s.exec(given) ?? [];
  return id === "" ? undefined : [workspaceId.replaceAll("%2F", "/"), id];
}
