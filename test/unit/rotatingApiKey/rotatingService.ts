import { expect } from "vitest";
import { rotatingApiKey } from "../../../provider/resources/rotatingApiKey";
import { asks, type Key, keyService } from "../keyService";
import { failureOf, idIn, type Options, replying } from "../replying";

const dayMs = 86_400_000;
/** The time at which each test begins. */
const start = Date.UTC(2026, 0, 1);
export const declared = { workspaceId: "ws_1", customerId: "c", name: "ci", rotateEvery: "90d" };

export interface Kept {
  readonly id: string;
  readonly state: Readonly<Record<string, unknown>>;
}
export type Inputs = Readonly<Record<string, unknown>>;

/** A day of the test, as state has it. */
export const iso = (day: number) => new Date(start + day * dayMs).toISOString();

/** A rotating key, with a service and a clock of its own. */
export function rotating(options: Options = {}) {
  const service = keyService();
  let now = start;
  const open = () => replying(rotatingApiKey, service.reply, { ...options, now: () => now });
  const resource = open();
  const check = (inputs: Inputs, before?: Inputs) => {
    const checked = resource.check(inputs, before);
    expect(checked.failures).toEqual([]);
    return checked.inputs;
  };
  return {
    ...resource,
    ...service,
    /** Sets the clock to this day of the test. */
    at: (day: number) => {
      now = start + day * dayMs;
    },
    /** Gives the key in the service these values. */
    edit: (id: string, values: Key) => void Object.assign(service.live.get(id) ?? {}, values),
    create: (inputs: Inputs = declared): Promise<Kept> => resource.create(check(inputs)),
    /** An update as the engine runs it, in a new provider process: a diff, and then an update if there are changes. */
    up: async ({ id, state }: Kept, inputs: Inputs = declared): Promise<Kept> => {
      const run = open();
      try {
        const checked = run.check(inputs, inputs, undefined, { state }).inputs;
        const { changes, replaces } = run.diff(id, state, checked, "ci");
        expect(replaces).toEqual([]);
        return changes === false ? { id, state } : { id, state: await run.update(id, state, checked) };
      } finally {
        for (const told of ["calls", "warnings", "notes"] as const) {
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
    told: () => resource.notes.splice(0),
  };
}

/** A rotating key on the day when it is due. */
async function openDue(inputs: Inputs, day = 90, ofFirst: Key = {}) {
  const ci = rotating();
  const first = await ci.create(inputs);
  ci.edit("key_1", ofFirst);
  ci.at(day);
  return { ci, first };
}

/** A rotating key after its rotation on this day. `ofFirst`: what the service has of its first key. */
export async function openRotated(inputs: Inputs = declared, day = 90, ofFirst: Key = {}) {
  const { ci, first } = await openDue(inputs, day, ofFirst);
  const kept = await ci.up(first, inputs);
  ci.writes();
  ci.told();
  return { ci, kept };
}

/** A rotating key whose rotation on day 90 failed, because the answer to its POST was spoilt. */
export async function openFailedRotation(spoilt: (answer: () => unknown) => unknown) {
  const { ci, first } = await openDue(declared);
  ci.once(asks("POST"), spoilt);
  const failed = await ci.failed(ci.up(first));
  ci.writes();
  ci.told();
  return { ci, failed };
}
