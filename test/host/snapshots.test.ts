import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { dynamic } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { definitions } from "../../provider/resources";
import type { Properties } from "./host";
import { projectWithPackage } from "./installed";

interface Recorded {
  readonly urn: string;
  readonly inputs: Properties & { readonly __provider?: string };
  readonly outputs: Properties;
}

const folder = join(__dirname, "..", "snapshots");

function recorded(story: string): readonly Recorded[] {
  return readdirSync(folder).flatMap((version) => {
    const { deployment } = JSON.parse(readFileSync(join(folder, version, `${story}.state.json`), "utf8"));
    const resources: readonly Recorded[] = deployment.resources;
    return resources.filter(({ inputs }) => inputs?.__provider !== undefined);
  });
}

/** As Pulumi's own host does: the string is a module in the program's folder, whose handler returns the provider. */
async function providerOf(text: string): Promise<dynamic.ResourceProvider> {
  const require = createRequire(join(await projectWithPackage(), "index.js"));
  const module: { handler?: () => dynamic.ResourceProvider } = {};
  new Function("exports", "require", text)(module, require);
  if (module.handler === undefined) throw new Error("the provider string exports no handler");
  return module.handler();
}

/** The property that marks a secret, in state and in Pulumi's protocol. */
const secretMark = "4dabf18193072939515e22adb298388d";

/** With secrets in plain text, as the dynamic host gets them. */
function plain(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties), (_name, given: unknown) => {
    if (typeof given !== "object" || given === null || !(secretMark in given)) return given;
    return "plaintext" in given ? JSON.parse(String(given.plaintext)) : (given as Properties)["value"];
  });
}

test("every provider string of an earlier state still creates a provider, for each kind of resource", async () => {
  const strings = ["settled", "unsettled", "sets"].flatMap((story) =>
    recorded(story).flatMap(({ inputs, outputs }) => [inputs.__provider, outputs["__provider"]]),
  );
  const distinct = [...new Set(strings)].map(String);
  for (const text of distinct) {
    const provider = await providerOf(text);
    expect(Object.keys(provider).toSorted(), text).toEqual([
      "check",
      "configure",
      "create",
      "delete",
      "diff",
      "read",
      "update",
    ]);
  }
  const kinds = distinct.map((text) => /provider\("(\w+)"\)/.exec(text)?.[1]);
  expect(new Set(kinds)).toEqual(new Set(Object.keys(definitions)));
});

const settledSets = recorded("sets").filter(({ urn }) => urn.endsWith("::settled"));
// The engine never checks or diffs what ApiKey.get reads.
const settled = [...recorded("settled"), ...settledSets]
  .filter(({ outputs }) => !("__external" in outputs))
  .map((each) => [each.urn.split("::").slice(2).join(" "), each] as const);

test.each(settled)("R3 a settled state of %s shows no change", async (_urn, held) => {
  const provider = await providerOf(String(held.inputs.__provider));
  const [{ __provider: _, ...inputs }, outputs] = [plain(held.inputs), plain(held.outputs)];
  const checked = await provider.check?.(inputs, inputs);
  expect(plain(checked?.inputs ?? {})).toEqual(inputs);
  expect(await provider.diff?.("id", outputs, inputs)).toEqual({ changes: false, replaces: [] });
});
