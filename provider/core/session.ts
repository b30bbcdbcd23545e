import { maskSecrets } from "../client/secrets";
import type { Transport } from "../client/transport";
import type { Configured, Environment, Settings } from "./config";
import type { Declarations } from "./declarations";
import type { Session, Warn } from "./definition";
import { capitalised, Failure, inBounds, oneLine } from "./errors";
import { pause } from "./polling";
import type { Registry } from "./registry";
import type { OnInterrupt, Run } from "./run";
import { textsIn } from "./secrecy";

/** What the lifecycle gets from its host. */
export interface HostContext {
  readonly settings: Settings;
  readonly env: Environment;
  readonly transport: () => Transport;
  readonly warn: (message: string) => void;
  /** Shows a line of progress. Default: nobody sees it. */
  readonly tell?: (line: string) => void;
  /** Shows a line that a preview is read for. Default: as progress. */
  readonly note?: (line: string) => void;
  readonly run: Run;
  /** How an operation waits. Default: for as long as it says. */
  readonly pause?: (ms: number) => Promise<void>;
  /** What the resources of this process know of each other, by the kind of their objects. Default: nothing. */
  readonly shared?: (kind: string) => Shared;
  /** The time of this run, in ms since 1970. Default: that of each operation. */
  readonly now?: () => number;
  /** The time by now. Default: that of the run, if it is given. */
  readonly time?: () => number;
  /** How users of this host import an existing key, as an instruction: "import it with …". */
  readonly importKey?: string;
}

/** What the resources of one kind of object know of each other. */
export interface Shared {
  readonly registry: Registry;
  readonly declarations: Declarations;
}

/** The configuration is read only when a request is about to be sent: some operations send none. */
export function openSession(
  of: { readonly host: HostContext; readonly configured: () => Configured; readonly registry: Registry },
  onInterrupt: OnInterrupt,
  warn: Warn = (message) => of.host.warn(message),
): Session {
  const { host, configured, registry } = of;
  const { transport, tell, run } = host;
  const hidden = new Set<string>();
  const concealed = new Set<string>();
  const ready = () => {
    const found = configured();
    if ("problems" in found) throw new Failure(found.problems.map(capitalised).join(" "));
    hidden.add(found.ready.credentials.accessToken);
    return found.ready;
  };
  let all: readonly string[] = [];
  const masked = (text: string) => {
    // The same list while nothing is added to it: its spellings are found once.
    if (all.length !== hidden.size + concealed.size) all = [...hidden, ...concealed];
    return maskSecrets(text, all);
  };
  const line = (text: string) => inBounds(masked(oneLine(text)));
  return {
    warn: (message, about, general) => warn(line(message), about, general && line(general)),
    hide: (...secrets) => {
      for (const secret of secrets) if (typeof secret === "string" && secret !== "") hidden.add(secret);
    },
    conceal: (...values) => {
      for (const text of textsIn(values)) concealed.add(text);
    },
    registry,
    onInterrupt: (text) =>
      onInterrupt(text === undefined ? undefined : () => line(typeof text === "string" ? text : text())),
    closed: run.closed,
    signal: run.signal,
    closing: run.closing,
    pause: host.pause ?? ((ms) => pause(ms, run.signal)),
    tell: (text) => tell?.(line(text)),
    masked,
    now: host.now?.() ?? Date.now(),
    time: host.time ?? host.now ?? Date.now,
    importKey: host.importKey ?? "import it",
    part: (name, heard) => openSession(of, (text) => onInterrupt(text, name), heard),
    get parallel() {
      return ready().parallel;
    },
    get withoutKeyList() {
      return ready().withoutKeyList;
    },
    get call() {
      const { credentials } = ready();
      return { transport: transport(), credentials, secrets: [...hidden], concealed: [...concealed] };
    },
    get tokenAdvice() {
      return ready().tokenAdvice;
    },
    get baseUrlSource() {
      return ready().baseUrlSource;
    },
  };
}
