import { isDeepStrictEqual } from "node:util";
import { type Fault, type LoggedRequest, type StandIn, startStandIn, type Variant } from "../../standin";
import type { StartActor } from "../../tools/campaign/actor";
import { type Command, openControl, preview, refresh, type Site, up } from "../../tools/campaign/engineModel";
import { idsIn } from "../../tools/campaign/heldKeys";
import { isAbout } from "../../tools/campaign/reading";
import type { Declared, Properties } from "../../tools/campaign/schedule";
import type { Entry, StackState } from "../../tools/campaign/trace";

/** The life of one rotating key on a simulated clock. After each request, an observer checks the keys in the service. */
export interface LifeOptions {
  /** What runs each command. */
  readonly start: StartActor;
  readonly variant?: Partial<Variant>;
  readonly workspaceId?: string;
  readonly inputs?: Properties;
  /** The days on which there is a preview and an update. Default: a year, with a clock that is sometimes wrong. */
  readonly days?: readonly number[];
  /** The fault in the update that rotates or retires for the nth time, counted from 0. */
  readonly trouble?: (turn: Turn, nth: number) => Trouble | undefined;
  /** What else happens before the commands of a day. */
  readonly onDay?: (nth: number, scene: Scene) => void;
}

type Turn = "rotates" | "retires";

interface Trouble {
  readonly fault: Fault;
  /** The first request of the update that gets the fault, counted from 1, and how many get it. */
  readonly request: number;
  readonly times: number;
}

export interface Scene {
  readonly standIn: StandIn;
  readonly state: Properties;
  /** Changes inputs of the program from now on. */
  declare(inputs: Properties): void;
}

export interface Life {
  readonly rotations: number;
  readonly retirements: number;
  /** How many updates failed, and how many requests met a fault. */
  readonly red: number;
  readonly faults: number;
  /** The greatest age of a current key, in days. */
  readonly oldest: number;
  /** What must never happen. */
  readonly findings: readonly string[];
}

const dayMs = 86_400_000;
const accessToken = "token-of-the-year";
const customerId = "cus_year";
const nothing: StackState = { entries: [] };
/** How often a failed update is repeated. */
const repetitions = 4;

/** Every day and a half. Sometimes the machine's clock is some days behind, or at its very beginning. */
const wholeYear: readonly number[] = Array.from({ length: 244 }, (_, n) => {
  if (n % 41 === 17) return -20_000;
  return n * 1.5 - (n % 13 === 7 ? 4 : 0);
});

