import { expect, onTestFinished, test } from "vitest";
import { startStandIn } from "../../standin";
import { page } from "../package/docsText";
import { section, table } from "../package/readmeText";
import { requestsTo, type State, startProcess } from "./lifecycles";

/** The words of docs/configuration.md for the endpoints. */
const words: Readonly<Record<string, string>> = {
  ...{ listApiKeys: "list keys", readApiKey: "read key", createApiKey: "create key" },
  ...{ migrateApiKey: "migrate key", editApiKey: "edit key", deleteApiKey: "delete key" },
  ...{ readWorkspace: "read workspace", editWorkspace: "edit workspace", listScopes: "list scopes" },
  ...{ createScope: "create scope", createBilling: "create billing record" },
};

const key = { workspaceId: "ws_main", customerId: "cus_1" };
const entries = { a: { customerId: "cus_1" }, b: { customerId: "cus_1" }, c: { customerId: "cus_1" } };
/** By the row: the resource's kind, its inputs, and those of an update. */
const rows: readonly (readonly [row: string, kind: string, inputs: State, changed: State])[] = [
  ["ApiKey", "ApiKey", { ...key, name: "a" }, { ...key, name: "b" }],
  ["ApiKey", "ApiKey", { ...key, name: "a", existingKey: "sk_live_0123456789" }, { ...key, name: "b" }],
  [
    "ApiKeySet",
    "ApiKeySet",
    { workspaceId: "ws_main", keys: entries },
    {
      workspaceId: "ws_main",
      keys: { a: { customerId: "cus_2" }, b: { ...entries.b, enabled: false }, d: entries.a },
    },
  ],
  [
    "RotatingApiKey",
    "RotatingApiKey",
    { ...key, name: "a", rotateEvery: "90d" },
    { ...key, name: "a", rotateEvery: "90d", keepers: { now: "1" } },
  ],
  [
    "WorkspaceSettings",
    "WorkspaceSettings",
    { workspaceId: "ws_main", defaultExpiration: 5, onDestroy: "restore" },
    { workspaceId: "ws_main", defaultExpiration: 6, onDestroy: "restore" },
  ],
  ["Scope", "Scope", { workspaceId: "ws_main", name: "A", representation: "a" }, {}],
  ["CustomerBilling", "CustomerBilling", { workspaceId: "ws_main", totalCredits: "1" }, {}],
];

test.each(rows)(
  "docs/configuration.md names each endpoint that the commands of an %s use",
  async (row, kind, inputs, changed) => {
    const service = await startStandIn();
    const process = startProcess(service);
    onTestFinished(async () => {
      await process.close();
      await service.close();
    });
    const resource = process.of(kind);
    const text = page("configuration.md");
    const [creates] = table(section("What a token must be allowed to do", text), "Resource");
    const cells = table(section("What a token must be allowed to do", text), "Resource").find(
      ({ Resource }) => Resource === `\`${row}\``,
    );
    const expectNamed = (column: string) => {
      const cell = cells?.[column]?.replace("as its keys", creates?.["Create"] ?? "") ?? "";
      const used = Object.keys(requestsTo(service)).map((endpoint) => words[endpoint]);
      service.clearRequests();
      expect(used.filter((word) => word === undefined || !cell.includes(word))).toEqual([]);
      return used.length;
    };
    const checked = (given: State, before?: State) => resource.check(given, before, "r").inputs;

    const before = checked(inputs);
    const { id, state } = await resource.create(before);
    expect(expectNamed("Create")).toBeGreaterThan(0);
    let last = state;
    if (Object.keys(changed).length > 0) {
      last = await resource.update(id, state, checked(changed, before));
      expect(expectNamed("Update")).toBeGreaterThan(0);
    }
    await resource.read(id, last);
    expectNamed("Refresh");
    await resource.delete(id, last);
    expectNamed("Delete or destroy");
  },
);
