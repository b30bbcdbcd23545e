import type { Answer } from "./answer";
import { type Shown, showBilling, showKey, showScope, showWorkspace } from "./render";
import type { Store } from "./store";
import type { Variant } from "./variant";

/** The same answer with a different record of the tenant or, if there is none, an invented one. */
export function withOtherRecord(answer: Answer, store: Store, variant: Variant, tenant: string): Answer {
  const body = answer.body as Record<string, Shown> | undefined;
  const isOwn = (workspaceId: string) => store.workspaces.get(workspaceId)?.tenant === tenant;
  for (const field of ["apiKey", "workspace", "scope", "billing"] as const) {
    const record = body?.[field];
    if (record === undefined) continue;
    const how = "key" in record ? "withSecret" : "alone";
    const candidates = {
      *apiKey() {
        for (const key of store.keys.values()) if (isOwn(key.workspaceId)) yield showKey(key, variant, how);
      },
      *workspace() {
        for (const workspace of store.workspaces.values()) {
          if (workspace.tenant === tenant) yield showWorkspace(workspace, variant);
        }
      },
      *scope() {
        for (const [workspaceId, scopes] of store.scopesOf) {
          if (isOwn(workspaceId)) for (const scope of scopes.values()) yield showScope(scope, variant);
        }
      },
      *billing() {
        for (const billing of store.billings.values()) {
          if (isOwn(billing.workspaceId)) yield showBilling(billing, variant);
        }
      },
    };
    return {
      ...answer,
      body: { ...body, [field]: firstOther(candidates[field](), record) ?? invent(record) },
    };
  }
  return answer;
}

function firstOther(candidates: Iterable<Shown>, record: Shown): Shown | undefined {
  for (const candidate of candidates) if (candidate["id"] !== record["id"]) return candidate;
  return undefined;
}

function invent(record: Shown): Shown {
  const id = record["id"];
  return { ...record, id: typeof id === "number" ? id + 1 : `${id}-other` };
}
