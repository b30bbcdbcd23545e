import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { provider } from "../../../provider/hosts/dynamic";
import { definitions } from "../../../provider/resources";
import { type StandIn, startStandIn } from "../../../standin";
import { runs } from "../../all";
import { bag, canary, expectFit, expectWireable, likely } from "../bagArbitraries";

vi.setConfig({ testTimeout: 30_000 });

let standIn: StandIn;
const warnings: string[] = [];
beforeAll(async () => {
  standIn = await startStandIn({ tenants: [{ accessToken: canary, workspaces: [{ id: "ws_1" }] }] });
  standIn.addKey({ id: "id_1", workspaceId: "ws_1", name: "ci" });
  standIn.addScope({ id: "id_1", workspaceId: "ws_1", representation: "docs" });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => warnings.push(String(text)) > 0);
});
afterAll(async () => {
  vi.restoreAllMocks();
  expectFit(...warnings.map((line) => line.replace(/^(?:warning: )?(.*)\n$/, "$1")));
  await standIn.close();
});

/** A provider that is created and configured as the host does it. */
function configured(kind: string): Required<ReturnType<typeof provider>> {
  const created = provider(kind) as Required<ReturnType<typeof provider>>;
  const config: Record<string, string> = {
    "apikeys:baseUrl": standIn.url,
    "apikeys:accessToken": canary,
  };
  const get = (key: string) => config[key];
  void created.configure({ config: { get, require: (key) => get(key) ?? "" } });
  return created;
}

/** The operation ends with a result that the host can send, or with an error that is fit to be shown. */
async function expectAnswered<T extends object>(operation: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await operation();
    // The host leaves out what is undefined here, and only here.
    expectWireable(Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined)));
    return result;
  } catch (error) {
    const { message, stack, properties = {} } = error as Error & { properties?: object };
    if (String(error) !== "pulumi-apikeys") throw error;
    expect(stack).toBe("an operation failed, as the error of its resource says");
    expectFit(message);
    expectWireable(properties);
    return undefined;
  }
}

describe.each(Object.keys(definitions))("the dynamic host of %s", (kind) => {
  const bags = bag({ ...likely[kind], __provider: "exports.handler = …" });

  test("answers check, diff and read of any properties", async () => {
    const { check, diff, read } = configured(kind);
    const property = fc.asyncProperty(bags, bags, async (olds, news) => {
      const checked = await expectAnswered(() => check(olds, news));
      for (const { property: named, reason } of checked?.failures ?? []) {
        expect(named).toBe("");
        expectFit(reason);
      }
      await expectAnswered(() => diff("id_1", olds, checked?.inputs ?? {}));
      await expectAnswered(() => read("id_1", olds));
    });
    // Fewer runs for a Scope: one that is not in the list is looked for again after a while.
    await fc.assert(property, { seed: 11, numRuns: runs(kind === "Scope" ? 100 : 300) });
  });
});
