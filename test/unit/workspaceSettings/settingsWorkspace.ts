import { CallError } from "../../../provider/client/send";
import type { Properties } from "../../../provider/core/state";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { failureOf, type Options, replying } from "../replying";

export const inputs = { workspaceId: "ws_1", defaultKeyPrefix: "new", onDestroy: "restore" };
export const lost = new CallError("ambiguous", "the connection was cut");

/** How a service treats a PATCH. */
interface Habits {
  /** Default: it replaces. */
  readonly patch?: "merges" | "replaces";
  /** Its answer: the settings after it, before it, or as they were sent, nothing, or a page. Default: after. */
  readonly answer?: "after" | "before" | "echo" | "nothing" | "page";
  /** How many GETs after it still show the settings before it. Default: none. */
  readonly lag?: number;
  /** Turns its fields into what the service stores. */
  readonly take?: (asked: Properties, before: Properties) => Properties;
}

export interface Workspace {
  held: Properties;
  habits: Habits;
  /** The error that replaces the answer to requests of this method. */
  fault: { method: string; error: CallError; carriedOut?: boolean } | undefined;
  /** The operations of one provider process. */
  readonly settings: ReturnType<typeof replying>;
  /** The bodies of the PATCHes so far. */
  readonly bodies: () => readonly unknown[];
  readonly methods: () => string;
}

/** A workspace in memory. */
export function openWorkspace(parts?: Options): Workspace {
  let past = { shown: {}, left: 0 };
  const settings = replying(
    workspaceSettings,
    ({ method, body }) => {
      const { held: before, habits, fault } = workspace;
      const { patch = "replaces", answer = "after", lag = 0, take = (asked) => asked } = habits;
      const shown = (settings: Properties) => ({ workspace: { id: "ws_1", ...settings } });
      const failure = method === fault?.method ? fault : undefined;
      if (method === "PATCH" && (failure === undefined || failure.carriedOut)) {
        const kept = patch === "merges" ? before : { name: before["name"] };
        workspace.held = { ...kept, ...take(body as Properties, before) };
        past = { shown: before, left: lag };
      }
      if (failure !== undefined) throw failure.error;
      if (method === "GET" && past.left > 0) {
        past.left -= 1;
        return shown(past.shown);
      }
      if (method === "GET" || answer === "after") return shown(workspace.held);
      if (answer === "nothing") return "";
      if (answer === "page") return "<html>Sign in</html>";
      return shown(answer === "before" ? before : { ...before, ...(body as Properties) });
    },
    parts,
  );
  const workspace: Workspace = {
    held: { name: "Main", defaultKeyPrefix: "old" },
    habits: {},
    fault: undefined,
    settings,
    bodies: () => settings.calls.flatMap(({ body }) => (body === undefined ? [] : [body])),
    methods: () => settings.calls.map(({ method }) => method).join(" "),
  };
  return workspace;
}

/** Expects the operation to fail, and returns the state that the engine keeps. */
export async function kept(operation: Promise<unknown>) {
  const failure = await failureOf(operation);
  return { state: failure.kept?.state ?? {}, message: failure.message, kept: failure.kept !== undefined };
}
