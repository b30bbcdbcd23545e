import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { managedKeys } from "../../../cli/managed";
import { Failure } from "../../../provider/core/errors";
import { markedAt } from "../../../provider/core/secrecy";

const exported = (name: string) =>
  readFileSync(join(__dirname, `../../snapshots/0.1.0/${name}.state.json`), "utf8");
const state = (...resources: readonly object[]) =>
  JSON.stringify({ version: 3, deployment: { resources: [{ type: "pulumi:pulumi:Stack" }, ...resources] } });
const resource = (kind: string, outputs: object, rest: object = {}) => ({
  type: `apikeys:index:${kind}`,
  urn: `urn:pulumi:dev::shop::component$apikeys:index:${kind}::of ${kind}`,
  id: `id of ${kind}`,
  outputs: { workspaceId: "ws_main", ...outputs },
  ...rest,
});
const { value: _, ...mark } = markedAt({ one: "" }, [["one"]])["one"] as { readonly value: string };
const marked = (content: object) => ({ ...mark, ...content });
const inMain = (text: string) => managedKeys(text, "state.json", "ws_main");

describe("managedKeys, which reads a stack's exported state,", () => {
  it("finds the keys of ApiKeys, including one that is still to be deleted", () => {
    expect(inMain(exported("unsettled"))).toEqual({
      ids: ["key_drifted", "key_lost", "key_renewed2", "key_renewed"],
      names: ["drifted", "lost", "renewed", "renewed"],
    });
  });

  it("skips a key that the stack only reads, but reports its resource name as taken", () => {
    const { ids, names } = inMain(exported("settled"));
    expect(ids).toEqual(expect.arrayContaining(["key_imported", "key_hidden", "key_takenOver"]));
    expect([ids.includes("key_theirs"), names.includes("theirs")]).toEqual([false, true]);
  });

  it("finds the keys of sets in the workspace, including those that are still to be deleted", () => {
    expect(inMain(exported("sets"))).toEqual({
      ids: ["key_drifted", "key_dropped", "key_lost", "key_renewed2", "key_renewed"],
      names: ["settled", "unsettled", "rotated"],
    });
    expect(managedKeys(exported("sets"), "state.json", "ws_third").ids).toHaveLength(7);
  });

  it("finds the keys of the plugin's resource types, including all keys of a RotatingApiKey", () => {
    const rotating = {
      keyId: "key_b",
      previousKeyId: "key_a",
      __toDelete: [{ id: "key_0", name: "ci" }],
    };
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
  });

  it("reads encrypted ids only from an export with --show-secrets", () => {
    const plaintext = JSON.stringify([{ id: "key_0", name: "ci" }]);
    const set = (__toDelete: unknown) =>
      state(
        resource("ApiKeySet", { ids: { ci: "key_1" }, __toDelete, secrets: marked({ ciphertext: "x" }) }),
      );
    expect(inMain(set(marked({ plaintext }))).ids).toEqual(["key_1", "key_0"]);
    expect(() => inMain(set(marked({ ciphertext: "v1:abc" })))).toThrow(
      'state.json: the ids of the keys of "of ApiKeySet" are encrypted. Export the stack with `pulumi stack export --show-secrets`',
    );
  });

  const plain = (id: string) => marked({ plaintext: JSON.stringify(id) });

  it.each([
    ["ApiKeySet", "ids", { ids: { a: plain("key_1"), b: "key_2" } }],
    [
      "ApiKeySet",
      "__toDelete",
      { ids: { a: "key_1" }, __toDelete: [{ id: plain("key_2"), name: marked({ ciphertext: "x" }) }] },
    ],
    ["RotatingApiKey", "keyId and previousKeyId", { keyId: plain("key_1"), previousKeyId: plain("key_2") }],
    [
      "RotatingApiKey",
      "__toDelete",
      { keyId: "key_1", previousKeyId: null, __toDelete: [marked({ plaintext: `{"id":"key_2"}` })] },
    ],
  ])("for %s, reads values in %s that were encrypted one by one", (kind, _field, outputs) => {
    expect(inMain(state(resource(kind, outputs))).ids).toEqual(["key_1", "key_2"]);
  });

  const hidden = marked({ ciphertext: "v1:abc" });
  const edited = marked({ plaintext: "sk_live_value" });

  it.each([
    ["ApiKeySet", "ids", (one: unknown) => ({ ids: one })],
    ["ApiKeySet", "an entry of ids", (one: unknown) => ({ ids: { a: "key_1", b: one } })],
    ["ApiKeySet", "__toDelete", (one: unknown) => ({ ids: {}, __toDelete: one })],
    ["ApiKeySet", "an entry of __toDelete", (one: unknown) => ({ ids: {}, __toDelete: [one] })],
    ["RotatingApiKey", "keyId", (one: unknown) => ({ keyId: one })],
    ["RotatingApiKey", "previousKeyId", (one: unknown) => ({ keyId: "key_1", previousKeyId: one })],
    [
      "RotatingApiKey",
      "an id in __toDelete",
      (one: unknown) => ({ keyId: "key_1", __toDelete: [{ id: "key_2" }, { id: one }] }),
    ],
  ] as const)("for %s, fails if %s is still encrypted, or was edited", (kind, _field, outputs) => {
    const whole = (one: unknown) => () => inMain(state(resource(kind, outputs(one))));
    expect(whole(hidden)).toThrow(`state.json: the ids of the keys of "of ${kind}" are encrypted.`);
    for (const value of [edited, marked({ plaintext: "" }), true])
      expect(whole(value)).toThrow(
        new Failure(
          `state.json: the ids of the keys of "of ${kind}" can't be read. Export the stack again, and leave the file as it is.`,
        ),
      );
  });

  it("includes a key if the id of its workspace can't be read", () => {
    const of = (workspaceId: unknown) => inMain(state(resource("ApiKey", { workspaceId }))).ids;
    expect([hidden, edited, plain("ws_main"), plain("ws_second")].map((id) => of(id).length)).toEqual([
      1, 1, 1, 0,
    ]);
  });

  it("finds no keys in an empty stack", () => {
    expect(inMain(`{"version":3,"deployment":{"manifest":{}}}`)).toEqual({ ids: [], names: [] });
  });

  it.each([
    "",
    "sk_live_value",
    "[]",
    "null",
    "{}",
    `{"deployment":[]}`,
    `{"deployment":{"resources":"sk_"}}`,
  ])("fails for a file that is not a stack's state, without quoting it: %j", (text) => {
    expect(() => inMain(text)).toThrow(
      /^state\.json is not a stack's state: export it with `pulumi stack export --file state\.json`\.$/,
    );
  });
});
