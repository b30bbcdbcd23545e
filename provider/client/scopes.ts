/** The scopes that a workspace defines: their records (interface, section 2) and calls (4.10 and 4.11). */

import { type Call, get, limits, send, type Written } from "./call";
import { identifier, mirroredText, record, requiredText, text } from "./fields";
import { apiPath } from "./paths";
import { listReader, reader } from "./reading";
import type { WorkspacePath } from "./workspaces";

/** Body of 4.11. */
export interface CreateScope {
  readonly name: string;
  readonly representation: string;
  readonly description: string;
}

export const scope = record({
  id: identifier,
  name: text,
  representation: requiredText,
  description: text,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

/** A scope that a workspace defines. */
export type ScopeRecord = ReturnType<typeof scope>;

const newScope = reader("scope", scope);
const scopes = listReader("scopes", scope);

/** 4.10. */
export async function listScopes(
  call: Call,
  { workspaceId }: WorkspacePath,
): Promise<readonly ScopeRecord[]> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}/scopes`, scopes, limits.list);
}

/** 4.11. Repeated only if it was not sent, or was answered with 429. */
export async function createScope(
  call: Call,
  { workspaceId }: WorkspacePath,
  body: CreateScope,
): Promise<Written<ScopeRecord>> {
  const path = apiPath`/api/v1/workspace/${workspaceId}/scope`;
  return send(call, { method: "POST", path, policy: "unsent", body }, newScope);
}
