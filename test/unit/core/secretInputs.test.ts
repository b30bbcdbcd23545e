import { describe, expect, test } from "vitest";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { failureOf, refused, replying } from "../replying";

const base = { workspaceId: "ws_1", customerId: "c" };

describe("R16 the list of secret inputs", () => {
  const inputs = { ...base, name: "ci", enabled: true, scopes: [] };
  const secret = { ...inputs, __secrets: [["name"]] };
  const silent = () => {
    throw new Error("no request is made here");
  };
  const subject = replying(apiKey, silent);

  test("is in the checked inputs, unless it is empty", () => {
    expect(subject.check(secret, undefined)).toEqual({ inputs: secret, failures: [] });
    expect(subject.check({ ...secret, __secrets: [] }, undefined).inputs).toEqual(inputs);
    expect(Object.keys(subject.check(inputs, undefined).inputs)).not.toContain("__secrets");
  });

  test("is ignored if it is malformed", () => {
    for (const listed of ["name", ["name"], [[]], [[1]], { 0: ["name"] }, null]) {
      expect(subject.check({ ...inputs, __secrets: listed }, undefined).inputs).toEqual(inputs);
    }
  });

  test.each([
    ["given", inputs, secret],
    ["taken away", secret, inputs],
  ])("is an update without a request where nothing else is %s", async (_, before, after) => {
    const state = { ...before, key: "sk_1", __observed: { name: "CI" }, __service: "s" };
    expect(subject.diff("k", state, before)).toMatchObject({ changes: false, replaces: [] });
    expect(subject.diff("k", state, after)).toMatchObject({ changes: true, replaces: [] });
    expect(await subject.update("k", state, after)).toEqual({
      ...state,
      ...{ __secrets: undefined },
      ...after,
    });
  });

  test("does not stop an update from making other changes", async () => {
    const state = { ...inputs, key: "sk_1" };
    for (const [held, wanted] of [
      [state, { ...secret, name: "new" }],
      [{ ...state, __failed: true }, secret],
    ] as const) {
      const service = replying(apiKey, ({ method }) => {
        if (method === "GET") return { apiKey: { id: "k", enabled: true, scopes: [] } };
        throw refused();
      });
      await failureOf(service.update("k", held, wanted));
      expect(service.calls.map(({ method }) => method)).toContain("PATCH");
    }
  });

  test("decides which outputs are secret: the inputs themselves, outputs that follow from them, and hidden state", () => {
    const always = ["existingKey", "key"];
    const state = {
      ...inputs,
      ...{ key: "sk", maskedKey: "sk…", effectivePrefix: "owl_", effectiveExpiresAt: 1, prefix: "owl" },
      ...{ __observed: {}, __service: "s", __provider: "p" },
    };
    const outputs = (...secrets: readonly (readonly string[])[]) =>
      subject
        .secretOutputs({ ...state, __secrets: secrets })
        .map(([output]) => output)
        .toSorted();
    expect(outputs()).toEqual(always);
    expect(outputs(["name"])).toEqual(["__observed", ...always, "name"]);
    expect(outputs(["prefix"])).toContain("effectivePrefix");
    expect(outputs(["prefix"])).toContain("maskedKey");
    expect(outputs(["expiresAt"])).toContain("effectiveExpiresAt");
    expect(outputs(["expiresAt"])).not.toContain("maskedKey");
  });

  test("applies to each key of a set", () => {
    const set = replying(apiKeySet, silent);
    const outputs = (path: readonly string[]) =>
      [...new Set(set.secretOutputs({ __secrets: [path], __keys: {} }).map(([output]) => output))].toSorted();
    const withNames = ["__keys", "keys", "secrets"];
    expect(outputs(["keys", "*", "name"])).toEqual(withNames);
    expect(outputs(["keys", "*", "prefix"])).toEqual([...withNames, "maskedKeys"].toSorted());
    expect(outputs(["defaults", "prefix"])).toContain("maskedKeys");
    expect(outputs(["keys"])).toContain("maskedKeys");
    expect(set.secretInputs({ __secrets: [["defaults", "name"]] })).toContainEqual(["keys", "*", "name"]);
  });
});
