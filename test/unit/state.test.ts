import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiKeyRecord } from "../../provider/client/apiKeys";
import { boolean, map, number, string } from "../../provider/core/fields";
import { applyDrift, observedKey, type Properties, wireable } from "../../provider/core/state";
import { unknownSentinels } from "../../provider/core/unknown";
import type { KeyInputs } from "../../provider/resources/apiKey/properties";
import {
  createBody,
  managed,
  migrateBody,
  observe,
  stateAfterWrite,
} from "../../provider/resources/apiKey/state";
import { declared, record } from "./recordArbitraries";

const born = { key: "sk_secret" };
const as = (inputs: Properties) => inputs as unknown as KeyInputs;
const afterWrite = (inputs: Properties, answer: ApiKeyRecord) =>
  wireable(stateAfterWrite(as(inputs), { record: answer, notApplied: [], warnings: [] }, born));
const afterRead = (state: Properties, answer: ApiKeyRecord) =>
  wireable(applyDrift(managed, state, observe(answer)));
const canonicalOf = (name: string) =>
  managed.find((field) => field.name === name)?.canonical ?? ((value) => value);

describe("canonical values", () => {
  test("R2 of strings, absent, null and empty are one", () => {
    expect([undefined, null, ""].map(string)).toEqual([undefined, undefined, undefined]);
    expect([" ", "a", "A"].map(string)).toEqual([" ", "a", "A"]);
  });

  test("R2 of booleans, absent, null and false are one", () => {
    expect([undefined, null, false, true].map(boolean)).toEqual([false, false, false, true]);
  });

  test("R2 of maps, absent, null and empty are one", () => {
    expect([undefined, null, {}].map(map)).toEqual([undefined, undefined, undefined]);
    expect(map({ a: null })).toEqual({ a: null });
  });

  test("R2 of numbers, absent and null are one, and 0 is a number", () => {
    expect([undefined, null, 0, -0, 1].map(number)).toStrictEqual([undefined, undefined, 0, 0, 1]);
  });

  test("R2 a value of a wrong type means none, and one that is not known yet stays", () => {
    const wrong = [{}, [], "text", 1, true];
    for (const canonical of [string, number, boolean, map]) {
      for (const unknown of unknownSentinels) expect(canonical(unknown)).toBe(unknown);
    }
    expect(wrong.map(string)).toEqual([undefined, undefined, "text", undefined, undefined]);
    expect(wrong.map(number)).toEqual([undefined, undefined, undefined, 1, undefined]);
    expect(wrong.map(boolean)).toEqual([false, false, false, false, true]);
    expect([[], "text", 1, true].map(map)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe("state after a write", () => {
  test("R1 holds what was declared, the outputs and the secret; nothing undefined, nothing else", () => {
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

  test("R3 remembers only the fields that the service answered otherwise than declared", () => {
    fc.assert(
      fc.property(declared, record, (inputs, answer) => {
        const observed = observe(answer);
        const { customerId: _, ...baseline } = (afterWrite(inputs, answer)[observedKey] ?? {}) as Properties;
        const otherwise = managed
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

  test("R3 of a service that answers as declared nothing is remembered", () => {
    const answer = { ...blank, name: "ci", enabled: true, scopes: [] };
    expect(afterWrite({ name: "ci", enabled: true, scopes: [] }, answer)).not.toHaveProperty(observedKey);
  });

  test("R4 holds what the service has where that was not made as declared", () => {
    const answer = { ...blank, name: "old", enabled: true, scopes: [] };
    const notApplied = [
      { field: "name", words: "" },
      { field: "enabled", words: "" },
    ];
    const inputs = { name: "new", enabled: false, scopes: [] };
    const state = wireable(stateAfterWrite(as(inputs), { record: answer, notApplied, warnings: [] }, born));
    expect(state).toStrictEqual({ name: "old", enabled: true, scopes: [], ...born });
  });

  test("an output that an answer leaves out keeps its value", () => {
    const before = { ...born, maskedKey: "sk_…", createdAt: "then", effectivePrefix: "sk" };
    const state = stateAfterWrite(
      as({ name: "ci" }),
      { record: { ...blank, name: "ci", updatedAt: "now" }, notApplied: [], warnings: [] },
      before,
    );
    expect(wireable(state)).toMatchObject({ ...before, updatedAt: "now" });
  });
});

describe("state after a read", () => {
  test("R3 of what was written is the same, however the service rewrote it", () => {
    fc.assert(
      fc.property(declared, record, (inputs, answer) => {
        const state = afterWrite(inputs, answer);
        expect(afterRead(state, answer)).toStrictEqual(state);
      }),
    );
  });

  test("R5 holds what drifted as observed, and everything else as it was", () => {
    fc.assert(
      fc.property(declared, record, record, (inputs, answer, later) => {
        const state = afterWrite(inputs, answer);
        const { [observedKey]: _, ...next } = afterRead(state, later);
        const [before, now] = [observe(answer), observe(later)];
        const { [observedKey]: __, ...kept } = state;
        const wanted: Record<string, unknown> = kept;
        for (const { name, canonical } of managed) {
          if (isDeepStrictEqual(canonical(before[name]), canonical(now[name]))) continue;
          wanted[name] = canonical(now[name]);
        }
        expect(next).toStrictEqual(wireable(wanted));
      }),
    );
  });

  test("R3 of drift is quiet the second time, and drift back to what was remembered is drift again", () => {
    fc.assert(
      fc.property(declared, record, record, (inputs, answer, later) => {
        const once = afterRead(afterWrite(inputs, answer), later);
        expect(afterRead(once, later)).toStrictEqual(once);
        const back = afterRead(once, answer);
        expect(afterRead(back, answer)).toStrictEqual(back);
        for (const { name, canonical } of managed) {
          const baseline =
            name in ((back[observedKey] ?? {}) as Properties) ? (back[observedKey] as Properties) : back;
          expect(canonical(baseline[name])).toEqual(canonical(observe(answer)[name]));
        }
      }),
    );
  });
});

describe("the wire", () => {
  test("R1 no undefined value is left at any depth, and nothing else is touched", () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constant(undefined),
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie("node")),
        fc.dictionary(fc.string(), tie("node")),
      ),
    })).node;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (properties) => {
        const stripped = wireable(properties);
        expect(holdsUndefined(stripped)).toBe(false);
        expect(stripped).toEqual(withoutHoles(properties));
      }),
    );
  });

  test("K1 create sends four booleans for each scope, no id, and no field that is not declared", () => {
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

  test("K5 migrate sends every field it has, metadata too", () => {
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

const blank: ApiKeyRecord = {
  id: "key_1",
  name: undefined,
  maskedKey: undefined,
  prefix: undefined,
  expiresAt: undefined,
  scopes: undefined,
  enabled: undefined,
  customerId: undefined,
  deleted: false,
  createdAt: undefined,
  updatedAt: undefined,
  lastUsedAt: undefined,
  billingId: undefined,
  key: undefined,
};

function holdsUndefined(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.values(value).some(holdsUndefined);
}

/** A list drops its undefined entries; toEqual sees to the objects. */
function withoutHoles(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => entry !== undefined).map(withoutHoles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutHoles(entry)]));
}
