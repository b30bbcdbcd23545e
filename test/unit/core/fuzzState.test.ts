import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "../../../provider/client/callError";
import type { AnyDefinition } from "../../../provider/core/definition";
import { Failure } from "../../../provider/core/errors";
import { definitions } from "../../../provider/resources";
import { runs } from "../../all";
import { anything, bag, expectFit, expectWireable, likely } from "../bagArbitraries";
import { type Asked, replying } from "../replying";

vi.setConfig({ testTimeout: 30_000 });

/** Records in answers: each has some of these fields, and any other fields. */
const record = bag({
  ...{ name: "ci", enabled: true, scopes: [{ id: "s", representation: "docs", read: true }], deleted: false },
  ...{ representation: "docs", defaultRateLimitPerSecond: 1, defaultAllowedIPs: [], createdAt: "2026-01-01" },
});

/** One answer for all requests of an operation: a record of each kind, or something else. */
const answers = fc.oneof(
  { weight: 4, arbitrary: record.map((fields) => ({ ...fields, id: "id_1" })) },
  { weight: 1, arbitrary: anything },
  { weight: 1, arbitrary: fc.constantFrom(400, 403, 404, 410, 500) },
);

function reply(answer: unknown): (asked: Asked) => unknown {
  return ({ method, path }) => {
    if (typeof answer === "number" && answer >= 400 && answer < 600) {
      throw new CallError(answer === 500 ? "ambiguous" : "refused", `the service answered ${answer}`, answer);
    }
    const workspace = { ...(answer as object), id: decodeURIComponent(path.split("/")[4] ?? "") };
    const lists = { apiKeys: [answer], scopes: [answer], workspaces: [answer] };
    return { apiKey: answer, scope: answer, billing: answer, workspace, ...(method === "GET" ? lists : {}) };
  };
}

/** The operation ends with a result that the host can send, or with a Failure that is fit to be shown. */
async function expectAnswered(operation: () => Promise<unknown>): Promise<void> {
  try {
    const { state, inputs, ...rest } = { state: {}, inputs: {}, ...((await operation()) as object) };
    for (const properties of [state, inputs, rest]) expectWireable(properties);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expectFit(error.message);
    if (error.kept === undefined) return;
    expect(typeof error.kept.id).toBe("string");
    expectWireable(error.kept.state);
  }
}

const open = (definition: AnyDefinition, answer: unknown) => {
  const operations = replying(definition, reply(answer));
  return { ...operations, warned: () => expectFit(...operations.warnings) };
};

describe.each(Object.entries(definitions))(
  "with any state of %s and any answers of the service,",
  (kind, definition) => {
    const states = bag(likely[kind]);
    const declared = likely[kind] as Readonly<Record<string, unknown>>;
    beforeEach(() => {
      // Skips the pauses before a scope is looked for again.
      const soon = <A extends unknown[]>(run: (...given: A) => void, _ms: number, ...given: A) =>
        setImmediate(run, ...given);
      vi.stubGlobal("setTimeout", soon);
    });
    afterEach(() => {
      vi.unstubAllGlobals();
    });

    test("read ends with a valid result or a readable error", async () => {
      const property = fc.asyncProperty(states, answers, async (state, answer) => {
        const { read, warned } = open(definition, answer);
        await expectAnswered(() => read("id_1", state));
        warned();
      });
      await fc.assert(property, { seed: 7, numRuns: runs(400) });
    });

    test("update ends with a valid result or a readable error", async () => {
      const property = fc.asyncProperty(states, answers, async (state, answer) => {
        const { update, warned } = open(definition, answer);
        await expectAnswered(async () => ({ state: await update("id_1", state, declared) }));
        warned();
      });
      await fc.assert(property, { seed: 8, numRuns: runs(400) });
    });

    test("delete ends with a valid result or a readable error", async () => {
      const property = fc.asyncProperty(states, answers, async (state, answer) => {
        const operations = open(definition, answer);
        await expectAnswered(async () => {
          await operations.delete("id_1", state);
        });
        operations.warned();
      });
      await fc.assert(property, { seed: 9, numRuns: runs(400) });
    });

    test("create ends with a valid result or a readable error", async () => {
      const property = fc.asyncProperty(answers, async (answer) => {
        const { create, warned } = open(definition, answer);
        await expectAnswered(() => create(declared));
        warned();
      });
      await fc.assert(property, { seed: 10, numRuns: runs(400) });
    });
  },
);
