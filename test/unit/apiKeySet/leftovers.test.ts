import { expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { type Asked, failureOf, replying } from "../replying";

/** The warnings of creating a set, in a workspace that already has a key with the same name and customer for each. */
async function warningsOf(count: number): Promise<readonly string[]> {
  const aliases = Array.from({ length: count }, (_, place) => `k${place}`);
  const apiKeys = aliases.map((name) => ({ id: `left_${name}`, name, customerId: "c" }));
  let made = 0;
  const set = replying(apiKeySet, ({ method, body }) => {
    if (method === "GET") return { apiKeys };
    made += 1;
    return { apiKey: { ...(body as object), id: `key_${made}`, key: `sk_${made}` } };
  });
  const keys = Object.fromEntries(aliases.map((alias) => [alias, { customerId: "c" }]));
  await set.create(set.check({ workspaceId: "ws_1", keys }, undefined).inputs);
  return set.warnings;
}

test.each([20, 1_000])(
  "warnings name the ids of all %d keys that earlier runs may have left, and say what to do with them",
  async (count) => {
    const told = await warningsOf(count);
    const ids = new Set(told.join("\n").match(/\bleft_k\d+\b/g));
    expect(ids.size).toBe(count);
    expect(told[0]).toMatch(
      /^For each of [\d,]+ keys \("k0", .*\): workspace ws_1 already has a key with this name and customer\. If another resource or stack manages it, or this update replaces it, do nothing; if a failed or interrupted run left it behind, delete it, because /,
    );
    expect(told.length).toBe(count / 20);
  },
);

test("if the answer to a create was lost, the update that creates the key again warns about the first one", async () => {
  const inputs = { workspaceId: "ws_1", keys: { a: { customerId: "c" }, b: { customerId: "c" } } };
  const live: { id: string; name: string; customerId: string }[] = [];
  const reply =
    (lose: boolean) =>
    ({ method, body }: Asked) => {
      if (method === "GET") return { apiKeys: live };
      const { name } = body as { name: string };
      const apiKey = { ...(body as object), id: `key_${name}_${live.length}`, name, customerId: "c" };
      live.push(apiKey);
      if (lose && name === "b") throw new CallError("ambiguous", "the connection was lost");
      return { apiKey: { ...apiKey, key: `sk_${name}` } };
    };
  const first = replying(apiKeySet, reply(true));
  const { kept } = await failureOf(first.create(first.check(inputs, undefined).inputs));
  const left = live.find(({ name }) => name === "b")?.id;
  expect(Object.keys(kept?.state["ids"] as object)).toEqual(["a"]);

  // The engine has the inputs of a create that failed halfway.
  const next = replying(apiKeySet, reply(false));
  const { inputs: checked } = next.check(inputs, inputs);
  next.diff(kept?.id ?? "", kept?.state ?? {}, checked);
  await next.update(kept?.id ?? "", kept?.state ?? {}, checked);
  expect(next.warnings).toEqual([
    expect.stringContaining(`already has a key with this name and customer: ${left}.`),
  ]);
});
