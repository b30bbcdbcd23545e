import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { unknownSentinels } from "../../../provider/core/fields";
import { handOver } from "../../../provider/core/registry";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { least, offline } from "../offline";
import { failureOf, replying } from "../replying";

const subject = offline();
const [unknown] = unknownSentinels;
const existingKey = "sk_live_of_old";
const held = { ...least, existingKey };
const failuresOf = (inputs: object, before?: Readonly<Record<string, unknown>>) =>
  subject.check({ ...held, ...inputs }, before).failures;

describe("check of an ApiKey that migrates an existing key", () => {
  test("K5 prefix, expiresAt and externalMeterId fail beside existingKey", () => {
    const failures = failuresOf({ prefix: "p", expiresAt: 60, externalMeterId: "m" });
    expect(failures.map((line) => line.split(":")[0])).toEqual(["prefix", "expiresAt", "externalMeterId"]);
    expect(failures.join()).not.toContain(existingKey);
    expect(failuresOf({ prefix: "", expiresAt: null, externalMeterId: unknown })).toEqual([]);
  });

  test("K5 a value that is empty, which may be an unset variable, or has white space around it fails", () => {
    const empty =
      "existingKey: must not be empty (an unset variable?): set it to the value of the key, or leave it out to create a new key.";
    const spaced =
      "existingKey: must not begin or end with white space, such as the line break of a file, or have control characters.";
    for (const value of ["", " ", "\n"]) expect(failuresOf({ existingKey: value })).toEqual([empty]);
    for (const value of [`${existingKey}\n`, ` ${existingKey}`, "sk\u0000live"])
      expect(failuresOf({ existingKey: value })).toEqual([spaced]);
    for (const value of ["a value", null, undefined]) expect(failuresOf({ existingKey: value })).toEqual([]);
  });

  const changes = { workspaceId: "ws_2", customerId: "cus_2", metadata: { a: 1 }, keepers: { a: "1" } };

  test("K5 changes that replace the key fail while existingKey stays the same", () => {
    for (const [name, value] of Object.entries(changes)) {
      const failures = failuresOf({ [name]: value }, held);
      expect(failures).toEqual([
        expect.stringMatching(new RegExp(`^${name}: can't change while the resource keeps an existing key`)),
      ]);
      expect(failures[0]).not.toContain(existingKey);
    }
    expect(failuresOf(changes, held)).toHaveLength(4);
  });

  test("K5 R8 changes that replace the key pass if existingKey changes or is new, or the values are unknown", () => {
    expect(failuresOf({ ...changes, existingKey: "sk_another" }, held)).toEqual([]);
    for (const before of [least, undefined]) expect(failuresOf(changes, before)).toEqual([]);
    expect(failuresOf({ ...changes, prefix: "p", existingKey: unknown }, held)).toEqual([]);
    expect(failuresOf({ customerId: unknown, keepers: { a: unknown } }, held)).toEqual([]);
  });

  test("K5 another spelling of the same metadata or keepers passes", () => {
    const before = { ...held, metadata: { a: 1, b: [2] } };
    expect(failuresOf({ metadata: { b: [2], a: 1 }, keepers: {} }, before)).toEqual([]);
    expect(failuresOf({ metadata: {} }, held)).toEqual([]);
  });
});

test("K5 diff shows no change if existingKey is removed, or added with the key's value, and replaces for another one", () => {
  const state = { ...held, scopes: [], enabled: true, key: existingKey };
  const { existingKey: _, ...dropped } = state;
  const quiet = { changes: false, replaces: [] };
  expect(subject.diff("id_1", state, least)).toMatchObject(quiet);
  expect(subject.diff("id_1", dropped, held)).toMatchObject(quiet);
  for (const value of ["sk_another", unknown]) {
    const found = subject.diff("id_1", state, { ...held, existingKey: value });
    expect(found).toMatchObject({ changes: undefined, replaces: ["existingKey"] });
  }
});

describe("an existingKey that two resources declare", () => {
  const twice = `existingKey: the resource one has or declares the same key, but two resources can't manage one key. Remove it from one of them. ${handOver}`;
  const silent = () => expect.unreachable("no request is made here");

  test.each([{}, { customerId: "cus_2" }, { workspaceId: "ws_2" }, { workspaceId: unknown }])(
    "R17 K5 an existingKey that two resources declare fails the check of the second one without being quoted, whatever else that declares: %j",
    (more) => {
      const keys = replying(apiKey, silent);
      for (const name of ["one", "one", undefined]) {
        expect(keys.check(held, undefined, name).failures).toEqual([]);
      }
      expect(keys.check({ ...held, ...more }, undefined, "two").failures).toEqual([twice]);
      for (const value of [unknown, unknown, undefined, null, "sk_another"]) {
        const { failures } = keys.check({ ...held, ...more, existingKey: value }, undefined, `${value}`);
        expect(failures).toEqual([]);
      }
    },
  );

  test("R17 an existingKey that another resource declares fails the check of a set with the path of its entry", () => {
    const shared = new Map();
    replying(apiKey, silent, { shared }).check(held, undefined, "one");
    const inputs = { workspaceId: "ws_1", defaults: { customerId: "cus_1" }, keys: { a: { existingKey } } };
    const { failures } = replying(apiKeySet, silent, { shared }).check(inputs, undefined, "set");
    expect(failures).toEqual([`keys.a.${twice}`]);
  });

  test.each([400, 409])(
    "R17 an existingKey is in no error of a service that refuses it with %i, and neither is the other resource",
    async (status) => {
      const keys = replying(apiKey, ({ method }) => {
        if (method === "GET") return { apiKeys: [] };
        throw new CallError("refused", `the service answered ${status} "${existingKey}"`, status);
      });
      const { message } = await failureOf(keys.create(keys.check(held, undefined).inputs));
      expect(message).toContain(`Migrating key "ci" in workspace ws_1: the service answered ${status}`);
      expect(message).not.toContain(existingKey);
    },
  );
});

test("K5 a key that was migrated stays when its former resource is deleted in the same run", async () => {
  const keys = replying(apiKey, ({ method, body }) => {
    if (method === "GET") return { apiKeys: [] };
    return { apiKey: { enabled: true, scopes: [], ...(body as object), id: "key_1", key: existingKey } };
  });
  const { id, state } = await keys.create(keys.check(held, undefined).inputs);
  await keys.delete(id, state);
  expect(keys.calls.map(({ method }) => method)).not.toContain("DELETE");
  expect(keys.warnings.join()).toContain("stays in the service, because another resource of this stack has");
});
