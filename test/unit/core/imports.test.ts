import { expect, test } from "vitest";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { rotatingApiKey } from "../../../provider/resources/rotatingApiKey";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { least, offline } from "../offline";
import { replying } from "../replying";

test("R13 an imported key that lacks inputs with defaults shows no change", () => {
  const key = offline();
  const { inputs } = key.check(least, undefined);
  expect(inputs).toMatchObject({ enabled: true, scopes: [] });
  expect(key.diff("key_1", { ...least }, inputs)).toMatchObject({ changes: false, replaces: [] });
});

test("K8 the first refresh of an imported key returns inputs, even if the outputs in the import file are right", async () => {
  const record = { ...least, scopes: [], enabled: true, createdAt: "2026-01-01T00:00:00Z" };
  const key = replying(apiKey, () => ({ apiKey: { id: "key_1", ...record, deleted: false } }));
  expect(await key.read("key_1", record)).toMatchObject({ inputs: { name: least.name } });
});

test.each([apiKeySet, rotatingApiKey, customerBilling])(
  "R19 an import of a set, a rotating key or a grant fails, and says what to do instead",
  async (definition) => {
    const resource = replying(definition, () => ({}));
    await expect(resource.find({ id: "ws_1/x_1", given: {}, isGet: false })).rejects.toThrow(
      /can't be imported or read by an id\. Declare an existing key by existingId, .* by billingId\.$/,
    );
    expect(resource.calls).toEqual([]);
  },
);

test("R19 an import accepts a workspace whose id has a slash", async () => {
  const reply = () => ({
    apiKey: { id: "a/b%2F", ...least, scopes: [], enabled: true },
    workspace: { id: "team/a", defaultKeyPrefix: "sk" },
  });
  for (const [definition, importId, id, path] of [
    [apiKey, "team%2Fa/a/b%2F", "a/b%2F", "/api/v1/workspace/team%2Fa/api-key/a%2Fb%252F"],
    [workspaceSettings, "team/a", "team/a", "/api/v1/workspace/team%2Fa"],
  ] as const) {
    const { find, calls } = replying(definition, reply);
    const found = await find({ id: importId, given: {}, isGet: false });
    expect(found).toMatchObject({ id, state: { workspaceId: "team/a" } });
    expect(calls[0]?.path).toBe(path);
  }
});

test.each([{ defaultKeyPrefix: "" }, { defaultKeyPrefix: null }, { defaultExpiration: 0 }, {}])(
  "R19 an import of a workspace whose settings are %j has its id alone, and its program shows no change",
  async (values) => {
    const settings = replying(workspaceSettings, () => ({ workspace: { id: "ws_1", ...values } }));
    const found = await settings.find({ id: "ws_1", given: {}, isGet: false });
    const { failures, inputs } = settings.check(found?.inputs ?? {}, undefined, "ci");
    expect(failures).toEqual([]);
    expect(settings.diff("ws_1", found?.state ?? {}, inputs).changes).toBe(false);
  },
);
