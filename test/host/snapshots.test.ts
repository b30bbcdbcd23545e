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

/** As Pulumi's own host does it: the text is a module of the program's folder, and makes the provider when called. */
async function providerOf(text: string): Promise<dynamic.ResourceProvider> {
  const require = createRequire(join(await projectWithPackage(), "index.js"));
  const module: { handler?: () => dynamic.ResourceProvider } = {};
  new Function("exports", "require", text)(module, require);
  if (module.handler === undefined) throw new Error("the text exports no handler");
  return module.handler();
}

/** Stands in each secret, in state and on Pulumi's wire. */
const secretMark = "4dabf18193072939515e22adb298388d";

/** Secrets as the host gets them: in plain text. */
function plain(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties), (_name, given: unknown) => {
    if (typeof given !== "object" || given === null || !(secretMark in given)) return given;
    return "plaintext" in given ? JSON.parse(String(given.plaintext)) : (given as Properties)["value"];
  });
}

test("every provider string that ever stood in a state makes a provider, for each kind", async () => {
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
const settled = [...recorded("settled"), ...settledSets].map(
  (each) => [each.urn.split("::").slice(2).join(" "), each] as const,
);

test.each(settled)(
  "R3 what a settled state holds of %s is checked to itself, and no change",
  async (_urn, held) => {
    const provider = await providerOf(String(held.inputs.__provider));
    const [{ __provider: _, ...inputs }, outputs] = [plain(held.inputs), plain(held.outputs)];
    // What ApiKey.get reads is never checked or compared.
    if ("__reading" in outputs) return;
    const checked = await provider.check?.(inputs, inputs);
    expect(plain(checked?.inputs ?? {})).toEqual(inputs);
    expect(await provider.diff?.("id", outputs, inputs)).toEqual({ changes: false, replaces: [] });
  },
);
