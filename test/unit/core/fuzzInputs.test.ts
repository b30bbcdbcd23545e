import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { containsUnknown } from "../../../provider/core/fields";
import { isRecord } from "../../../provider/core/state";
import { provider } from "../../../provider/hosts/dynamic";
import { lifecycle } from "../../../provider/lifecycle/operations";
import { definitions } from "../../../provider/resources";
import { runs } from "../../all";
import { stateOfAll } from "../apiKeySet/setArbitraries";
import { bag, canary, expectFit, expectWireable, usualOf } from "../bagArbitraries";
import { configured, hostContext, inWords } from "../offline";

vi.setConfig({ testTimeout: 30_000 });

const config = { ...configured, "apikeys:accessToken": canary } as Readonly<Record<string, string>>;
const kinds = Object.entries(definitions);

test.each(kinds)(
  "R2 R16 any inputs of %s are checked without showing a secret, and then show no change",
  (kind, definition) => {
    const operations = inWords(lifecycle(definition, hostContext({ config, warn: expectFit })));
    const bags = bag(usualOf(kind));
    fc.assert(
      fc.property(bags, fc.option(bags, { nil: undefined }), (declared, before) => {
        const { inputs, failures } = operations.check(declared, before);
        expectFit(...failures);
        expectWireable(inputs);
        expect(operations.check(inputs, before).inputs).toEqual(inputs);
        const outputs = kind === "RotatingApiKey" && { keyId: "key_1", rotatedAt: new Date().toISOString() };
        const isSet = kind === "ApiKeySet" && isRecord(inputs["keys"]);
        const state = isSet ? stateOfAll(inputs) : { ...inputs, ...outputs };
        const { changes, replaces } = operations.diff("id_1", state, inputs);
        if (!containsUnknown(inputs)) expect({ changes, replaces }).toEqual({ changes: false, replaces: [] });
      }),
      { seed: 5, numRuns: runs(1_000) },
    );
  },
);

test.each(kinds)("R8 R16 the dynamic host answers check and diff of any properties of %s", async (kind) => {
  const { check, diff, configure } = provider(kind) as Required<ReturnType<typeof provider>>;
  void configure({ config: { get: (key) => config[key], require: (key) => config[key] ?? "" } });
  const bags = bag({ ...usualOf(kind), __provider: "exports.handler = …" });
  const property = fc.asyncProperty(bags, bags, async (olds, news) => {
    const { inputs = {}, failures = [] } = await check(olds, news);
    expectWireable(inputs);
    for (const { property: named, reason } of failures) {
      expect(named).toBe("");
      expectFit(reason);
    }
    const changes = await diff("id_1", olds, inputs).catch((error: Error) => {
      // The host prints the stack beside the message, which the engine prints too.
      expect([String(error), error.stack]).toEqual(["pulumi-apikeys", "shown"]);
      expectFit(error.message);
    });
    // The host leaves out what is undefined.
    expectWireable(JSON.parse(JSON.stringify(changes ?? {})));
  });
  await fc.assert(property, { seed: 11, numRuns: runs(300) });
});
