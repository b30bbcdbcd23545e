import { CallError } from "../../../provider/client/send";
import type { Properties } from "../../../provider/core/state";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { failureOf, type Options, replying } from "../replying";

export const inputs = { workspaceId: "ws_1", defaultKeyPrefix: "new", onDestroy: "restore" };
export const lost = new CallError("ambiguous", "the connection was cut");
export interface Workspace {
  held: Properties;
  /** The error that replaces the answer to requests of this method. */
  fault: { method: string; error: CallError; carriedOut?: boolean } | undefined;
  /** The operations of one provider process. */
  readonly settings: ReturnType<typeof replying>;
}

/** A workspace in memory, whose PATCH replaces. */
export function openWorkspace(parts?: Options): Workspace {
  const settings = replying(
    workspaceSettings,
    ({ method, body }) => {
      const { held, fault } = workspace;
      const failure = method === fault?.method ? fault : undefined;
      if (method === "PATCH" && (failure === undefined || failure.carriedOut))
        workspace.held = { name: held["name"], ...(body as object) };
      if (failure !== undefined) throw failure.error;
      return { workspace: { id: "ws_1", ...workspace.held } };
    },
    parts,
  );
  const workspace: Workspace = {
    held: { name: "Main", defaultKeyPrefix: "old" },
    fault: undefined,
    settings,
  };
  return workspace;
}

/** What the engine keeps after a failed operation. */
export async function kept(operation: Promise<unknown>) {
  const failure = await failureOf(operation);
  return { state: failure.kept?.state ?? {}, message: failure.message, kept: failure.kept !== undefined };
}
