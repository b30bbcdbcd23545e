import { expect } from "vitest";
import { CallError } from "../../provider/client/callError";
import { rotatingApiKey } from "../../provider/resources/rotatingApiKey";
import { type Asked, failureOf, idIn, replying } from "./replying";

export const dayMs = 86_400_000;
/** When each test begins. */
export const start = Date.UTC(2026, 0, 1);
export const declared = { workspaceId: "ws_1", customerId: "c", name: "ci", rotateEvery: "90d" };

export interface Kept {
  readonly id: string;
  readonly state: Readonly<Record<string, unknown>>;
}
export type Inputs = Readonly<Record<string, unknown>>;
type Key = Record<string, unknown>;

const masked = ({ key: _, ...shown }: Key = {}) => shown;
const refused = (status: number) => new CallError("refused", `the service answered ${status}`, status);

/** A service of keys and a clock, and a rotating key on both. `spoil` may throw, or give another answer. */
export function rotating(spoil: (asked: Asked, answer: () => unknown) => unknown = (_, answer) => answer()) {
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
      ...old,
      ...(body as object),
      id: own,
    };
    live.set(own, record);
    return { apiKey: method === "POST" ? record : masked(record) };
  };
  const resource = replying(rotatingApiKey, (asked) => spoil(asked, () => answer(asked)), { now: () => now });
  const check = (inputs: Inputs, before?: Inputs) => {
    const checked = resource.check(inputs, before);
    expect(checked.failures).toEqual([]);
    return checked.inputs;
  };
  return {
    ...resource,
    live,
    gone,
    /** The clock shows this day of the test. */
    at: (day: number) => {
      now = start + day * dayMs;
    },
    create: (inputs: Inputs = declared): Promise<Kept> => resource.create(check(inputs)),
    /** What the engine does with a program: it asks for a diff, and updates if there is one. */
    up: async ({ id, state }: Kept, inputs: Inputs = declared): Promise<Kept> => {
      const checked = check(inputs, check(inputs));
      const { changes, replaces } = resource.diff(id, state, checked);
      expect(replaces).toEqual([]);
      return changes === false ? { id, state } : { id, state: await resource.update(id, state, checked) };
    },
    /** Whether a preview shows nothing to do. */
    isQuiet: ({ id, state }: Kept, inputs: Inputs = declared) =>
      resource.diff(id, state, check(inputs, check(inputs))).changes === false,
    failed: async (write: Promise<Kept>): Promise<Kept & { readonly message: string }> => {
      const { kept, message } = await failureOf(write);
      if (kept === undefined) throw new Error(`state holds nothing: ${message}`);
      return { ...kept, message };
    },
    /** What was sent since the last look, without reads. */
    writes: (): readonly string[] =>
      resource.calls.splice(0).flatMap((asked) => {
        if (asked.method === "GET") return [];
        return [asked.method === "POST" ? "POST" : `${asked.method} ${idIn(asked)}`];
      }),
    /** The lines that previews and updates told since the last look. */
    told: () => resource.progress.splice(0),
  };
}
