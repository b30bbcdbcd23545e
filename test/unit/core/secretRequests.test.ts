import { expect, test } from "vitest";
import type { AnyDefinition } from "../../../provider/core/definition";
import { openRun } from "../../../provider/core/run";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { of } from "../apiKeySet/setService";
import { type Asked, failureOf, idIn, nameIn, type Options, replying } from "../replying";

/** Long enough to be taken for a secret wherever it appears. */
const name = "Nightingale Bank of the North";

/** Operations that record, for each request, the secrets that errors and logs must mask. */
function noting(definition: AnyDefinition, reply: (asked: Asked) => unknown, parts: Options = {}) {
  const noted: { readonly at: string; readonly secrets: readonly string[] }[] = [];
  const answer = (asked: Asked) => {
    noted.push({ at: `${asked.method} ${idIn(asked)}`, secrets: asked.secrets });
    return reply(asked);
  };
  const secretsAt = (at: string) => noted.filter((one) => one.at === at).map(({ secrets }) => secrets);
  return { ...replying(definition, answer, parts), noted, secretsAt };
}
const secretNames = { __secrets: [["keys", "*", "name"]] };

test("R16 a request for one key of a set masks that key's secrets, but not those of other keys", async () => {
  const [owls, kites] = ["Owls Ltd", "Kites Ltd"];
  const live = new Map<string, object>();
  const set = noting(apiKeySet, (asked) => {
    const id = idIn(asked);
    if (asked.method === "GET" && id === "api-key") return { apiKeys: [] };
    if (asked.method === "DELETE") return { apiKey: { id, deleted: true } };
    const own = asked.method === "POST" ? (nameIn(asked) === owls ? "key_owls" : "key_kites") : id;
    live.set(own, { ...live.get(own), ...(asked.body as object), id: own });
    return { apiKey: { ...live.get(own), ...(asked.method === "POST" && { key: `sk_${own}` }) } };
  });
  const inputs = (keys: object) =>
    set.check({ ...of(keys, { customerId: "c" }), ...secretNames }, undefined).inputs;
  /** Each of these requests was sent, and masked only this name. */
  const expectMasked = (at: string, own: string) => {
    const masked = set.secretsAt(at).map((secrets) => secrets.filter((one) => /Ltd/.test(one)));
    expect([at, new Set(masked.flat()), masked.length > 0]).toEqual([at, new Set([own]), true]);
  };
  const { id, state } = await set.create(inputs({ owls: { name: owls }, kites: { name: kites } }));
  const posts = set.secretsAt("POST api-key").map((secrets) => secrets.filter((one) => /Ltd/.test(one)));
  expect(posts).toEqual([[owls], [kites]]);
  await set.read(id, state);
  expectMasked("GET key_owls", owls);
  expectMasked("GET key_kites", kites);
  const next = await set.update(id, state, inputs({ owls: { name: owls, enabled: false } }));
  expectMasked("PATCH key_owls", owls);
  expectMasked("DELETE key_kites", kites);
  await set.delete(id, next);
  expectMasked("DELETE key_owls", owls);
});

test("R16 a request that rolls back a key of a set masks its secrets", async () => {
  const run = openRun();
  const reply = ({ method, body }: Asked) => {
    if (method === "POST") run.stop("the run was interrupted");
    const apiKey = { ...(body as object), id: "k", key: "sk_1", deleted: method === "DELETE" };
    return { apiKey, apiKeys: [] };
  };
  const set = noting(apiKeySet, reply, { run });
  const declared = { ...of({ a: { name } }, { customerId: "c" }), ...secretNames };
  await failureOf(set.create(set.check(declared, undefined).inputs));
  expect(set.secretsAt("DELETE k")).toEqual([expect.arrayContaining([name])]);
});

test("R16 a request that several resources share masks a secret workspace, because its path contains it", async () => {
  const subject = noting(apiKey, ({ method, body }) => {
    if (method === "GET") return { apiKeys: [] };
    return { apiKey: { enabled: true, ...(body as object), id: "k", key: "sk_1" } };
  });
  const workspaces = ["ws_of_owls", "ws_of_kites"];
  for (const workspaceId of workspaces) {
    const inputs = { workspaceId, customerId: "c", name: "ci", __secrets: [["workspaceId"]] };
    await subject.create(subject.check(inputs, undefined).inputs);
  }
  expect(subject.secretsAt("GET api-key")).toEqual(workspaces.map((one) => expect.arrayContaining([one])));
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
  expect(printed[0]).toContain("the run ended before the result could be saved");
  expect(printed.join()).toContain('"the old [secret]"');
});

test("R16 K5 every request after the migration of a set's key masks the value, although no answer has it", async () => {
  const set = noting(apiKeySet, ({ method, body, path }) => {
    if (method === "GET" && idIn({ path }) === "api-key") return { apiKeys: [] };
    const known = { name: "a", customerId: "c", scopes: [], enabled: method !== "POST" };
    return { apiKey: { ...known, ...(method === "PATCH" && (body as object)), id: "k" } };
  });
  const entry = { customerId: "c", existingKey: "sk_of_old" };
  const { id, state } = await set.create(set.check(of({ a: entry }), undefined).inputs);
  const { inputs } = set.check(of({ a: { ...entry, name: "b" } }), undefined);
  await set.update(id, state, inputs);
  const own = set.noted.filter(({ at }) => at !== "GET api-key");
  expect(own.length).toBeGreaterThan(3);
  for (const { secrets } of own) expect(secrets).toContain("sk_of_old");
});
