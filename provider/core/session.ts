import { maskSecrets } from "../client/secrets";
import type { Session, Warn } from "./definition";
import { capitalised, Failure, inBounds, oneLine } from "./errors";
import type { Kind } from "./kind";
import { pause } from "./polling";
import type { OnInterrupt } from "./run";
import { textsIn } from "./secrecy";

/** The configuration is read only when a request is about to be sent, because some operations send none. */
export function openSession(
  kind: Kind,
  onInterrupt: OnInterrupt,
  warn: Warn = (message) => kind.host.warn(message),
): Session {
  const { host, configured, registry } = kind;
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
    // One list for as long as nothing is added, because its spellings are cached with it.
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
    now: kind.now(),
    time: host.time ?? host.now ?? Date.now,
    importKey: host.importKey ?? "import it",
    part: (name, warnOfPart) => openSession(kind, (text) => onInterrupt(text, name), warnOfPart),
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
