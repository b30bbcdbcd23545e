import { expect, test, vi } from "vitest";
import type { AnyDefinition } from "../../../provider/core/definition";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { rotatingApiKey } from "../../../provider/resources/rotatingApiKey";
import { stateOfAll } from "../apiKeySet/setArbitraries";
import { configured, least, offline } from "../offline";
import { replying } from "../replying";

const keys = { a: { customerId: "c" }, b: { customerId: "c" } };
const set = { workspaceId: "ws_1", keys };
const rotating = { ...least, rotateEvery: "90d" };
const rotatingState = { ...rotating, keyId: "key_1", key: "sk_1", rotatedAt: "2026-01-01T00:00:00Z" };

test.each([
  ["a set", apiKeySet, stateOfAll(set), { ...set, keys: { ...keys, a: { customerId: "d" } } }],
  ["a rotating key", rotatingApiKey, rotatingState, { ...rotating, name: "another", customerId: "d" }],
])("each step of an update makes the plan for %s only once", async (_what, definition, state, now) => {
  const plan = vi.fn(definition.plan as AnyDefinition["plan"]);
  const counting = { ...definition, plan } as AnyDefinition;
  const expectOnePlan = () => {
    expect(plan).toHaveBeenCalledOnce();
    plan.mockClear();
  };
  const preview = offline(configured, {}, counting);
  const { inputs } = preview.check(now, undefined);
  plan.mockClear();
  expect(preview.diff("id_1", state, inputs).details).not.toEqual([]);
  expectOnePlan();
  preview.preview(inputs, { id: "id_1", state });
  expectOnePlan();
  const up = replying(counting, ({ method }) => {
    const apiKey = { ...least, customerId: "d", id: "key_new", key: "sk_new", enabled: true, scopes: [] };
    return method === "GET" ? { apiKeys: [] } : { apiKey: { ...apiKey, deleted: method === "DELETE" } };
  });
  await up.update("id_1", state, inputs).catch(() => {});
  expectOnePlan();
});
