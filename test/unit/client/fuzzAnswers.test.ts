import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { CallError, type Transport } from "../../../provider/client/send";
import { errorText } from "../../../provider/client/words";
import { runs } from "../../all";
import * as api from "../../client/api";
import { anything, bag, canary, expectFit, expectWireable } from "../bagArbitraries";

vi.setConfig({ testTimeout: 30_000 });

const path = { workspaceId: "id_1", keyId: "id_1" };
const body = { workspaceId: "id_1", name: "ci", customerId: "c", scopes: [], enabled: true, metadata: {} };
const scopeBody = { name: "Docs", representation: "docs", description: "" };
const billing = { workspaceId: "id_1", totalCredits: "1", allowOverages: false };

/** All twelve calls, each with the field that wraps its answer. */
const endpoints: readonly [name: string, wrapper: string, run: (call: api.Call) => Promise<unknown>][] = [
  ["editApiKey", "apiKey", (call) => api.editApiKey(call, path, {})],
  ["readApiKey", "apiKey", (call) => api.readApiKey(call, path)],
  ["listApiKeys", "apiKeys", (call) => api.listApiKeys(call, path)],
  ["createApiKey", "apiKey", (call) => api.createApiKey(call, body)],
  ["migrateApiKey", "apiKey", (call) => api.migrateApiKey(call, { ...body, key: canary })],
  ["listWorkspaces", "workspaces", (call) => api.listWorkspaces(call)],
  ["readWorkspace", "workspace", (call) => api.readWorkspace(call, path)],
  ["editWorkspace", "workspace", (call) => api.editWorkspace(call, path, {})],
  ["deleteApiKey", "apiKey", (call) => api.deleteApiKey(call, path)],
  ["listScopes", "scopes", (call) => api.listScopes(call, path)],
  ["createScope", "scope", (call) => api.createScope(call, path, scopeBody)],
  ["createBilling", "billing", (call) => api.createBilling(call, billing)],
];

const valid = { id: "id_1", name: "ci", representation: "docs", totalCredits: "1" };
const scopes = [{ representation: "docs", read: true }];
const times = { createdAt: "2026-01-01", updatedAt: 1, expiresAt: 60, enabled: true, deleted: false };
const record = bag({ ...valid, ...times, scopes });

/** Bytes of an answer for this wrapper: JSON with a record that is changed somewhere, any JSON, or any bytes. */
function bytes(wrapper: string): fc.Arbitrary<Buffer> {
  const list = wrapper.endsWith("s");
  const mutated = fc
    .tuple(record, fc.boolean())
    .map(([fields, right]) => ({ ...fields, ...(right && { id: "id_1" }) }))
    .map((one) => ({ [wrapper]: list ? [one, one] : one }));
  const json = fc.oneof(
    { weight: 4, arbitrary: mutated },
    { weight: 1, arbitrary: anything.map((value) => ({ [wrapper]: value })) },
    { weight: 1, arbitrary: anything },
  );
  const text = json.map((value) => JSON.stringify(value) ?? "");
  const cut = fc.tuple(text, fc.nat(200), fc.string({ unit: "binary", maxLength: 3 }));
  return fc.oneof(
    { weight: 4, arbitrary: text.map((whole) => Buffer.from(whole)) },
    {
      weight: 1,
      arbitrary: cut.map(([whole, at, odd]) => Buffer.from(whole.slice(0, at) + odd + whole.slice(at))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((odd) => Buffer.from(odd)) },
  );
}

function answering(answer: Buffer): api.Call {
  const transport: Transport = {
    send: async ({ read }) => read(new TextDecoder().decode(answer)),
    writes: 0,
    close: async () => {},
  };
  return { transport, credentials: { baseUrl: "https://api.test", accessToken: canary } };
}

/** Our own words: a field of the answer and what is wrong with it, nothing that the service wrote. */
const ours =
  /^the answer( is (empty|not JSON)|'s [a-zA-Z]+(\[\d+\])?(\.[a-zA-Z]+(\[\d+\])?)* is (not the one asked for|missing or has another type))$/;

function expectRecord(found: object): void {
  const { id, key: _, ...rest } = found as { id: unknown; key?: unknown };
  expect(typeof id).toBe("string");
  expect(JSON.stringify(rest)).not.toContain(canary);
  // Half of a surrogate pair would be one of these escapes.
  expect(JSON.stringify(found)).not.toMatch(/\\ud[89a-f]/);
  expectWireable(JSON.parse(JSON.stringify(rest)) as object);
  expect(
    Object.values(rest)
      .filter((value) => typeof value === "number")
      .every(Number.isFinite),
  ).toBe(true);
}

describe.each(endpoints)("any answer to %s", (_name, wrapper, run) => {
  test("is read as a record that can be saved, or as a problem described in our own words", async () => {
    const property = fc.asyncProperty(bytes(wrapper), async (answer) => {
      const outcome = await run(answering(answer)).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(CallError);
        expect(outcome.message).toMatch(ours);
        return;
      }
      const { record, problem } = { record: outcome, ...(outcome as Partial<api.Written<unknown>>) };
      if (problem !== undefined) expect(problem).toMatch(ours);
      for (const one of [record ?? []].flat()) expectRecord(one as object);
    });
    await fc.assert(property, { seed: 12, numRuns: runs(800) });
  });
});

describe("any body of an error", () => {
  test("adds at most 300 characters to the message, on one line, without a secret", () => {
    const property = fc.property(bytes("errors"), (answer) => {
      const words = errorText(new TextDecoder().decode(answer), [canary]) ?? "";
      expectFit(words);
      expect(words.length).toBeLessThan(400);
    });
    fc.assert(property, { seed: 13, numRuns: runs(2_000) });
  });
});
