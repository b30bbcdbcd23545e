import {
  type Answer,
  type Call,
  carryOut,
  findWorkspace,
  isListHidden,
  Refusal,
  writeAnswer,
} from "./answer";
import { newId } from "./identity";
import {
  envelope,
  type Kind,
  listAnswer,
  show,
  storedAddresses,
  storedDecimal,
  storedName,
  storedPrefix,
} from "./records";
import type { StoredBilling, StoredScope, StoredWorkspace, WorkspaceChange } from "./types";
import type { Bodies } from "./validate";
import type { Variant } from "./variant";

/** Interface, 4.6. */
export function listWorkspaces(call: Call): Answer {
  const { store, variant, tenant } = call;
  const present = store.lag.list(`workspaces of ${tenant}`, () => store.workspacesOf(tenant));
  const showWorkspace = (workspace: StoredWorkspace) => {
    const previous = variant.listRecords === "stale" ? store.previous.get(workspace.id) : undefined;
    return show("workspace", previous ?? workspace, variant);
  };
  return listAnswer(call, "workspace", present, showWorkspace);
}

/** Interface, 4.7. */
export function readWorkspace(call: Call): Answer {
  return { status: 200, body: shown("workspace", findWorkspace(call, call.params[0]), call.variant) };
}

/** Interface, 4.8. */
export function editWorkspace(call: Call<Bodies["editWorkspace"]>): Answer {
  const { store, variant, tenant, params, body } = call;
  const workspace = findWorkspace(call, params[0]);
  const { id } = workspace;
  carryOut(call, () => {
    const current = store.workspaces.get(id);
    if (current === undefined) return;
    const base = variant.patchFields === "replaces" ? unset(current) : current;
    store.lag.beforeWrite(`workspaces of ${tenant}`, variant.listLag, () => store.workspacesOf(tenant));
    store.previous.set(id, current);
    store.workspaces.set(id, { ...base, ...stored(body, variant), updatedAt: new Date().toISOString() });
  });
  const answered = variant.patchAnswer === "before" ? workspace : (store.workspaces.get(id) ?? workspace);
  return writeAnswer(shown("workspace", answered, variant), variant.patchAnswer, variant);
}

/** Interface, 4.10. */
export function listScopes(call: Call): Answer {
  const { store, variant, params } = call;
  const [id = ""] = params;
  const present = isListHidden(call, id) ? [] : store.lag.list(`scopes of ${id}`, () => store.scopesOf(id));
  const showScope = (scope: StoredScope) => show("scope", scope, variant);
  return listAnswer(call, "scope", present, showScope);
}

/** Interface, 4.11. */
export function createScope(call: Call<Bodies["createScope"]>): Answer {
  const { store, variant, params, body } = call;
  const workspaceId = findWorkspace(call, params[0]).id;
  const { name, representation, description } = body;
  const present = store.scopesOf(workspaceId).find((scope) => scope.representation === representation);
  if (present !== undefined && variant.duplicateScope === 409)
    throw new Refusal(409, "the workspace has a scope with this representation already");
  if (present !== undefined && variant.duplicateScope === "returned")
    return { status: 200, body: shown("scope", present, variant) };
  const now = new Date().toISOString();
  const scope: StoredScope = {
    ...{ id: newId("sc", variant), workspaceId, createdAt: now, updatedAt: now },
    ...{ name: storedName(name, variant), representation, description },
  };
  store.lag.beforeWrite(`scopes of ${workspaceId}`, variant.listLag, () => store.scopesOf(workspaceId));
  store.scopes.set(scope.id, scope);
  return { status: variant.createStatus, carriedOut: true, body: shown("scope", scope, variant) };
}

/** Interface, 4.12. */
export function createBilling(call: Call<Bodies["createBilling"]>): Answer {
  const { store, variant, body } = call;
  findWorkspace(call, body.workspaceId);
  const now = new Date().toISOString();
  const billing: StoredBilling = {
    ...{ id: newId("bill", variant), allowOverages: false, createdAt: now, updatedAt: now },
    ...body,
    totalCredits: storedDecimal(body.totalCredits, variant),
    usedCredits: storedDecimal("0", variant),
    spendCap: body.spendCap === undefined ? undefined : storedDecimal(body.spendCap, variant),
  };
  store.billings.set(billing.id, billing);
  return { status: variant.createStatus, carriedOut: true, body: shown("billing", billing, variant) };
}

function shown(kind: Kind, record: object, variant: Variant) {
  return envelope(kind, show(kind, record, variant), variant);
}

function stored(body: Bodies["editWorkspace"], variant: Variant): WorkspaceChange {
  const result: WorkspaceChange = { ...body };
  if (body.defaultKeyPrefix !== undefined)
    result.defaultKeyPrefix = storedPrefix(body.defaultKeyPrefix, variant);
  if (body.defaultAllowedIPs) result.defaultAllowedIPs = storedAddresses(body.defaultAllowedIPs, variant);
  return result;
}

function unset(workspace: StoredWorkspace): StoredWorkspace {
  const { id, tenant, name, teamId, createdAt, updatedAt } = workspace;
  return { id, tenant, name, teamId, createdAt, updatedAt };
}
