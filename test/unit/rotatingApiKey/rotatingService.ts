import { expect } from "vitest";
import { rotatingApiKey } from "../../../provider/resources/rotatingApiKey";
import { type Asked, failureOf, idIn, type Options, refused, replying } from "../replying";

const dayMs = 86_400_000;
/** The time at which each test begins. */
const start = Date.UTC(2026, 0, 1);
export const declared = { workspaceId: "ws_1", customerId: "c", name: "ci", rotateEvery: "90d" };

export interface Kept {
  readonly id: string;
  readonly state: Readonly<Record<string, unknown>>;
}
export type Inputs = Readonly<Record<string, unknown>>;
type Key = Record<string, unknown>;

const masked = ({ key: _, ...shown }: Key = {}) => shown;
/** A day of the test, as state has it. */
export const iso = (day: number) => new Date(start + day * dayMs).toISOString();

/** A rotating key, with a service and a clock of its own. `spoil` may throw, or return another answer. */
export function rotating(
  spoil: (asked: Asked, answer: () => unknown) => unknown = (_, answer) => answer(),
  options: Options = {},
) {
  const live = new Map<string, Key>();
  const gone: string[] = [];
  let made = 0;
  let now = start;
  const answer = (asked: Asked): unknown => {
    const { method, body } = asked;
    const id = idIn(asked);
    if (method === "GET" && id === "ws_1") return { workspace: { id } };
    if (method === "GET" && id === "api-key") return { apiKeys: Array.from(live.values(), masked) };
    if (method !== "POST" && !live.has(id)) throw refused(404);
    if (method === "GET") return { apiKey: masked(live.get(id)) };
    if (method === "DELETE") {
      gone.push(id);
      live.delete(id);
      return { apiKey: { id, deleted: true } };
    }
    made += method === "POST" ? 1 : 0;
    const own = method === "PATCH" ? id : `key_${made}`;
    const old = live.get(own);
    const record = {
      enabled: true,
      key: `sk_${own}`,
      maskedKey: `…${own}`,
      createdAt: "2026",
      ...old,
      ...(body as object),
      id: own,
    };
    live.set(own, record);
    return { apiKey: method === "POST" ? record : masked(record) };
  };
  const open = () =>
    replying(rotatingApiKey, (asked) => spoil(asked, () => answer(asked)), { ...options, now: () => now });
  const resource = open();
  const check = (inputs: Inputs, before?: Inputs) => {
    const checked = resource.check(inputs, before);
    expect(checked.failures).toEqual([]);
    return checked.inputs;
  };
  return {
    ...resource,
    live,
    gone,
    /** Sets the clock to this day of the test. */
    at: (day: number) => {
      now = start + day * dayMs;
    },
    /** Creates from inputs that `check` has returned. */
    createChecked: resource.create,
    create: (inputs: Inputs = declared): Promise<Kept> => resource.create(check(inputs)),
    /** An update as the engine runs it, in a new provider process: a diff, and then an update if there are changes. */
    up: async ({ id, state }: Kept, inputs: Inputs = declared): Promise<Kept> => {
      const run = open();
      try {
        const checked = run.check(inputs, inputs).inputs;
        const { changes, replaces } = run.diff(id, state, checked);
        expect(replaces).toEqual([]);
        return changes === false ? { id, state } : { id, state: await run.update(id, state, checked) };
      } finally {
        for (const told of ["calls", "warnings", "progress"] as const) {
          (resource[told] as unknown[]).push(...run[told]);
        }
      }
    },
    /** Whether a preview shows no changes. */
    isQuiet: ({ id, state }: Kept, inputs: Inputs = declared) =>
      resource.diff(id, state, check(inputs, inputs)).changes === false,
    failed: async (write: Promise<Kept>): Promise<Kept & { readonly message: string }> => {
      const { kept, message } = await failureOf(write);
      if (kept === undefined) throw new Error(`the failure has no state: ${message}`);
      return { ...kept, message };
    },
    /** The requests since the last call of this, without reads. */
    writes: (): readonly string[] =>
      resource.calls.splice(0).flatMap((asked) => {
        if (asked.method === "GET") return [];
        return [asked.method === "POST" ? "POST" : `${asked.method} ${idIn(asked)}`];
      }),
    /** The lines that previews and updates printed since the last call of this. */
    told: () => resource.progress.splice(0),
  };
}

/** A rotating key on a service that a test can spoil at any time. */
export function spoilable(options?: Options) {
  const trouble: { spoil?: (asked: Asked, answer: () => unknown) => unknown } = {};
  const ci = rotating((asked, answer) => (trouble.spoil ?? ((_, usual) => usual()))(asked, answer), options);
  return Object.assign(ci, {
    /** Spoils the next request that `isIt`. */
    once: (isIt: (asked: Asked) => boolean, spoilt: (answer: () => unknown) => unknown) => {
      trouble.spoil = (asked, answer) => {
        if (!isIt(asked)) return answer();
        delete trouble.spoil;
        return spoilt(answer);
      };
    },
    always: (isIt: (asked: Asked) => boolean, spoilt: (answer: () => unknown) => unknown) => {
      trouble.spoil = (asked, answer) => (isIt(asked) ? spoilt(answer) : answer());
    },
    /** The service refuses each request that `isIt`. */
    refuse: (isIt: (asked: Asked) => boolean, status?: number) => {
      trouble.spoil = (asked, answer) => {
        if (isIt(asked)) throw refused(status);
        return answer();
      };
    },
    mend: () => delete trouble.spoil,
  });
}
export const asks = (method: string, id?: string) => (asked: Asked) =>
  asked.method === method && (id === undefined || idIn(asked) === id);

/** A rotating key after its rotation on day 90. */
export async function openRotated(inputs: Inputs = declared, options?: Options) {
  const ci = spoilable(options);
  const first = await ci.create(inputs);
  ci.at(90);
  const kept = await ci.up(first, inputs);
  ci.writes();
  ci.told();
  return { ci, kept };
}

/** A rotating key whose rotation on day 90 failed, because the answer to its POST was spoilt. */
export async function openFailedRotation(
  spoilt: (answer: () => unknown) => unknown,
  inputs: Inputs = declared,
) {
  const ci = spoilable();
  const first = await ci.create(inputs);
  ci.at(90);
  ci.once(asks("POST"), spoilt);
  const failed = await ci.failed(ci.up(first, inputs));
  ci.writes();
  ci.told();
  return { ci, failed };
}