export async function live(options: LifeOptions): Promise<Life> {
  const { start, variant = {}, workspaceId = "ws_main", days = wholeYear, trouble } = options;
  // If the service can't list keys, the user has to say so, or no key would ever count as gone (R6).
  const env: Readonly<Record<string, string>> =
    (variant.keyLists ?? "answered") === "answered" ? {} : { APIKEYS_NO_KEY_LIST: "true" };
  const findings: string[] = [];
  const counts = { rotates: 0, retires: 0, red: 0, faults: 0, oldest: 0 };
  let handedOut: readonly string[] = [];
  let state = nothing;
  let day = 0;
  let latest = 0;
  let place = "";
  const find = (what: string) => findings.push(`day ${day}, ${place}: ${what}`);
  const standIn = await startStandIn({
    variant,
    tenants: [{ name: "acme", accessToken, workspaces: [{ id: workspaceId }, { id: "ws stays" }] }],
    onRequest: observe,
  });
  for (const representation of ["orders", "users"]) standIn.addScope({ workspaceId, representation });
  let inputs: Properties = {
    ...{ workspaceId, customerId, name: "ci", rotateEvery: "30d", overlap: "7d" },
    scopes: [{ representation: "orders", read: true }],
    ...options.inputs,
  };
  const program = (): readonly Declared[] => [{ name: "ci", kind: "RotatingApiKey", inputs }];
  const output = (name: string) => state.entries[0]?.state[name] as string | undefined;

  function liveKeys() {
    return standIn.keys({ deleted: false }).filter((key) => key.customerId === customerId);
  }

  function observe({ n, method, endpoint, fault }: LoggedRequest): void {
    const keys = liveKeys();
    const after = `after request ${n}, ${method} ${endpoint} ${fault ?? ""}`;
    if (keys.length > 2) find(`there are ${keys.length} keys ${after}`);
    const works = handedOut.some((id) => keys.some((key) => key.id === id && key.enabled));
    if (handedOut.length > 0 && !works) find(`no key works ${after}`);
  }

  /** One command in a new process, and its warnings. */
  async function acting<T>(act: (site: Site) => Promise<T>): Promise<{ result: T; warnings: string }> {
    const actor = await start({ url: standIn.url, accessToken, aheadMs: day * dayMs, env });
    const site: Site = {
      ...{ actor, control: openControl(), parallel: false, living: () => [] },
      requests: () => standIn.requests.length,
    };
    const result = await act(site);
    await actor.stop();
    await standIn.settled();
    return { result, warnings: actor.warnings() };
  }

  const previewed = () => acting((site) => preview(site, state, program()));

  /** An update, which must create and delete only what the preview before it announced. */
  async function upAsAnnounced(note: string, fault?: Trouble): Promise<Command> {
    standIn.clearFaults();
    if (fault !== undefined) standIn.inject({ ...fault, after: fault.request - 1 });
    const from = standIn.requests.length;
    const { result, warnings } = await acting((site) => up(site, state, program()));
    standIn.clearFaults();
    const asked = standIn.requests.slice(from);
    counts.faults += asked.filter((request) => request.fault !== undefined).length;
    for (const problem of problemsIn(asked, note, state, Date.now() + day * dayMs))
      find(`${problem}: ${JSON.stringify(note)}`);
    state = result.after;
    const messages = [warnings, ...result.operations.map(({ message }) => message)].join("\n");
    if (/defect|bug in pulumi-apikeys/.test(messages)) find(messages);
    if (result.green) handedOut = idsOf(state.entries[0]);
    else clearUp(messages);
    return result;
  }

  /** Deletes the keys that an error names, as a user would, or may have left if keys can't be listed. */
  function clearUp(messages: string): void {
    counts.red += 1;
    const known = new Set(state.entries.flatMap(idsIn));
    for (const { id } of liveKeys().filter((key) => !known.has(key.id))) {
      if (!messages.includes(id) && !/list|may /i.test(messages)) {
        find(`${id} exists, but is neither in state nor in a message: ${messages}`);
      }
      standIn.deleteKey(id);
    }
  }

  /** The service's clock doesn't move, so its records are made older instead. */
  function age(byDays: number): void {
    const older = (time: string) => new Date(Date.parse(time) - byDays * dayMs).toISOString();
    for (const { id, createdAt, updatedAt } of standIn.keys()) {
      standIn.editKey(id, { createdAt: older(createdAt), updatedAt: older(updatedAt) });
    }
  }

  async function liveThroughADay(): Promise<void> {
    counts.oldest = Math.max(counts.oldest, ageOf(state.entries[0], day * dayMs));
    for (let step = 1; ; step += 1) {
      const before = { current: output("keyId"), previous: output("previousKeyId") };
      place = "preview";
      const { result: changed, warnings } = await previewed();
      if (step > 1 && changed.length === 0) return;
      // A rotation may have waited for a retirement.
      if (step > 3) return void find(`there is still something to do: ${warnings}`);
      const turn = turnIn(warnings);
      const fault = turn === undefined ? undefined : trouble?.(turn, counts[turn]);
      place = `up${fault === undefined ? "" : ` with ${JSON.stringify(fault)}`}`;
      let ran = await upAsAnnounced(warnings, fault);
      for (let repetition = 1; !ran.green && repetition <= repetitions; repetition += 1) {
        place = `${place}, again`;
        if (ran.operations.some(({ message }) => message.includes("pulumi up --refresh"))) await refreshed();
        ran = await upAsAnnounced((await previewed()).warnings);
      }
      if (!ran.green)
        return void find(
          `every repetition fails: ${ran.operations.map(({ message }) => message).join("\n")}`,
        );
      const { current, previous } = before;
      if (current !== undefined && output("keyId") !== current) counts.rotates += 1;
      if (previous !== undefined && output("previousKeyId") !== previous) counts.retires += 1;
      if (changed.length === 0) return;
    }
  }

  async function refreshed(): Promise<void> {
    place = "refresh";
    const from = standIn.requests.length;
    const { result } = await acting((site) => refresh(site, state));
    if (standIn.requests.slice(from).some(({ method }) => method !== "GET")) find("it writes");
    if (!result.green) find("it fails");
    state = result.after;
  }

  async function expectQuiet(): Promise<void> {
    const shown = () => state.entries.map((entry) => [idsOf(entry), entry.inputs]);
    const before = shown();
    await refreshed();
    if (!isDeepStrictEqual(before, shown())) find("it shows a change");
  }

  const scene: Scene = {
    standIn,
    get state() {
      return state.entries[0]?.state ?? {};
    },
    declare(changed) {
      inputs = { ...inputs, ...changed };
    },
  };
  try {
    for (const [nth, one] of days.entries()) {
      if (one > latest) age(one - latest);
      latest = Math.max(latest, one);
      day = one;
      options.onDay?.(nth, scene);
      await liveThroughADay();
      if (nth % 10 === 4) await expectQuiet();
    }
    if (output("key") === undefined) find("it ends without a key");
    const { rotates: rotations, retires: retirements, ...rest } = counts;
    return { rotations, retirements, ...rest, findings };
  } finally {
    await standIn.close();
  }
}

