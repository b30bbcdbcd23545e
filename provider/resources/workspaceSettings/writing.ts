import { type EditWorkspace, editWorkspace, readWorkspace, type WorkspaceRecord } from "../../client/service";
import { type Aim, converge, type Say, type Settled, saying, settledAs } from "../../core/converge";
import type { Session } from "../../core/definition";
import { isSecret } from "../../core/secrecy";
import { type Properties, same } from "../../core/state";
import { declaredIn, observe, type Setting, type Settings, sendable, settings } from "./properties";

/** Writes settings until the workspace is seen to have them (R4, W1). */

export interface Writing {
  readonly workspaceId: string;
  /** The target values of the workspace. Everything else stays as it was read. */
  readonly target: Settings;
  /** Settings that don't change: they may stay as the service rewrote them. */
  readonly unchanged?: readonly Setting[];
  /** Former values to restore: a GET must show exactly these (W5). */
  readonly restored?: readonly Setting[];
  /** Settings to write even if the workspace seems to have the value: the read may be older than the last write. */
  readonly doubted?: readonly Setting[];
  /** Properties that may mark a setting as secret: messages then don't show its value. */
  readonly secrecies: readonly Properties[];
}

/**
 * Writes the target values. The PATCH repeats settings that are not declared, so that it means the same whether the
 * service merges or replaces; a warning names one of these that changes nevertheless. Sends nothing if the workspace has the
 * values already (W1, W2).
 */
export async function write(
  session: Session,
  { workspaceId, target, unchanged = [], restored = [], doubted = [], secrecies }: Writing,
  before: WorkspaceRecord,
): Promise<Settled<WorkspaceRecord>> {
  const wanted = declaredIn(target);
  const old = observe(before);
  const isDone = (field: Setting) =>
    !doubted.includes(field) && same(field, target[field.name], old[field.name]);
  if (wanted.every(isDone)) return settledAs(before);
  const others = settings.filter((field) => !wanted.includes(field));
  const kept = sendable(others, before);
  // A service may refuse an empty list, even if that is what it has.
  const { defaultAllowedIPs: addresses = [], ...rest } = kept;
  const body: EditWorkspace = { ...(addresses.length > 0 ? kept : rest), ...target };
  const aims = [
    ...wanted
      .filter((field) => !unchanged.includes(field))
      .map((field): Aim => {
        const isRestored = restored.includes(field);
        return { field, value: target[field.name], exact: isRestored, ...(isRestored && { kept: true }) };
      }),
    ...others.map((field): Aim => ({ field, value: old[field.name], exact: false, kept: true })),
  ];
  const read = () => readWorkspace(session.call, { workspaceId });
  return converge(session, {
    waitingFor: `workspace ${workspaceId} to show the change`,
    last: before,
    isEdit: true,
    fields: settings,
    observe,
    aims,
    body: (attempt) => (attempt > 1 ? undefined : body),
    send: (sent) => editWorkspace(session.call, { workspaceId }, sent),
    // Restored values must be seen in a read (W5).
    isShown: (answer) =>
      restored.length === 0 && settings.every(({ name }) => !(name in body) || answer[name] !== undefined),
    read,
    explainMissing: read,
    say: sayingOf(secrecies),
  });
}

export function sayingOf(secrecies: readonly Properties[]): Say {
  return saying(
    (field) => secrecies.some((one) => isSecret(one, field)),
    (_field, value) => {
      if (Array.isArray(value)) return value.length === 0 ? "no addresses" : value.join(", ");
      return value === undefined ? "none" : typeof value === "string" ? `"${value}"` : String(value);
    },
  );
}
