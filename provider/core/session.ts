import { maskSecrets } from "../client/words";
import type { KindContext } from "./context";
import type { Session, Warn } from "./definition";
import { Failure } from "./errors";
import type { OnInterrupt } from "./run";
import { textsIn } from "./secrecy";
import { capitalised, inBounds, oneLine } from "./text";

/** The configuration is read only when a request is about to be sent, because some operations send none. */
export function openSession(
  context: KindContext,
  onInterrupt: OnInterrupt,
  warn: Warn = (message) => context.host.warn(message),
): Session {
  const { host, registry } = context;
  const { configuration, transport, tell, run } = host;
  const hidden = new Set<string>();
  const maskedInMessages = new Set<string>();
  const ready = () => {
    const found = configuration();
    if ("problems" in found) throw new Failure(found.problems.map(capitalised).join(" "));
    hidden.add(found.credentials.accessToken);
    return found;
  };
  let all: readonly string[] = [];
  const masked = (text: string) => {
    // One list for as long as nothing is added, because its spellings are cached with it.
    if (all.length !== hidden.size + maskedInMessages.size) all = [...hidden, ...maskedInMessages];
    return maskSecrets(text, all);
  };
  const line = (text: string) => inBounds(masked(oneLine(text)));
  return {
    warn: (message, about, general) => warn(line(message), about, general && line(general)),
    maskEverywhere: (...secrets) => {
      for (const secret of secrets) if (typeof secret === "string" && secret !== "") hidden.add(secret);
    },
    maskInMessages: (...values) => {
      for (const text of textsIn(values)) maskedInMessages.add(text);
    },
    registry,
    onInterrupt: (text) =>
      onInterrupt(text === undefined ? undefined : () => line(typeof text === "string" ? text : text())),
    closed: run.closed,
    over: run.over,
    whyClosed: run.whyClosed,
    pause: host.pause,
    tell: (text) => tell?.(line(text)),
    masked,
    now: host.now(),
    currentTime: host.currentTime,
    importKey: host.importKey ?? "import it",
    part: (name, warnOfPart) => openSession(context, (text) => onInterrupt(text, name), warnOfPart),
    get withoutKeyList() {
      return ready().withoutKeyList;
    },
    get call() {
      const { credentials } = ready();
      return {
        transport: transport(),
        credentials,
        secrets: [...hidden, ...maskedInMessages],
      };
    },
    get tokenAdvice() {
      return ready().tokenAdvice;
    },
    get baseUrlSource() {
      return ready().baseUrlSource;
    },
  };
}