function idsOf(entry: Entry | undefined): readonly string[] {
  const ids = [entry?.state["keyId"], entry?.state["previousKeyId"]];
  return ids.filter((id) => typeof id === "string");
}

function ageOf(entry: Entry | undefined, aheadMs: number): number {
  const rotatedAt = entry?.state["rotatedAt"];
  return typeof rotatedAt === "string" ? (Date.now() + aheadMs - Date.parse(rotatedAt)) / dayMs : 0;
}

/** What a preview announces. */
function turnIn(note: string): Turn | undefined {
  if (/a new key will be created/.test(note)) return "rotates";
  return /will be deleted/.test(note) ? "retires" : undefined;
}

/** Creations and deletions that the preview did not announce, and a rotation and a retirement in one update. */
function problemsIn(
  asked: readonly LoggedRequest[],
  note: string,
  { entries }: StackState,
  now: number,
): readonly string[] {
  const isMade = asked.some(({ endpoint, carriedOut }) => endpoint === "createApiKey" && carriedOut);
  const deleted = asked.filter(({ endpoint }) => endpoint === "deleteApiKey");
  const isTold = (request: LoggedRequest) =>
    entries.flatMap(idsIn).some((id) => isAbout(request, id) && note.includes(id));
  const previous = entries[0]?.state["previousKeyId"] as string | undefined;
  const isRetired = previous !== undefined && deleted.some((request) => isAbout(request, previous));
  const isOver = now >= Date.parse(String(entries[0]?.state["retiresAt"]));
  return [
    ...(isRetired && !isOver ? ["a key is deleted before retiresAt"] : []),
    ...(isMade && entries.length > 0 && turnIn(note) !== "rotates"
      ? ["a key is created without a preview"]
      : []),
    ...(deleted.every(isTold) ? [] : ["a key is deleted without a preview"]),
    ...(isMade && isRetired ? ["it rotates and retires in one update"] : []),
  ];
}
