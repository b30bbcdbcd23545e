import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "../../../provider/client/send";
import type { AnyDefinition } from "../../../provider/core/definition";
import { Failure } from "../../../provider/core/errors";
import { definitions } from "../../../provider/resources";
import { runs } from "../../all";
import { anything, bag, expectFit, expectWireable, likely } from "../bagArbitraries";
import { type Asked, idIn, replying } from "../replying";

vi.setConfig({ testTimeout: 30_000 });

/** Records in answers: each has some of these fields, and any other fields. */
const record = bag({
  ...{ name: "ci", enabled: true, scopes: [{ id: "s", representation: "docs", read: true }], deleted: false },
  ...{ representation: "docs", defaultRateLimitPerSecond: 1, defaultAllowedIPs: [], createdAt: "2026-01-01" },
});

/** What a service answers to all requests of an operation: a record of each kind, or something else. */
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
    if (!applies) {
      const workspace = { ...(answer as object), id: workspaceId };
      const lists = { apiKeys: [answer], scopes: [answer], workspaces: [answer] };
      return {
        apiKey: answer,
        scope: answer,
        billing: answer,
        workspace,
        ...(method === "GET" ? lists : {}),
      };
    }
    const id = method === "POST" ? `new_${written.size}` : decodeURIComponent(idIn(asked));
    const before = written.get(id) ?? (answer as object);
    const own = { POST: { key: "sk_new", createdAt: undefined }, DELETE: { deleted: true } }[method];
    const now = { ...before, ...own, ...(body as object), id };
    const lists = { apiKeys: [...written.values()], scopes: [...written.values()] };
    if (method !== "GET") written.set(id, now);
    return { apiKey: now, scope: now, billing: now, workspace: now, ...(method === "GET" ? lists : {}) };
  };
}

/** Operations that each end with a result that the host can send, or with a Failure that is fit to be shown. */
function answering() {
  let results = 0;
  return {
    /** How many ended with a result. */
    results: () => results,
    async expectAnswered(operation: () => Promise<unknown>): Promise<void> {
      try {
        const { state, inputs, ...rest } = { state: {}, inputs: {}, ...((await operation()) as object) };
        for (const properties of [state, inputs, rest]) expectWireable(properties);
        results += 1;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        expectFit(error.message);
        if (error.kept === undefined) return;
        expect(typeof error.kept.id).toBe("string");
        expectWireable(error.kept.state);
      }
    },
  };
}

const open = (definition: AnyDefinition, service: Service) => {
  const operations = replying(definition, reply(service));
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
      const { expectAnswered, results } = answering();
      const property = fc.asyncProperty(states, services, async (state, service) => {
        const { read, warned } = open(definition, service);
        await expectAnswered(() => read("id_1", state));
        warned();
      });
      await fc.assert(property, { seed: 7, numRuns: runs(400) });
      expect(results()).toBeGreaterThan(0);
    });

    test("update ends with a valid result or a readable error", async () => {
      const { expectAnswered, results } = answering();
      const property = fc.asyncProperty(states, services, async (state, service) => {
        const { update, warned } = open(definition, service);
        await expectAnswered(async () => ({ state: await update("id_1", state, declared) }));
        warned();
      });
      await fc.assert(property, { seed: 8, numRuns: runs(400) });
      expect(results()).toBeGreaterThan(0);
    });

    test("delete ends with a valid result or a readable error", async () => {
      const { expectAnswered, results } = answering();
      const property = fc.asyncProperty(states, services, async (state, service) => {
        const operations = open(definition, service);
        await expectAnswered(async () => {
          await operations.delete("id_1", state);
        });
        operations.warned();
      });
      await fc.assert(property, { seed: 9, numRuns: runs(400) });
      expect(results()).toBeGreaterThan(0);
    });

    test("create ends with a valid result or a readable error", async () => {
      const { expectAnswered, results } = answering();
      const property = fc.asyncProperty(services, async (service) => {
        const { create, warned } = open(definition, service);
        await expectAnswered(() => create(declared));
        warned();
      });
      await fc.assert(property, { seed: 10, numRuns: runs(400) });
      expect(results()).toBeGreaterThan(0);
    });
  },
);
