import { afterAll, beforeAll, expect, it } from "vitest";
import type { Endpoint, LoggedRequest } from "../../standin";
import { programOfEverything } from "./endpointsProgram";
import type { Outcome } from "./outcome";
import { type Scene, setScene } from "./scene";

/** The interface's twelve endpoints, with their section and the resources and functions that use them. */
const endpoints: Readonly<Record<Endpoint, { section: string; request: RegExp; usedBy: string }>> = {
  editApiKey: {
    section: "4.1",
    request: /^PATCH \/api\/v1\/workspace\/ws_main\/api-key\/key_\w+$/,
    usedBy: "ApiKey",
  },
  readApiKey: {
    section: "4.2",
    request: /^GET \/api\/v1\/workspace\/ws_main\/api-key\/key_\w+$/,
    usedBy: "ApiKey, getApiKey",
  },
  listApiKeys: {
    section: "4.3",
    request: /^GET \/api\/v1\/workspace\/ws_(main|second)\/api-key$/,
    usedBy: "getApiKeys, ApiKey if a key seems gone",
  },
  createApiKey: { section: "4.4", request: /^POST \/api\/v1\/api-key$/, usedBy: "ApiKey" },
  migrateApiKey: {
    section: "4.5",
    request: /^POST \/api\/v1\/api-key\/migrate$/,
    usedBy: "ApiKey with existingKey",
  },
  listWorkspaces: {
    section: "4.6",
    request: /^GET \/api\/v1\/workspace$/,
    usedBy: "getWorkspaces, getWorkspace by name",
  },
  readWorkspace: {
    section: "4.7",
    request: /^GET \/api\/v1\/workspace\/ws_(main|second)$/,
    usedBy: "WorkspaceSettings, getWorkspace by id",
  },
  editWorkspace: {
    section: "4.8",
    request: /^PATCH \/api\/v1\/workspace\/ws_main$/,
    usedBy: "WorkspaceSettings",
  },
  deleteApiKey: {
    section: "4.9",
    request: /^DELETE \/api\/v1\/workspace\/ws_main\/api-key\/key_\w+$/,
    usedBy: "ApiKey",
  },
  listScopes: {
    section: "4.10",
    request: /^GET \/api\/v1\/workspace\/ws_main\/scopes$/,
    usedBy: "Scope, getScopes",
  },
  createScope: {
    section: "4.11",
    request: /^POST \/api\/v1\/workspace\/ws_main\/scope$/,
    usedBy: "Scope",
  },
  createBilling: {
    section: "4.12",
    request: /^POST \/api\/v1\/customer-billing$/,
    usedBy: "CustomerBilling",
  },
};
const names = Object.keys(endpoints) as Endpoint[];

let scene: Scene;
/** The requests that the service received, by command. */
const received: { readonly during: string; readonly requests: readonly LoggedRequest[] }[] = [];
const take = async (during: string, command: () => Promise<Outcome>) => {
  scene.service.clearRequests();
  const outcome = await command();
  expect(outcome.ok, `${during}:\n${outcome.output}`).toBe(true);
  received.push({ during, requests: [...scene.service.requests] });
};

beforeAll(async () => {
  scene = await setScene("endpoints", { program: programOfEverything({ keyName: "ci", rate: 50 }) });
  const { stack, service } = scene;
  service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 7 });
  await take("preview", () => stack.preview());
  await take("up", () => stack.up({ args: ["--skip-preview"] }));
  await scene.declare(programOfEverything({ keyName: "ci renamed", rate: 60 }));
  await take("update", () => stack.up({ args: ["--skip-preview"] }));
  service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 3 });
  const drifted = service.keys().find(({ name }) => name === "ci renamed");
  service.editKey(drifted?.id ?? "", { enabled: false });
  await take("up --refresh", () => stack.up({ refresh: true, args: ["--skip-preview"] }));
  expect(service.workspaces()[0]).toMatchObject({ defaultRateLimitPerSecond: 60 });
  expect(service.keys()).toMatchObject([{ enabled: true }, { enabled: true }]);
  await take("destroy", () => stack.destroy());
});
afterAll(() => scene?.close());

it("each of the interface's twelve endpoints is used, with the method and path that the interface gives", () => {
  const all = received.flatMap(({ requests }) => requests);
  const rows = names.map((name) => {
    const { section, usedBy } = endpoints[name];
    const during = received.flatMap((each) => {
      const count = each.requests.filter(({ endpoint }) => endpoint === name).length;
      return count === 0 ? [] : [`${each.during} ${count}`];
    });
    const total = all.filter(({ endpoint }) => endpoint === name).length;
    return [section, name, String(total), usedBy, during.join(", ")];
  });
  process.stdout.write(`${table([["", "endpoint", "requests", "used by", "during"], ...rows])}\n`);
  expect(names).toHaveLength(12);
  for (const name of names) {
    const requests = all.filter(({ endpoint }) => endpoint === name);
    expect(requests.length, name).toBeGreaterThan(0);
    for (const { method, path, status } of requests) {
      expect(`${method} ${path}`).toMatch(endpoints[name].request);
      expect(status, name).toBeLessThan(300);
    }
  }
  expect(all.filter(({ endpoint }) => endpoint === "unknown")).toEqual([]);
});

it("R12 a preview only reads, and only for the program's own functions", () => {
  const [preview] = received;
  expect(preview?.requests.map(({ endpoint }) => endpoint).sort()).toEqual([
    "listApiKeys",
    "listWorkspaces",
    "readWorkspace",
  ]);
});

it("destroy leaves the service as it was, except for scopes and credits, which it can't delete", () => {
  const { service } = scene;
  expect(service.keys()).toEqual([]);
  expect(service.workspaces()[0]).toMatchObject({ defaultRateLimitPerSecond: 7 });
  expect(service.scopes("ws_main")).toHaveLength(1);
  expect(service.billings()).toHaveLength(1);
});

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, place) => Math.max(...rows.map((row) => row[place]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, place) => cell.padEnd(widths[place] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
