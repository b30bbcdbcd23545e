import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { unknownSentinels } from "../../../provider/core/fields";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { least, offline } from "../offline";
import { failureOf, replying } from "../replying";

const subject = offline();
const existingKey = "sk_live_of_old";
const held = { ...least, existingKey };
const failuresOf = (inputs: object, before?: Readonly<Record<string, unknown>>) =>
  subject.check({ ...held, ...inputs }, before).failures;

describe("check of an ApiKey that migrates an existing key", () => {
  test("K5 rejects prefix, expiresAt and externalMeterId", () => {
    expect(failuresOf({})).toEqual([]);
    const failures = failuresOf({ prefix: "p", expiresAt: 60, externalMeterId: "m" });
    expect(failures.map((line) => line.split(":")[0])).toEqual(["prefix", "expiresAt", "externalMeterId"]);
    expect(failures.join()).not.toContain(existingKey);
    expect(failuresOf({ prefix: "", expiresAt: null, externalMeterId: unknownSentinels[0] })).toEqual([]);
  });

  test("K5 rejects an empty existingKey, which may be an unset variable, but not a missing one", () => {
    for (const empty of ["", " ", "\n"]) {
      expect(failuresOf({ existingKey: empty })).toEqual([
        "existingKey: must not be empty (an unset variable?): set it to the value of the key, or leave it out to create a new key.",
      ]);
    }
    for (const none of [null, undefined]) expect(failuresOf({ existingKey: none })).toEqual([]);
  });

  test("K5 rejects white space around the value, which no client could send, and control characters", () => {
    for (const value of [`${existingKey}\n`, ` ${existingKey}`, "sk\u0000live"])
      expect(failuresOf({ existingKey: value })).toEqual([
        "existingKey: must not begin or end with white space, such as the line break of a file, or have control characters.",
      ]);
    expect(failuresOf({ existingKey: "a value" })).toEqual([]);
  });

  test("R8 K5 accepts all fields while existingKey is unknown, because it may turn out unset", () => {
    expect(failuresOf({ existingKey: unknownSentinels[0], prefix: "p", customerId: "cus_2" }, held)).toEqual(
      [],
    );
  });

  test("K5 rejects changes that replace the key while existingKey stays the same", () => {
    const changes = { workspaceId: "ws_2", customerId: "cus_2", metadata: { a: 1 }, keepers: { a: "1" } };
    for (const [name, value] of Object.entries(changes)) {
      const failures = failuresOf({ [name]: value }, held);
      expect(failures).toHaveLength(1);
      expect(failures[0]).toMatch(new RegExp(`^${name}: can't change while existingKey stays`));
      expect(failures[0]).not.toContain(existingKey);
    }
    expect(failuresOf(changes, held)).toHaveLength(4);
  });

  test("K5 accepts changes that replace the key if existingKey changes or is new, or the values are unknown", () => {
    const changed = { customerId: "cus_2", keepers: { a: "1" } };
    expect(failuresOf(changed, { ...held, existingKey: "sk_another" })).toEqual([]);
    expect(failuresOf(changed, least)).toEqual([]);
    expect(failuresOf(changed, undefined)).toEqual([]);
    expect(failuresOf({ ...changed, existingKey: unknownSentinels[0] }, held)).toEqual([]);
    expect(
      failuresOf({ customerId: unknownSentinels[0], keepers: { a: unknownSentinels[0] } }, held),
    ).toEqual([]);
  });

  test("K5 accepts another spelling of the same metadata or keepers", () => {
    const before = { ...held, metadata: { a: 1, b: [2] } };
    expect(failuresOf({ metadata: { b: [2], a: 1 }, keepers: {} }, before)).toEqual([]);
    expect(failuresOf({ metadata: {} }, held)).toEqual([]);
  });
});

