import { describe, expect, test } from "vitest";
import type { AnyDefinition } from "../../../provider/core/definition";
import { openRun } from "../../../provider/core/run";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { of } from "../apiKeySet/setService";
import { type Asked, failureOf, idIn, nameIn, replying } from "../replying";

/** Long enough to be taken for a secret wherever it appears. */
const name = "Nightingale Bank of the North";

describe("R16 a request", () => {
  /** Operations that record, for each request, the secrets that errors and logs must mask. */
  function noting(definition: AnyDefinition, reply: (asked: Asked) => unknown) {
    const noted: { readonly at: string; readonly secrets: readonly string[] }[] = [];
    const operations = replying(definition, (asked) => {
      noted.push({ at: `${asked.method} ${idIn(asked)}`, secrets: asked.secrets });
      return reply(asked);
    });
    const secretsAt = (at: string) => noted.filter((one) => one.at === at).map(({ secrets }) => secrets);
    return { ...operations, noted, secretsAt };
  }

  test("for one key of a set masks that key's secrets, but not those of other keys", async () => {
    const [owls, kites] = ["Owls Ltd", "Kites Ltd"];
    const live = new Map<string, object>();
    const set = noting(apiKeySet, (asked) => {
      const id = idIn(asked);
      if (asked.method === "GET" && id === "api-key") return { apiKeys: [] };
      if (asked.method === "POST") {
        const made = nameIn(asked) === owls ? "key_owls" : "key_kites";
        live.set(made, { ...(asked.body as object), id: made });
        return { apiKey: { ...live.get(made), key: `sk_${made}` } };
      }
      if (asked.method === "DELETE") return { apiKey: { id, deleted: true } };
      if (asked.method === "PATCH") live.set(id, { ...live.get(id), ...(asked.body as object) });
      return { apiKey: live.get(id) };
    });
    const inputs = (keys: object) => {
      const declared = { ...of(keys, { customerId: "c" }), __secrets: [["keys", "*", "name"]] };
      return set.check(declared, undefined).inputs;
    };
    const expectConcealed = (at: string, own: string, other: string) => {
      const all = set.secretsAt(at);
      expect(all, at).not.toEqual([]);
      for (const secrets of all) {
        expect(secrets, at).toContain(own);
        expect(secrets, at).not.toContain(other);
      }
    };
    const both = inputs({ owls: { name: owls }, kites: { name: kites } });
    const { id, state } = await set.create(both);
    const posts = set.secretsAt("POST api-key");
    expect(posts.map((secrets) => secrets.filter((one) => /Ltd/.test(one)))).toEqual([[owls], [kites]]);
    await set.read(id, state);
    for (const at of ["GET key_owls", "GET key_kites"]) {
      const [own = "", other = ""] = at.endsWith("owls") ? [owls, kites] : [kites, owls];
      expectConcealed(at, own, other);
    }
    set.noted.length = 0;
    const next = await set.update(id, state, inputs({ owls: { name: owls, enabled: false } }));
    expectConcealed("PATCH key_owls", owls, kites);
    expectConcealed("DELETE key_kites", kites, owls);
    set.noted.length = 0;
    await set.delete(id, next);
    expectConcealed("DELETE key_owls", owls, kites);
  });

  test("that rolls back a key masks its secrets too", async () => {
    const run = openRun();
    const held: (readonly string[])[] = [];
    const reply = ({ method, body, secrets }: Asked) => {
      if (method === "DELETE") held.push(secrets);
      if (method === "POST") run.stop("the run was interrupted");
      const apiKey = { ...(body as object), id: "k", key: "sk_1", deleted: method === "DELETE" };
      return { apiKey, apiKeys: [] };
    };
    const set = replying(apiKeySet, reply, { run });
    const declared = { ...of({ a: { name } }, { customerId: "c" }), __secrets: [["keys", "*", "name"]] };
    await failureOf(set.create(set.check(declared, undefined).inputs));
    expect(held).toEqual([expect.arrayContaining([name])]);
  });

  test("that several resources share masks a secret workspace, because its path contains it", async () => {
    const subject = noting(apiKey, ({ method, body }) => {
      if (method === "GET") return { apiKeys: [] };
      return { apiKey: { enabled: true, ...(body as object), id: "k", key: "sk_1" } };
    });
    for (const workspaceId of ["ws_of_owls", "ws_of_kites"]) {
      const inputs = { workspaceId, customerId: "c", name: "ci", __secrets: [["workspaceId"]] };
      await subject.create(subject.check(inputs, undefined).inputs);
    }
    const [first, second] = subject.secretsAt("GET api-key");
    expect(first).toContain("ws_of_owls");
    expect(second).toContain("ws_of_kites");
  });
});

test("R16 what an interruption prints masks an existing key's value, even in a name", async () => {
  const existingKey = "sk_value_of_long_ago";
  const declared = { workspaceId: "ws_1", customerId: "c", name: `the old ${existingKey}`, scopes: [] };
  const run = openRun();
  const printed: string[] = [];
  const key = replying(
    apiKey,
    ({ method, path, body }) => {
      if (method === "GET" && idIn({ path }) === "api-key") return { apiKeys: [] };
      for (const line of run.underWay) printed.push(line() ?? "");
      return {
        apiKey:
          method === "GET"
            ? { enabled: true, ...declared, id: "k" }
            : { id: "k", ...(body as object), name: undefined },
      };
    },
    { run },
  );
  await key.create(key.check({ ...declared, existingKey }, undefined).inputs);
  expect(printed[0]).toContain("the run ended before the service answered");
  expect(printed.join()).toContain('"the old [secret]"');
});

test("K5 every request after the migration of a set's key masks the value, although no answer has it", async () => {
  const seen: (readonly string[])[] = [];
  const set = replying(apiKeySet, ({ method, body, path, secrets }) => {
    if (method === "GET" && idIn({ path }) === "api-key") return { apiKeys: [] };
    seen.push(secrets);
    const known = { name: "a", customerId: "c", scopes: [] };
    const enabled = method !== "POST";
    return { apiKey: { ...known, enabled, ...(method === "PATCH" && (body as object)), id: "k" } };
  });
  const entry = { customerId: "c", existingKey: "sk_of_old" };
  const { id, state } = await set.create(set.check(of({ a: entry }), undefined).inputs);
  const { inputs } = set.check(of({ a: { ...entry, name: "b" } }), undefined);
  await set.update(id, state, inputs);
  expect(seen.length).toBeGreaterThan(3);
  for (const secrets of seen) expect(secrets).toContain("sk_of_old");
});
