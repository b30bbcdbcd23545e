import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiKeyRecord } from "../../../provider/client/service";
import { settledAs } from "../../../provider/core/converge";
import { boolean, map, number, string } from "../../../provider/core/fields";
import { applyDrift, observedKey, type Properties, wireable } from "../../../provider/core/state";
import {
  createBody,
  type KeyInputs,
  migrateBody,
  observe,
  stateAfterWrite,
  updatable,
} from "../../../provider/resources/apiKey/model";
import { declared, record } from "./recordArbitraries";

const born = { key: "sk_secret" };
const as = (inputs: Properties) => inputs as unknown as KeyInputs;
const afterWrite = (inputs: Properties, answer: ApiKeyRecord) =>
  wireable(stateAfterWrite(as(inputs), settledAs(answer), born));
const afterRead = (state: Properties, answer: ApiKeyRecord) =>
  wireable(applyDrift(updatable, state, observe(answer)));
const canonicalOf = (name: string) =>
  updatable.find((field) => field.name === name)?.canonical ?? ((value) => value);

test("R2 absent, null and empty values are equal, and a wrong type counts as absent", () => {
  for (const value of [undefined, null, "", {}, 1]) expect(string(value)).toBeUndefined();
  expect([" ", "a"].map(string)).toEqual([" ", "a"]);
  for (const value of [undefined, null, false, "text", 1]) expect(boolean(value)).toBe(false);
  expect(boolean(true)).toBe(true);
  for (const value of [undefined, null, {}, [], "text"]) expect(map(value)).toBeUndefined();
  expect(map({ a: null })).toEqual({ a: null });
  for (const value of [undefined, null, "1", true]) expect(number(value)).toBeUndefined();
  expect([0, -0, 1].map(number)).toStrictEqual([0, 0, 1]);
});

describe("state after a write", () => {
  test("R1: state after a write has only the inputs, the outputs and the secret, and no undefined value", () => {
    fc.assert(
      fc.property(declared, record, (inputs, answer) => {
        const state = afterWrite(inputs, answer);
        expect(state).toMatchObject({ ...inputs, ...born });
        expect(holdsUndefined(state)).toBe(false);
        const known = new Set([...Object.keys(inputs), ...outputNames, "key", observedKey]);
        expect(Object.keys(state).filter((name) => !known.has(name))).toEqual([]);
      }),
    );
  });

  test("R3 state after a write has in __observed only the fields whose answered value differs from the program", () => {
    fc.assert(
      fc.property(declared, record, (inputs, answer) => {
        const observed = observe(answer);
        const { customerId: _, ...baseline } = (afterWrite(inputs, answer)[observedKey] ?? {}) as Properties;
        const otherwise = updatable
          .map(({ name }) => name)
          .filter(
            (name) => !isDeepStrictEqual(canonicalOf(name)(inputs[name]), canonicalOf(name)(observed[name])),
          );
        expect(Object.keys(baseline)).toEqual(otherwise);
        for (const name of otherwise) {
          expect(canonicalOf(name)(baseline[name])).toEqual(canonicalOf(name)(observed[name]));
        }
      }),
    );
  });

  test("R1 state after a write keeps the value of an output that the answer leaves out", () => {
    const before = { ...born, maskedKey: "sk_…", createdAt: "then", effectivePrefix: "sk" };
    const state = stateAfterWrite(
      as({ name: "ci" }),
      settledAs({ ...blank, name: "ci", updatedAt: "now" }),
      before,
    );
    expect(wireable(state)).toMatchObject({ ...before, updatedAt: "now" });
  });
});

test("R16 state after a write has no maskedKey that shows the secret", () => {
  const answer = { ...blank, name: "ci", maskedKey: `${born.key} ` };
  expect(afterWrite({ name: "ci" }, answer)).not.toHaveProperty("maskedKey");
});

