/** The scopes that a workspace defines: their records (interface, section 2) and calls (4.10 and 4.11). */

import { type Call, get, limits, type Written, write } from "./call";
import { type Decode, identifier, mirroredText, record, requiredList, requiredText, text } from "./fields";
import { apiPath } from "./paths";
import { reader } from "./reading";
import type { WorkspacePath } from "./workspaces";

/** A scope that a workspace defines (interface, section 2). `undefined` stands for absent, null and "". */
export interface ScopeRecord {
  readonly id: string;
  readonly name: string | undefined;
  readonly representation: string;
  readonly description: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** Body of 4.11. */
export interface CreateScope {
  readonly name: string;
  readonly representation: string;
  readonly description: string;
}

const scope: Decode<ScopeRecord> = record({
  id: identifier,
  name: text,
  representation: requiredText,
  description: text,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

export const scopeAnswer = record({ scope });

const newScope = reader(scopeAnswer, (answer) => answer.scope);
const scopes = reader(record({ scopes: requiredList(scope) }), (answer) => answer.scopes);

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
  return write(call, { method: "POST", path, policy: "unsent", body }, newScope);
}
