import { expect, test } from "vitest";
import type { AnyDefinition } from "../../../provider/core/definition";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { rotatingApiKey } from "../../../provider/resources/rotatingApiKey";
import { stateOfAll } from "../apiKeySet/setArbitraries";
import { configured, least, offline } from "../offline";
import { replying } from "../replying";

/** The definition, and how many plans were made since the last count. */
function counted(definition: AnyDefinition) {
  let plans = 0;
  const plan: AnyDefinition["plan"] = (now) => {
    plans += 1;
    return definition.plan(now);
  };
  const taken = () => {
    const before = plans;
    plans = 0;
    return before;
  };
  return { definition: { ...definition, plan }, taken };
}

const keys = { a: { customerId: "c" }, b: { customerId: "c" } };
const set = { workspaceId: "ws_1", keys };
const rotating = { ...least, rotateEvery: "90d" };
const rotatingState = { ...rotating, keyId: "key_1", key: "sk_1", rotatedAt: "2026-01-01T00:00:00Z" };

test.each([
  ["a set", apiKeySet, stateOfAll(set), { ...set, keys: { ...keys, a: { customerId: "d" } } }],
  ["a rotating key", rotatingApiKey, rotatingState, { ...rotating, name: "another", customerId: "d" }],
])("each step of an update makes the plan for %s only once", async (_what, definition, state, now) => {
  const { definition: counting, taken } = counted(definition);
  const preview = offline(configured, {}, counting);
  const { inputs } = preview.check(now, undefined);
  taken();
  expect(preview.diff("id_1", state, inputs).details).not.toEqual([]);
  expect(taken()).toBe(1);
  preview.preview(inputs, { id: "id_1", state });
  expect(taken()).toBe(1);
  const up = replying(counting, ({ method }) => {
    const apiKey = { ...least, customerId: "d", id: "key_new", key: "sk_new", enabled: true, scopes: [] };
    return method === "GET" ? { apiKeys: [] } : { apiKey: { ...apiKey, deleted: method === "DELETE" } };
  });
  await up.update("id_1", state, inputs).catch(() => {});
  expect(taken()).toBe(1);
});
