import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallError } from "../../../provider/client/send";
import { Failure } from "../../../provider/core/errors";
import { definitions } from "../../../provider/resources";
import { runs } from "../../all";
import { anything, bag, expectFit, expectWireable, usualOf } from "../bagArbitraries";
import { type Asked, idIn, replying, wrappersOf } from "../replying";

vi.setConfig({ testTimeout: 30_000 });

/** Records in answers: each has some of these fields, and any other fields. */
const record = bag({
  ...{ name: "ci", enabled: true, scopes: [{ id: "s", representation: "docs", read: true }], deleted: false },
  ...{ representation: "docs", defaultRateLimitPerSecond: 1, defaultAllowedIPs: [], createdAt: "2026-01-01" },
});

/** The answer to all requests of an operation: a record of each kind, or something else. */
const answers = fc.oneof(
  { weight: 4, arbitrary: record.map((fields) => ({ ...fields, id: "id_1" })) },
  { weight: 1, arbitrary: anything },
  { weight: 1, arbitrary: fc.constantFrom(400, 403, 404, 410, 500) },
);
interface Service {
  readonly answer: unknown;
  /** Whether it carries out what it is asked. Its answers then have what was written. */
  readonly applies: boolean;
}
const services: fc.Arbitrary<Service> = fc.record({ answer: answers, applies: fc.boolean() });

function reply({ answer, applies }: Service): (asked: Asked) => unknown {
  const written = new Map<string, object>();
  return (asked) => {
    const { method, path, body } = asked;
    if (typeof answer === "number" && answer >= 400 && answer < 600) {
      throw new CallError(answer === 500 ? "ambiguous" : "refused", `the service answered ${answer}`, answer);
    }
    const workspaceId = decodeURIComponent(path.split("/")[4] ?? "");
    const { one, many } = wrappersOf(asked);
    if (!applies) {
      const workspace = { ...(answer as object), id: workspaceId };
      return { [one]: answer, billing: answer, workspace, ...(method === "GET" && { [many]: [answer] }) };
    }
    const id = method === "POST" ? `new_${written.size}` : decodeURIComponent(idIn(asked));
    const before = written.get(id) ?? (answer as object);
    const own = { POST: { key: "sk_new", createdAt: undefined }, DELETE: { deleted: true } }[method];
    const now = { ...before, ...own, ...(body as object), id };
    const lists = { [many]: [...written.values()] };
    if (method !== "GET") written.set(id, now);
    return { [one]: now, billing: now, workspace: now, ...(method === "GET" ? lists : {}) };
  };
}

/** The operation ends with a result that the host can send, or with a Failure that is fit to be shown. */
async function isAnswered(operation: Promise<object | undefined>): Promise<boolean> {
  try {
    const { state, inputs, ...rest } = { state: {}, inputs: {}, ...(await operation) };
    for (const properties of [state, inputs, rest]) expectWireable(properties);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expectFit(error.message);
    if (error.kept === undefined) return false;
    expect(typeof error.kept.id).toBe("string");
    expectWireable(error.kept.state);
    return false;
  }
}

type Values = Readonly<Record<string, unknown>>;
type Operate = (
  on: ReturnType<typeof replying>,
  state: Values,
  declared: Values,
) => Promise<object | undefined>;

const operations: Readonly<Record<string, Operate>> = {
  read: ({ read }, state) => read("id_1", state),
  update: async ({ update }, state, declared) => ({ state: await update("id_1", state, declared) }),
  delete: async ({ delete: remove }, state) => (await remove("id_1", state)) as undefined,
  create: ({ create }, _state, declared) => create(declared),
};

beforeEach(() => {
  // Skips the pauses before a scope is looked for again.
  const soon = <A extends unknown[]>(run: (...given: A) => void, _ms: number, ...given: A) =>
    setImmediate(run, ...given);
  vi.stubGlobal("setTimeout", soon);
});
afterEach(() => void vi.unstubAllGlobals());

const each = Object.entries(definitions).flatMap(([kind, definition]) =>
  Object.entries(operations).map(([name, operate]) => ({ name, kind, definition, operate })),
);

test.each(each)(
  "R16 $name of $kind ends with a valid result or a readable error, with any state and any answers",
  async ({ kind, definition, operate }) => {
    const usual = usualOf(kind);
    let results = 0;
    const property = fc.asyncProperty(bag(usual), services, async (state, service) => {
      const subject = replying(definition, reply(service));
      results += (await isAnswered(operate(subject, state, usual))) ? 1 : 0;
      expectFit(...subject.warnings);
    });
    await fc.assert(property, { seed: 7, numRuns: runs(400) });
    expect(results).toBeGreaterThan(0);
  },
);