describe("diff of an ApiKey that migrated an existing key", () => {
  const state = { ...held, scopes: [], enabled: true, key: existingKey };

  test("K5 shows no change if existingKey is removed, or added with the value that the key has", () => {
    expect(subject.diff("id_1", state, least)).toMatchObject({ changes: false, replaces: [] });
    const { existingKey: _, ...dropped } = state;
    expect(subject.diff("id_1", dropped, held)).toMatchObject({ changes: false, replaces: [] });
  });

  test("K5 replaces for another or an unknown existingKey", () => {
    for (const value of ["sk_another", unknownSentinels[0]]) {
      expect(subject.diff("id_1", state, { ...held, existingKey: value })).toMatchObject({
        changes: undefined,
        replaces: ["existingKey"],
      });
    }
  });
});

describe("an existingKey that two resources declare", () => {
  const silent = () => expect.unreachable("no request is made here");
  const twice = (resource: string) =>
    `existingKey: the resource ${resource} declares the same value, but two resources can't manage one key. Remove it from one of them.`;

  test.each([
    {},
    { name: "another" },
    { customerId: "cus_2" },
    { workspaceId: "ws_2" },
    { workspaceId: unknownSentinels[0] },
  ])(
    "R17 K5 fails the check of the second one without being quoted, whatever else that declares: %j",
    (more) => {
      const keys = replying(apiKey, silent);
      expect(keys.check(held, undefined, "one").failures).toEqual([]);
      const { failures } = keys.check({ ...held, ...more }, undefined, "two");
      expect(failures).toEqual([twice("one")]);
      expect(failures.join()).not.toContain(existingKey);
    },
  );

  test("R17 passes the check if it is one resource's only, or if the values are absent, different or unknown", () => {
    const keys = replying(apiKey, silent);
    const failuresOf = (name: string | undefined, value: unknown) =>
      keys.check({ ...held, existingKey: value }, undefined, name).failures;
    for (const name of ["one", "one", undefined]) expect(failuresOf(name, existingKey)).toEqual([]);
    for (const value of [unknownSentinels[0], undefined, null, "sk_another"]) {
      expect(failuresOf(`two ${String(value)}`, value)).toEqual([]);
    }
    for (const name of ["three", "four"]) expect(failuresOf(name, unknownSentinels[0])).toEqual([]);
  });

  test("R17 fails the check of a set with the path of its entry", () => {
    const shared = new Map();
    const keys = replying(apiKey, silent, { shared });
    const sets = replying(apiKeySet, silent, { shared });
    expect(keys.check(held, undefined, "one").failures).toEqual([]);
    const { failures } = sets.check(
      { workspaceId: "ws_1", defaults: { customerId: "cus_1" }, keys: { a: { existingKey } } },
      undefined,
      "set",
    );
    expect(failures).toEqual([twice("one").replace("existingKey", "keys.a.existingKey")]);
  });

  test.each([400, 409, 422])(
    "K5 is not quoted if the service refuses it, nor is the other resource named (%i)",
    async (status) => {
      const keys = replying(apiKey, ({ method }) => {
        if (method === "GET") return { apiKeys: [] };
        const verdict = status === 409 ? "ambiguous" : "refused";
        throw new CallError(verdict, `the service answered ${status}`, status);
      });
      for (const name of ["a", "b"]) {
        const { message } = await failureOf(keys.create(keys.check({ ...held, name }, undefined).inputs));
        expect(message).toContain(
          `Migrating key "${name}" in workspace ws_1: the service answered ${status}`,
        );
        expect(message).not.toContain(existingKey);
        expect(message).not.toContain(name === "a" ? '"b"' : '"a"');
      }
    },
  );
});

test("K5 a key that was migrated stays when its former resource is deleted in the same run", async () => {
  const keys = replying(apiKey, ({ method, body }) => {
    if (method === "GET") return { apiKeys: [] };
    return { apiKey: { enabled: true, scopes: [], ...(body as object), id: "key_1", key: held.existingKey } };
  });
  const { id, state } = await keys.create(keys.check(held, undefined).inputs);
  await keys.delete(id, state);
  expect(keys.calls.map(({ method }) => method)).not.toContain("DELETE");
  expect(keys.warnings.join()).toContain("stays in the service, because another resource of this stack has");
});
