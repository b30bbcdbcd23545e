import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { containsUnknown } from "../../../provider/core/fields";
import { isRecord } from "../../../provider/core/state";
import { lifecycle } from "../../../provider/lifecycle/operations";
import { definitions } from "../../../provider/resources";
import { runs } from "../../all";
import { stateOfAll } from "../apiKeySet/setArbitraries";
import { bag, canary, expectFit, expectWireable, likely } from "../bagArbitraries";
import { configured, hostContext } from "../offline";

vi.setConfig({ testTimeout: 30_000 });

describe.each(Object.entries(definitions))("any inputs of %s", (kind, definition) => {
  const config = { ...configured, "apikeys:accessToken": canary };
  const operations = lifecycle(definition, hostContext({ config, warn: expectFit }));
  const bags = bag(likely[kind]);

  test("are checked without showing a secret, and the checked inputs are canonical and show no change", () => {
    fc.assert(
      fc.property(bags, fc.option(bags, { nil: undefined }), (declared, before) => {
        const { inputs, failures } = operations.check(declared, before);
        expectFit(...failures);
        expectWireable(inputs);
        expect(operations.check(inputs, before).inputs).toEqual(inputs);
        const outputs =
          kind === "RotatingApiKey" ? { keyId: "key_1", rotatedAt: new Date().toISOString() } : {};
        const state =
          kind === "ApiKeySet" && isRecord(inputs["keys"]) ? stateOfAll(inputs) : { ...inputs, ...outputs };
        const { changes, replaces } = operations.diff("id_1", state, inputs);
        if (!containsUnknown(inputs)) expect({ changes, replaces }).toEqual({ changes: false, replaces: [] });
      }),
      { seed: 5, numRuns: runs(1_000) },
    );
  });
});
