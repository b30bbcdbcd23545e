import { type Answer, type Call, carryOut, cutList, findWorkspace, refuse, writeAnswer } from "./answer";
import { newId } from "./identity";
import {
  envelope,
  showBilling,
  showScope,
  showWorkspace,
  storedAddresses,
  storedDecimal,
  storedName,
  storedNumber,
  storedPrefix,
} from "./records";
import { putScope, scopesOf, workspacesOf } from "./store";
import type { StoredBilling, StoredScope, StoredWorkspace, WorkspaceChange } from "./types";
import type { Bodies } from "./validate";
import type { Variant } from "./variant";

/** Interface, 4.6. */
export function listWorkspaces({ store, variant, tenant }: Call): Answer {
  const present = store.lag.list(`workspaces of ${tenant}`, () => workspacesOf(store, tenant));
  const shown = cutList(present, variant).map((workspace) => {
    const previous = variant.listRecords === "stale" ? store.previous.get(workspace.id) : undefined;
    return showWorkspace((previous as StoredWorkspace | undefined) ?? workspace, variant);
  });
  return { status: 200, body: envelope("workspaces", shown, variant) };
}

/** Interface, 4.7. */
export function readWorkspace(call: Call): Answer {
  const found = findWorkspace(call, call.params[0]);
  if ("refusal" in found) return found.refusal;
  return {
    status: 200,
    body: envelope("workspace", showWorkspace(found.workspace, call.variant), call.variant),
  };
}

/** Interface, 4.8. */
export function editWorkspace(call: Call<Bodies["editWorkspace"]>): Answer {
  const { store, variant, tenant, params, body } = call;
  const found = findWorkspace(call, params[0]);
  if ("refusal" in found) return found.refusal;
  const { workspace } = found;
  const { id } = workspace;
  carryOut(call, `workspace ${id}`, () => {
    const current = store.workspaces.get(id);
    if (current === undefined) return;
    const base = variant.patchFields === "replaces" ? unset(current) : current;
    store.lag.beforeWrite(`workspaces of ${tenant}`, variant.listLag, () => workspacesOf(store, tenant));
    store.previous.set(id, current);
    store.workspaces.set(id, { ...base, ...stored(body, variant), updatedAt: new Date().toISOString() });
  });
  const shown = variant.patchAnswer === "before" ? workspace : (store.workspaces.get(id) ?? workspace);
  const answer = envelope("workspace", showWorkspace(shown, variant), variant);
  return writeAnswer(answer, variant.patchAnswer, variant);
}

/** Interface, 4.10. */
export function listScopes(call: Call): Answer {
  const { store, variant, params } = call;
  const found = findWorkspace(call, params[0]);
  if ("refusal" in found) return variant.otherTenant === "empty" ? scopesAnswer([], variant) : found.refusal;
  const { id } = found.workspace;
  return scopesAnswer(
    store.lag.list(`scopes of ${id}`, () => scopesOf(store, id)),
    variant,
  );
}

/** Interface, 4.11. */
export function createScope(call: Call<Bodies["createScope"]>): Answer {
  const { store, variant, params, body } = call;
  const found = findWorkspace(call, params[0]);
  if ("refusal" in found) return found.refusal;
  const workspaceId = found.workspace.id;
  const { representation } = body;
  const present = scopesOf(store, workspaceId).find((scope) => scope.representation === representation);
  if (present !== undefined && variant.duplicateScope === 409) {
    return refuse(409, "the workspace has a scope with this representation already");
  }
  if (present !== undefined && variant.duplicateScope === "returned") {
    return { status: 200, body: envelope("scope", showScope(present, variant), variant) };
  }
  const now = new Date().toISOString();
  const scope: StoredScope = {
    id: newId("sc", variant),
    workspaceId,
    name: storedName(body.name ?? representation, variant),
    representation,
    description: body.description,
    createdAt: now,
    updatedAt: now,
  };
  store.lag.beforeWrite(`scopes of ${workspaceId}`, variant.listLag, () => scopesOf(store, workspaceId));
  putScope(store, scope);
  const shown = envelope("scope", showScope(scope, variant), variant);
  return { status: variant.createStatus, carriedOut: true, body: shown };
}

/** Interface, 4.12. */
export function createBilling(call: Call<Bodies["createBilling"]>): Answer {
  const { store, variant, body } = call;
  const found = findWorkspace(call, body.workspaceId);
  if ("refusal" in found) return found.refusal;
  const now = new Date().toISOString();
  const billing: StoredBilling = {
    id: newId("bill", variant),
    workspaceId: body.workspaceId,
    totalCredits: storedDecimal(body.totalCredits, variant),
    usedCredits: storedDecimal("0", variant),
    allowOverages: body.allowOverages ?? false,
    spendCap: body.spendCap === undefined ? undefined : storedDecimal(body.spendCap, variant),
    externalMeterId: body.externalMeterId,
    createdAt: now,
    updatedAt: now,
  };
  store.billings.set(billing.id, billing);
  const shown = envelope("billing", showBilling(billing, variant), variant);
  return { status: variant.createStatus, carriedOut: true, body: shown };
}

function stored(body: Bodies["editWorkspace"], variant: Variant): WorkspaceChange {
  const result: WorkspaceChange = { ...body };
  if (body.defaultKeyPrefix !== undefined)
    result.defaultKeyPrefix = storedPrefix(body.defaultKeyPrefix, variant);
  if (body.defaultAllowedIPs) result.defaultAllowedIPs = storedAddresses(body.defaultAllowedIPs, variant);
  for (const field of ["defaultRateLimitPerSecond", "defaultExpiration"] as const) {
    if (body[field] !== undefined) result[field] = storedNumber(body[field], variant);
  }
  return result;
}

function unset(workspace: StoredWorkspace): StoredWorkspace {
  const { id, tenant, name, teamId, createdAt, updatedAt } = workspace;
  return { id, tenant, name, teamId, createdAt, updatedAt };
}

function scopesAnswer(scopes: readonly StoredScope[], variant: Variant): Answer {
  const shown = cutList(scopes, variant).map((scope) => showScope(scope, variant));
  return { status: 200, body: envelope("scopes", shown, variant) };
}
