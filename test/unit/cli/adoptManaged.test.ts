import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { givenSecrets, managedKeys } from "../../../cli/managed";
import { Failure } from "../../../provider/core/errors";
import { markedAt } from "../../../provider/core/secrecy";

const exported = (name: string) =>
  readFileSync(join(__dirname, `../../snapshots/0.1.0/${name}.state.json`), "utf8");
const state = (...resources: readonly object[]) =>
  JSON.stringify({ version: 3, deployment: { resources: [{ type: "pulumi:pulumi:Stack" }, ...resources] } });
const resource = (kind: string, outputs: object) => ({
  type: `apikeys:index:${kind}`,
  urn: `urn:pulumi:dev::shop::component$apikeys:index:${kind}::of ${kind}`,
  id: `id of ${kind}`,
  outputs: { workspaceId: "ws_main", ...outputs },
});
const { value: _, ...mark } = markedAt({ one: "" }, [["one"]])["one"] as { readonly value: string };
const marked = (content: object) => ({ ...mark, ...content });
const plain = (value: unknown) => marked({ plaintext: JSON.stringify(value) });
const hidden = marked({ ciphertext: "v1:abc" });
const inMain = (text: string) => managedKeys(text, "state.json", "ws_main");

test.each([
  [
    "keys of ApiKeys, including one that is still to be deleted",
    "ws_main",
    ["key_drifted", "key_lost", "key_renewed2", "key_renewed"],
  ],
  [
    "keys of sets, including those that are still to be deleted",
    "ws_third",
    ["key_driftedInSet", "key_dropped", "key_lostInSet", "key_renewedInSet2", "key_renewedInSet"],
  ],
])("K12 the command finds in a stack's state the %s of the workspace", (_what, workspace, ids) => {
  const names = ["drifted", "lost", "renewed", "renewed", "set"];
  expect(managedKeys(exported("unsettled"), "state.json", workspace)).toEqual({ ids, names });
});

test("K12 the command skips a key that the stack only reads, but takes its resource's name as taken", () => {
  const { ids, names } = inMain(exported("settled"));
  expect(ids).toEqual(expect.arrayContaining(["key_imported", "key_hidden", "key_takenOver"]));
  expect([ids.includes("key_theirs"), names.includes("theirs")]).toEqual([false, true]);
});

test("K12 the command finds the keys of the plugin's types, including all keys of a RotatingApiKey", () => {
  const rotating = { keyId: "key_b", previousKeyId: "key_a", toDelete: ["key_0"] };
  const all = state(
    resource("RotatingApiKey", rotating),
    resource("ApiKey", { keyId: "no" }),
    resource("ApiKeySet", { ids: { imported: 1042 } }),
    resource("Scope", {}),
    resource("constructor", {}),
  );
  expect(inMain(all)).toEqual({
    ids: ["key_b", "key_a", "key_0", "id of ApiKey", "1042"],
    names: ["of RotatingApiKey", "of ApiKey", "of ApiKeySet"],
  });
  expect(inMain(`{"version":3,"deployment":{"manifest":{}}}`)).toEqual({ ids: [], names: [] });
});

test.each([
  ["ApiKeySet", { ids: { a: plain("key_1"), b: "key_2" }, secrets: hidden }],
  ["ApiKeySet", { ids: { a: "key_1" }, toDelete: plain(["key_2"]) }],
  ["ApiKeySet", { ids: { a: "key_1" }, toDelete: [plain("key_2")] }],
  ["RotatingApiKey", { keyId: plain("key_1"), previousKeyId: plain("key_2") }],
  ["RotatingApiKey", { keyId: "key_1", previousKeyId: null, toDelete: [plain("key_2")] }],
])("K12 the command reads ids of a %s that were exported with --show-secrets: %j", (kind, outputs) => {
  expect(inMain(state(resource(kind, outputs))).ids).toEqual(["key_1", "key_2"]);
});

test.each<[string, (one: unknown) => object]>([
  ["ApiKeySet", (one) => ({ ids: one })],
  ["ApiKeySet", (one) => ({ ids: { a: "key_1", b: one } })],
  ["ApiKeySet", (one) => ({ ids: {}, toDelete: one })],
  ["ApiKeySet", (one) => ({ ids: {}, toDelete: [one] })],
  ["RotatingApiKey", (one) => ({ keyId: one })],
  ["RotatingApiKey", (one) => ({ keyId: "key_1", previousKeyId: one })],
  ["RotatingApiKey", (one) => ({ keyId: "key_1", toDelete: ["key_2", one] })],
])("K12 the command fails if an id of a %s is still encrypted, or was edited: %o", (kind, outputs) => {
  const found = (one: unknown) => () => inMain(state(resource(kind, outputs(one))));
  const problem = `state.json: the ids of the keys of "of ${kind}" are encrypted, or were edited. Export the stack with \`pulumi stack export --show-secrets\`, and delete that file afterwards.`;
  for (const value of [hidden, marked({ plaintext: "sk_live_value" }), marked({ plaintext: "" }), true])
    expect(found(value)).toThrow(new Failure("wrongInput", problem));
});

test("K12 the command includes a key if the id of its workspace can't be read", () => {
  const all = [hidden, marked({ plaintext: "sk_live_value" }), plain("ws_main"), plain("ws_second")];
  const counts = all.map((workspaceId) => inMain(state(resource("ApiKey", { workspaceId }))).ids.length);
  expect(counts).toEqual([1, 1, 1, 0]);
});

test.each(["", "sk_live_value", "null", "{}", `{"deployment":[]}`, `{"deployment":{"resources":"sk_"}}`])(
  "K12 the command fails for a file that is not a stack's state, without quoting it: %j",
  (text) => {
    expect(() => inMain(text)).toThrow(
      /^APIKEYS1001: state\.json is not a stack's state: export it with `pulumi stack export --file state\.json`\.$/,
    );
  },
);

test("K12 the command finds the secrets of all keys of the workspace in a stack's state", () => {
  const rotating = {
    ...{ keyId: "key_b", key: plain("sk_b"), previousKeyId: plain("key_a"), previousKey: plain("sk_a") },
  };
  const all = state(
    resource("ApiKey", { key: plain("sk_1") }),
    resource("ApiKey", { workspaceId: "ws_other", key: plain("sk_other") }),
    resource("ApiKeySet", {
      ids: plain({ a: "key_c", b: "key_d", c: "key_e" }),
      secrets: plain({ a: "sk_c", b: "sk_d" }),
    }),
    resource("RotatingApiKey", rotating),
    resource("Scope", { key: plain("sk_no") }),
  );
  expect(Object.fromEntries(givenSecrets(all, "state.json", "ws_main"))).toEqual({
    ...{ "id of ApiKey": "sk_1", key_c: "sk_c", key_d: "sk_d", key_b: "sk_b", key_a: "sk_a" },
  });
});

test.each([
  ["is a state whose secrets are encrypted", state(resource("ApiKey", { key: hidden }))],
  ["is not JSON", "key_1=sk_secret"],
  ["has no secrets", '[{ "key": "sk_secret" }]'],
])("K12 the command refuses a file of secrets that %s, and does not quote it", (_, text) => {
  const refused = () => givenSecrets(text, "values.json", "ws_main");
  expect(refused).toThrow(
    /values\.json has no secrets of keys: it must be a JSON object, with the secret of each key by its id, or the output of `pulumi stack export --show-secrets`/,
  );
  expect(refused).not.toThrow(/sk_secret/);
});
