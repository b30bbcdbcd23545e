import { type Answer, refuse, writeAnswer } from "./answer";
import { type Call, carryOut, cutList, findWorkspace } from "./call";
import type { Dialect } from "./dialect";
import { newId } from "./identity";
import { storedAddresses, storedDecimal, storedName, storedNumber, storedPrefix } from "./normalise";
import { envelope, showBilling, showScope, showWorkspace } from "./render";
import { putScope, scopesOf, workspacesOf } from "./store";
import type { StoredBilling, StoredScope, StoredWorkspace, WorkspaceChange } from "./types";
import type { Bodies } from "./validate";

/** Interface, 4.6. */
export function listWorkspaces({ store, dialect, tenant }: Call): Answer {
  const present = store.lag.list(`workspaces of ${tenant}`, () => workspacesOf(store, tenant));
  const shown = cutList(present, dialect).map((workspace) => {
    const previous = dialect.listRecords === "stale" ? store.previous.get(workspace.id) : undefined;
    return showWorkspace((previous as StoredWorkspace | undefined) ?? workspace, dialect);
  });
  return { status: 200, body: envelope("workspaces", shown, dialect) };
}

/** Interface, 4.7. */
export function readWorkspace(call: Call): Answer {
  const found = findWorkspace(call, call.params[0]);
  if ("refusal" in found) return found.refusal;
  return {
    status: 200,
    body: envelope("workspace", showWorkspace(found.workspace, call.dialect), call.dialect),
  };
}

/** Interface, 4.8. */
export function editWorkspace(call: Call<Bodies["editWorkspace"]>): Answer {
  const { store, dialect, tenant, params, body } = call;
  const found = findWorkspace(call, params[0]);
  if ("refusal" in found) return found.refusal;
  const { workspace } = found;
  const { id } = workspace;
  carryOut(call, `workspace ${id}`, () => {
    const current = store.workspaces.get(id);
    if (current === undefined) return;
    const base = dialect.patchFields === "replaces" ? unset(current) : current;
    store.lag.beforeWrite(`workspaces of ${tenant}`, dialect.listLag, () => workspacesOf(store, tenant));
    store.previous.set(id, current);
    store.workspaces.set(id, { ...base, ...stored(body, dialect), updatedAt: new Date().toISOString() });
  });
  const shown = dialect.patchAnswer === "before" ? workspace : (store.workspaces.get(id) ?? workspace);
  const answer = envelope("workspace", showWorkspace(shown, dialect), dialect);
  return writeAnswer(answer, dialect.patchAnswer, dialect);
}

/** Interface, 4.10. */
export function listScopes(call: Call): Answer {
  const { store, dialect, params } = call;
  const found = findWorkspace(call, params[0]);
  if ("refusal" in found) return dialect.otherTenant === "empty" ? scopesAnswer([], dialect) : found.refusal;
  const { id } = found.workspace;
  return scopesAnswer(
    store.lag.list(`scopes of ${id}`, () => scopesOf(store, id)),
    dialect,
  );
}

/** Interface, 4.11. */
export function createScope(call: Call<Bodies["createScope"]>): Answer {
  const { store, dialect, params, body } = call;
  const found = findWorkspace(call, params[0]);
  if ("refusal" in found) return found.refusal;
  const workspaceId = found.workspace.id;
  const { representation } = body;
  const present = scopesOf(store, workspaceId).find((scope) => scope.representation === representation);
  if (present !== undefined && dialect.duplicateScope === 409) {
    return refuse(409, "the workspace has a scope with this representation already");
  }
  if (present !== undefined && dialect.duplicateScope === "returned") {
    return { status: 200, body: envelope("scope", showScope(present, dialect), dialect) };
  }
  const now = new Date().toISOString();
  const scope: StoredScope = {
    id: newId("sc", dialect),
    workspaceId,
    name: storedName(body.name ?? representation, dialect),
    representation,
    description: body.description,
    createdAt: now,
    updatedAt: now,
  };
  store.lag.beforeWrite(`scopes of ${workspaceId}`, dialect.listLag, () => scopesOf(store, workspaceId));
  putScope(store, scope);
  const shown = envelope("scope", showScope(scope, dialect), dialect);
  return { status: dialect.createStatus, carriedOut: true, body: shown };
}

/** Interface, 4.12. */
export function createBilling(call: Call<Bodies["createBilling"]>): Answer {
  const { store, dialect, body } = call;
  const found = findWorkspace(call, body.workspaceId);
  if ("refusal" in found) return found.refusal;
  const now = new Date().toISOString();
  const billing: StoredBilling = {
    id: newId("bill", dialect),
    workspaceId: body.workspaceId,
    totalCredits: storedDecimal(body.totalCredits, dialect),
    usedCredits: storedDecimal("0", dialect),
    allowOverages: body.allowOverages ?? false,
    spendCap: body.spendCap === undefined ? undefined : storedDecimal(body.spendCap, dialect),
    externalMeterId: body.externalMeterId,
    createdAt: now,
    updatedAt: now,
  };
  store.billings.set(billing.id, billing);
  const shown = envelope("billing", showBilling(billing, dialect), dialect);
  return { status: dialect.createStatus, carriedOut: true, body: shown };
}

function stored(body: Bodies["editWorkspace"], dialect: Dialect): WorkspaceChange {
  const result: WorkspaceChange = { ...body };
  if (body.defaultKeyPrefix !== undefined)
    result.defaultKeyPrefix = storedPrefix(body.defaultKeyPrefix, dialect);
  if (body.defaultAllowedIPs) result.defaultAllowedIPs = storedAddresses(body.defaultAllowedIPs, dialect);
  for (const field of ["defaultRateLimitPerSecond", "defaultExpiration"] as const) {
    if (body[field] !== undefined) result[field] = storedNumber(body[field], dialect);
  }
  return result;
}

function unset(workspace: StoredWorkspace): StoredWorkspace {
  const { id, tenant, name, teamId, createdAt, updatedAt } = workspace;
  return { id, tenant, name, teamId, createdAt, updatedAt };
}

function scopesAnswer(scopes: readonly StoredScope[], dialect: Dialect): Answer {
  const shown = cutList(scopes, dialect).map((scope) => showScope(scope, dialect));
  return { status: 200, body: envelope("scopes", shown, dialect) };
}
