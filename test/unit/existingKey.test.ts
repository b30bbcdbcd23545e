import { beforeAll, describe, expect, test } from "vitest";
import { CallError } from "../../provider/client/callError";
import { unknownSentinels } from "../../provider/core/unknown";
import { apiKey } from "../../provider/resources/apiKey";
import { quickenPauses } from "../../tools/campaign/quickPauses";
import { least, offline } from "./offline";
import { replying } from "./replying";

beforeAll(quickenPauses);

const subject = offline();
const existingKey = "sk_live_of_old";
const held = { ...least, existingKey };
const failuresOf = (inputs: object, before?: Readonly<Record<string, unknown>>) =>
  subject.check({ ...held, ...inputs }, before).failures;

describe("check of an ApiKey that takes over an existing key", () => {
  test("K5 prefix, expiresAt and externalMeterId can't stand beside existingKey", () => {
    expect(failuresOf({})).toEqual([]);
    const failures = failuresOf({ prefix: "p", expiresAt: 60, externalMeterId: "m" });
    expect(failures.map((line) => line.split(":")[0])).toEqual(["prefix", "expiresAt", "externalMeterId"]);
    expect(failures.join()).not.toContain(existingKey);
    expect(failuresOf({ prefix: "", expiresAt: null, externalMeterId: unknownSentinels[0] })).toEqual([]);
  });

  test("K5 an empty existingKey, as an unset variable is, is no wish for a new key; none is", () => {
    for (const empty of ["", " ", "\n"]) {
      expect(failuresOf({ existingKey: empty })).toEqual([
        "existingKey: must not be empty, as an unset variable is: write the value of the key, or leave it out for a new key.",
      ]);
    }
    for (const none of [null, undefined]) expect(failuresOf({ existingKey: none })).toEqual([]);
  });

  test("R8 K5 all pass beside an existingKey that is not known yet, which may be absent in the end", () => {
    expect(failuresOf({ existingKey: unknownSentinels[0], prefix: "p", customerId: "cus_2" }, held)).toEqual(
      [],
    );
  });

  test("K5 beside an unchanged existingKey its identity can't change", () => {
    const changes = { workspaceId: "ws_2", customerId: "cus_2", metadata: { a: 1 }, keepers: { a: "1" } };
    for (const [name, value] of Object.entries(changes)) {
      const failures = failuresOf({ [name]: value }, held);
      expect(failures).toHaveLength(1);
      expect(failures[0]).toMatch(new RegExp(`^${name}: can't change while existingKey stays`));
      expect(failures[0]).not.toContain(existingKey);
    }
    expect(failuresOf(changes, held)).toHaveLength(4);
  });

  test("K5 with another existingKey, without one before, or on the way to an unknown value it can", () => {
    const changed = { customerId: "cus_2", keepers: { a: "1" } };
    expect(failuresOf(changed, { ...held, existingKey: "sk_another" })).toEqual([]);
    expect(failuresOf(changed, least)).toEqual([]);
    expect(failuresOf(changed, undefined)).toEqual([]);
    expect(failuresOf({ ...changed, existingKey: unknownSentinels[0] }, held)).toEqual([]);
    expect(
      failuresOf({ customerId: unknownSentinels[0], keepers: { a: unknownSentinels[0] } }, held),
    ).toEqual([]);
  });

  test("K5 another spelling of the same metadata or keepers is no change", () => {
    const before = { ...held, metadata: { a: 1, b: [2] } };
    expect(failuresOf({ metadata: { b: [2], a: 1 }, keepers: {} }, before)).toEqual([]);
    expect(failuresOf({ metadata: {} }, held)).toEqual([]);
  });
});

describe("diff of an ApiKey that took over an existing key", () => {
  const state = { ...held, scopes: [], enabled: true, key: existingKey };

  test("K5 dropping existingKey is no change, and neither is giving the key that is held", () => {
    expect(subject.diff("id_1", state, least)).toEqual({ changes: false, replaces: [] });
    const { existingKey: _, ...dropped } = state;
    expect(subject.diff("id_1", dropped, held)).toEqual({ changes: false, replaces: [] });
  });

  test("K5 another existingKey replaces, and so does an unknown one", () => {
    for (const value of ["sk_another", unknownSentinels[0]]) {
      expect(subject.diff("id_1", state, { ...held, existingKey: value })).toEqual({
        changes: undefined,
        replaces: ["existingKey"],
      });
    }
  });
});

describe("one existingKey that the program gives to two keys", () => {
  const of = (name: string, more = {}) => ({ ...held, name, ...more });
  /** A service that makes a key of each value once. */
  const service = (status: number) => {
    let made = 0;
    return replying(apiKey, ({ method, body }) => {
      if (method === "GET") return { apiKeys: [] };
      made += 1;
      const verdict = status === 409 || status >= 500 ? "ambiguous" : "refused";
      if (made > 1) throw new CallError(verdict, `the service answered ${status}`, status);
      return { apiKey: { enabled: true, scopes: [], ...(body as object), id: "key_1" } };
    });
  };
  const create = async (
    subject: ReturnType<typeof service>,
    ...all: readonly Readonly<Record<string, unknown>>[]
  ) => {
    const checked = all.map((inputs) => subject.check(inputs, undefined).inputs);
    const results = [];
    for (const inputs of checked) {
      results.push(
        await subject.create({ ...inputs }).then(
          () => "",
          (error: Error) => error.message,
        ),
      );
    }
    return results;
  };

  test.each([409, 400, 422])("K5 the refused one names the other, without the value (%i)", async (status) => {
    const [, message] = await create(service(status), of("a"), of("b"));
    expect(message).toContain(`the service answered ${status}`);
    expect(message).toContain(
      'The program gives this value to key "a" in workspace ws_1 (customer cus_1) too',
    );
    expect(message).not.toContain('to key "b"');
    expect(message).not.toContain(existingKey);
  });

  test("K5 nobody is named where the value is given once, is not known yet, or was not refused", async () => {
    const [, again] = await create(service(409), of("a"), of("a"));
    expect(again).not.toContain("The program gives");
    const subject = service(409);
    subject.check(of("c", { existingKey: unknownSentinels[0] }), undefined);
    subject.check(of("d", { workspaceId: unknownSentinels[0] }), undefined);
    const [, other] = await create(subject, of("a"), of("b", { existingKey: "sk_of_another" }));
    expect(other).not.toContain("The program gives");
    const [, lost] = await create(service(500), of("a"), of("b"));
    expect(lost).not.toContain("The program gives");
  });

  test("K5 of the same name the customer tells them apart", async () => {
    const [, message] = await create(service(409), of("a"), of("a", { customerId: "cus_2" }));
    expect(message).toContain("(customer cus_1) too");
  });
});
