/** Workspaces: their records (interface, section 2) and calls (4.6 to 4.8). */

import { type Call, get, limits, only, send, type Written } from "./call";
import { identifier, list, mirroredText, number, record, requiredText, text } from "./fields";
import { apiPath } from "./paths";
import { listReader, reader } from "./reading";

export interface WorkspacePath {
  readonly workspaceId: string;
}

/** Body of 4.8. */
export interface EditWorkspace {
  readonly defaultKeyPrefix?: string | undefined;
  readonly defaultAllowedIPs?: readonly string[] | undefined;
  readonly defaultRateLimitPerSecond?: number | undefined;
  readonly defaultExpiration?: number | undefined;
}

export const workspace = record({
  id: identifier,
  name: mirroredText,
  teamId: mirroredText,
  defaultKeyPrefix: text,
  defaultAllowedIPs: list(requiredText),
  defaultRateLimitPerSecond: number,
  defaultExpiration: number,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

export type WorkspaceRecord = ReturnType<typeof workspace>;

const workspaceOf = (workspaceId: string) => reader("workspace", workspace, only(workspaceId, "workspace"));
const workspaces = listReader("workspaces", workspace);

/** 4.6. */
export async function listWorkspaces(call: Call): Promise<readonly WorkspaceRecord[]> {
  return get(call, apiPath`/api/v1/workspace`, workspaces, limits.list);
}

/** 4.7. */
export async function readWorkspace(call: Call, { workspaceId }: WorkspacePath): Promise<WorkspaceRecord> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}`, workspaceOf(workspaceId));
}

/** 4.8. Repeated when it may not have arrived: its fields are target values. */
export async function editWorkspace(
  call: Call,
  { workspaceId }: WorkspacePath,
  body: EditWorkspace,
): Promise<Written<WorkspaceRecord>> {
  const path = apiPath`/api/v1/workspace/${workspaceId}`;
  return send(call, { method: "PATCH", path, policy: "always", body }, workspaceOf(workspaceId));
}