describe("state after a read", () => {
  test("R3 state after a read is unchanged if the answer is that of the write, however the service rewrote values", () => {
    fc.assert(
      fc.property(declared, record, (inputs, answer) => {
        const state = afterWrite(inputs, answer);
        expect(afterRead(state, answer)).toStrictEqual(state);
      }),
    );
  });

  test("R3: a field has drifted if a read shows another value than after the last write, and nothing else in state changes", () => {
    fc.assert(
      fc.property(declared, record, record, (inputs, answer, later) => {
        const state = afterWrite(inputs, answer);
        const { [observedKey]: _, ...next } = afterRead(state, later);
        const [before, now] = [observe(answer), observe(later)];
        const { [observedKey]: __, ...kept } = state;
        const wanted: Record<string, unknown> = kept;
        for (const { name, canonical } of updatable) {
          if (isDeepStrictEqual(canonical(before[name]), canonical(now[name]))) continue;
          wanted[name] = canonical(now[name]);
        }
        expect(next).toStrictEqual(wireable(wanted));
      }),
    );
  });

  test("R3 a field that the program leaves out has not drifted from the value that the service gave it", () => {
    const fields = [{ name: "note", canonical: string }];
    const state = { [observedKey]: { note: "given" } };
    expect(applyDrift(fields, state, { note: "given" })).toBe(state);
    expect(applyDrift(fields, state, { note: "changed" })).toEqual({ note: "changed" });
  });

  test("R3 state after a read shows the same drift only once, and shows a change back as drift again", () => {
    fc.assert(
      fc.property(declared, record, record, (inputs, answer, later) => {
        const once = afterRead(afterWrite(inputs, answer), later);
        expect(afterRead(once, later)).toStrictEqual(once);
        const back = afterRead(once, answer);
        expect(afterRead(back, answer)).toStrictEqual(back);
        for (const { name, canonical } of updatable) {
          const baseline =
            name in ((back[observedKey] ?? {}) as Properties) ? (back[observedKey] as Properties) : back;
          expect(canonical(baseline[name])).toEqual(canonical(observe(answer)[name]));
        }
      }),
    );
  });
});

describe("what is sent to the engine and the service", () => {
  test("R1 undefined values are dropped at any depth before properties are sent, and nothing else is", () => {
    // As it is after a round trip: -0 becomes 0.
    const json = fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.parse(JSON.stringify(value)));
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constant(undefined),
        json,
        fc.array(json),
        fc.dictionary(fc.string(), tie("node")),
      ),
    })).node;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (properties) => {
        const stripped = wireable(properties);
        expect(holdsUndefined(stripped)).toBe(false);
        expect(stripped).toEqual(properties);
      }),
    );
  });

  test("K1 a request has four booleans and no id for each scope of a create, and no undeclared field", () => {
    const inputs = { name: "ci", workspaceId: "ws", customerId: "cus", enabled: false };
    const scopes = [{ representation: "orders", read: true }];
    const all = { create: false, read: true, update: false, del: false };
    const sent = JSON.parse(
      JSON.stringify(createBody(as({ ...inputs, scopes, keepers: { a: "b" }, prefix: "p" }))),
    );
    expect(sent).toStrictEqual({
      ...inputs,
      scopes: [{ representation: "orders", ...all }],
      prefix: "p",
    });
  });

  test("K5 a request has every field of the migrate call, including metadata", () => {
    const inputs = { name: "ci", workspaceId: "ws", customerId: "cus", enabled: true, scopes: [] };
    const body = { ...inputs, key: "sk_old", metadata: {} };
    expect(migrateBody(as({ ...inputs, existingKey: "sk_old" }))).toStrictEqual(body);
    const metadata = { a: 1 };
    expect(migrateBody(as({ ...inputs, existingKey: "sk_old", metadata }))).toStrictEqual({
      ...body,
      metadata,
    });
  });
});

const outputNames = [
  "maskedKey",
  "createdAt",
  "updatedAt",
  "billingId",
  "effectivePrefix",
  "effectiveExpiresAt",
];

const blank = { id: "key_1", deleted: false } as ApiKeyRecord;

function holdsUndefined(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.values(value).some(holdsUndefined);
}
