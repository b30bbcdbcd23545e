import { maskSecrets } from "../client/secrets";
import type { Transport } from "../client/transport";
import type { Configured, Environment, Settings } from "./config";
import type { Session, Warn } from "./definition";
import { Failure, inBounds, oneLine } from "./errors";
import { capitalised } from "./outcome";
import { pause } from "./polling";
import type { Known } from "./registry";
import type { Leaves, Run } from "./run";
import { textsIn } from "./secrecy";

/** What a door gives the lifecycle. */
export interface Surroundings {
  readonly settings: Settings;
  readonly env: Environment;
  readonly transport: () => Transport;
  readonly warn: (message: string) => void;
  /** Shows a line of progress. Default: nobody sees it. */
  readonly tell?: (line: string) => void;
  readonly run: Run;
  /** How an operation waits. Default: for as long as it says. */
  readonly pause?: (ms: number) => Promise<void>;
  /** What this process has met, by the kind of object, so that resources of other kinds know of it. Default: only its own. */
  readonly known?: (kind: string) => Known;
}

/** The configuration is looked at when a request is to be made, and not before: some operations make none. */
export function openSession(
  surroundings: Surroundings,
  configured: () => Configured,
  known: Known,
  leaves: Leaves,
  warn: Warn = (message) => surroundings.warn(message),
): Session {
  const { transport, tell, run } = surroundings;
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
  return {
    warn: (message, about) => warn(inBounds(masked(oneLine(message))), about),
    hide: (...secrets) => {
      for (const secret of secrets) if (typeof secret === "string" && secret !== "") hidden.add(secret);
    },
    conceal: (...values) => {
      for (const text of textsIn(values)) {
        concealed.add(text);
        known.conceal(text);
      }
    },
    known,
    leaves: (line, of) => leaves(line === undefined ? undefined : () => inBounds(masked(oneLine(line))), of),
    signal: run.signal,
    over: run.over,
    pause: surroundings.pause ?? ((ms) => pause(ms, run.signal)),
    tell: (line) => tell?.(inBounds(masked(oneLine(line)))),
    masked,
    part: (name, heard) => openSession(surroundings, configured, known, (line) => leaves(line, name), heard),
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
  };
}
