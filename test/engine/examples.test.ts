import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { version } from "../../package.json";
import type { StandIn } from "../../standin";
import { checkout } from "../../tools/engine/project";
import { isAll } from "../all";
import { expectQuiet, expectSilentUp, expectUnsaid, stepsFor } from "./expectations";
import { createFixture, type Fixture, runApikeys } from "./fixture";

const examples = join(checkout, "examples");
const read = (path: string) => readFile(join(examples, path), "utf8");
/** In `npm test`, the CLI runs only the program of engine/readme. */
const byCli = isAll;

/** The writes since the service's log was cleared. */
const writes = ({ requests }: StandIn) =>
  requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);

async function expectDestroyed({ stack }: Fixture) {
  const destroy = await stack.destroy();
  expect(destroy.ok, destroy.output).toBe(true);
}

describe("the folders under examples/", () => {
  const run = ["adopt", "billing", "customers", "quickstart", "rotation", "workspace-baseline"];

  it("every folder under examples/ is run by a test: here, or in customersExample, demo, languages and policy.test.ts", async () => {
    const entries = await readdir(examples, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(folders.toSorted()).toEqual([...run, "demo", "go", "policies", "python", "yaml"].toSorted());
  });

  it.each(run)(
    "the project examples/%s names this package's version, and describes exactly the config that its program requires",
    async (name) => {
      expect(JSON.parse(await read(`${name}/package.json`))).toMatchObject({
        name: `apikeys-${name}`,
        main: "index.ts",
        dependencies: { "pulumi-apikeys": `^${version}`, "@pulumi/pulumi": expect.any(String) },
      });
      const [head = "", config = ""] = (await read(`${name}/Pulumi.yaml`)).split("\nconfig:\n");
      expect(head).toMatch(new RegExp(`^name: apikeys-${name}$[\\s\\S]*^runtime:\\n {2}name: nodejs$`, "m"));
      const described = [...config.matchAll(/^ {2}(\w+):\n {4}type: string\n {4}description: ./gm)];
      const asked = [...(await read(`${name}/index.ts`)).matchAll(/config\.require(?:Secret)?\("(\w+)"\)/g)];
      const names = (matches: readonly RegExpMatchArray[]) => matches.map(([, name = ""]) => name).toSorted();
      expect(names(described)).toEqual(names(asked));
      expect(asked.length > 0).toBe(name !== "quickstart");
    },
  );
});

it("W5 examples/workspace-baseline sets the defaults and scopes before the keys; destroy restores the workspace and leaves the scopes", async () => {
  const before = {
    defaultKeyPrefix: "old",
    defaultAllowedIPs: ["198.51.100.7"],
    defaultRateLimitPerSecond: 7,
  };
  const workspaces = [{ id: "ws_main", name: "Main", ...before }];
  const fixture = await createFixture("apikeys-workspace-baseline", {
    example: "workspace-baseline",
    byCli,
    tenants: [{ accessToken: "baseline-access-token", workspaces }],
  });
  const { service, stack } = fixture;
  const up = await stack.up();
  expect(up, up.output).toMatchObject({ ok: true, changes: { create: 7 } });
  const keys = service.keys();
  expect(keys.map(({ name }) => name).toSorted()).toEqual(["reports", "storefront", "warehouse"]);
  const sent = service.requests.map(({ endpoint }) => endpoint);
  const first = sent.indexOf("createApiKey");
  expect(sent.lastIndexOf("createScope")).toBeLessThan(first);
  expect(sent.lastIndexOf("editWorkspace")).toBeLessThan(first);
  const known = service.scopes("ws_main").map(({ representation }) => representation);
  const named = new Set(keys.flatMap(({ scopes }) => scopes.map(({ representation }) => representation)));
  expect(known.toSorted()).toEqual([...named].toSorted());
  const secrets = Object.fromEntries(keys.map(({ name, key }) => [name, key]));
  expect(await stack.outputs()).toMatchObject({
    keyIds: { value: Object.fromEntries(keys.map(({ name, id }) => [name, id])), secret: false },
    secrets: { value: secrets },
  });
  await expectUnsaid(fixture, Object.values(secrets));
  if (isAll) await expectQuiet(fixture);
  await expectDestroyed(fixture);
  expect(service.keys()).toEqual([]);
  expect(service.workspaces()[0]).toMatchObject(before);
  expect(service.scopes("ws_main")).toHaveLength(2);
});

it.runIf(isAll)(
  "B2 B4 examples/billing grants the credits of each line once, protects them, and leaves them on destroy",
  async () => {
    const fixture = await createFixture("apikeys-billing", { example: "billing", byCli });
    const { service, stack } = fixture;
    const program = await read("billing/index.ts");
    const line = `{ grant: "initial", credits: "1000" }`;
    const declare = async (lines: string) => {
      expect(program.split(line)).toHaveLength(2);
      await fixture.declare(program.replace(line, lines));
    };
    const granted = () => service.billings().map(({ totalCredits }) => totalCredits);
    const up = await stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 3 } });
    expect(service.billings()).toMatchObject([
      { totalCredits: "1000", spendCap: "250", allowOverages: false, externalMeterId: "meter-customer-acme" },
    ]);
    expect(service.keys()).toMatchObject([{ externalMeterId: "meter-customer-acme" }]);
    await expectSilentUp(fixture);

    const comment = /such as (\{.*?\})/.exec(program.replace(/\n\/\/ /g, " "))?.[1];
    await declare(`${line}, ${comment}`);
    service.clearRequests();
    const again = await stack.up();
    expect(again, again.output).toMatchObject({ ok: true, changes: { create: 1, same: 3 } });
    expect(writes(service)).toEqual(["POST /api/v1/customer-billing"]);
    expect(granted()).toEqual(["1000", "500"]);

    await declare(line.replace("initial", "again"));
    for (const command of ["up", "destroy"] as const) {
      const { ok, output } = await stack[command]();
      expect(ok).toBe(false);
      expect(output).toContain("protect");
    }
    const [, command = ""] = /`pulumi (state unprotect --all)`/.exec(program) ?? [];
    const unprotect = await stack.run([...command.split(" "), "--yes"]);
    expect(unprotect.ok, unprotect.output).toBe(true);
    await expectDestroyed(fixture);
    expect(service.keys()).toEqual([]);
    expect(granted()).toEqual(["1000", "500"]);
  },
);

it("K11 K5 K12 examples/adopt has the files that its commands write, adopts keys by id without a change, and migrates one by its value", async () => {
  const legacy = "sk_live_legacy_value_0123456789";
  const orders = { representation: "orders", read: true };
  const fixture = await createFixture("apikeys-adopt", {
    example: "adopt",
    byCli,
    config: () => ({
      "apikeys-adopt:readKeyId": "key_theirs",
      "apikeys-adopt:legacyKey": { value: legacy, secret: true },
    }),
  });
  const { service, stack } = fixture;
  for (const [id, key] of Object.entries({
    key_ci: { name: "ci", scopes: [{ ...orders, update: true }] },
    key_old: { name: "reports", enabled: false },
    key_reports: { name: "Reports (EU)", scopes: [orders, { representation: "invoices", read: true }] },
    key_acme: { name: "acme", customerId: "cus_partners", scopes: [orders] },
    key_beta: { name: "beta", customerId: "cus_partners", scopes: [orders], enabled: false },
    key_theirs: { name: "theirs", customerId: "cust_elsewhere", enabled: false },
  }))
    service.addKey({ id, workspaceId: "ws_main", customerId: "cus_1", ...key });

  const commands = [
    ...(await read("adopt/index.ts")).matchAll(/^\/\/ {3}npx pulumi-apikeys (adopt .*) > (.*)$/gm),
  ];
  expect(commands.map(([, , file]) => file)).toEqual(["keys.ts", "partners.ts"]);
  for (const [, command = "", file = ""] of commands) {
    const written = await runApikeys(fixture, ...command.split(" "));
    expect(written, written.output).toMatchObject({ code: 0 });
    expect(written.stdout).toBe(await read(`adopt/${file}`));
  }

  service.clearRequests();
  const before = service.keys();
  const up = await stack.up();
  expect(up, up.output).toMatchObject({ ok: true, changes: { create: 6 } });
  expect(writes(service)).toEqual(["POST /api/v1/api-key/migrate"]);
  expect(service.keys().slice(0, -1)).toEqual(before);
  expect(stepsFor(up, "theirs").map(({ op }) => op)).toEqual(["read"]);
  const taken = service.keys().find(({ name }) => name === "legacy");
  expect(taken).toMatchObject({ key: legacy, workspaceId: "ws_main", customerId: "customer-legacy" });
  expect(await stack.outputs()).toEqual({
    keyIds: { value: { ci: "key_ci", reports: "key_old", "Reports-EU": "key_reports" }, secret: false },
    partnerKeyIds: { value: { acme: "key_acme", beta: "key_beta" }, secret: false },
    workspaceId: { value: "ws_main", secret: false },
    theirsIsEnabled: { value: false, secret: false },
    theirsCustomer: { value: "cust_elsewhere", secret: false },
    legacyKeyId: { value: taken?.id, secret: false },
    legacyKey: { value: legacy, secret: true },
  });
  if (isAll) {
    const preview = await stack.previewRefresh({ expectNoChanges: true });
    expect(preview.ok, preview.output).toBe(true);
  }
  await expectDestroyed(fixture);
  expect(service.keys().map(({ id }) => id)).toEqual(["key_theirs"]);
  await expectUnsaid(fixture, [legacy]);
});

it("T1 T2 examples/rotation creates a new key after 90 days, deletes the previous one after the overlap, and rotates by its config", async () => {
  const fixture = await createFixture("apikeys-rotation", { example: "rotation", byCli });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { service, stack } = fixture;
  const secrets = () => service.keys({ deleted: false }).map(({ key }) => key);
  const up = async () => {
    const outcome = await stack.up();
    expect(outcome.ok, outcome.output).toBe(true);
    return outcome;
  };
  await up();
  setDaysAhead(fixture, 90.5);
  expect((await stack.preview({ expectNoChanges: true })).ok).toBe(false);
  const rotated = await up();
  expect(rotated.changes).toMatchObject({ update: 1, same: 1 });
  expect(rotated.output).toMatch(
    /(key_\w+) is due: a new key will be created, and \1 stays valid for the overlap/,
  );
  const [previous, current] = secrets();
  expect(await stack.outputs()).toMatchObject({
    key: { value: current, secret: true },
    acceptedKeys: { value: [current, previous], secret: true },
  });
  await expectSilentUp(fixture);

  setDaysAhead(fixture, 105);
  expect((await up()).output).toMatch(/the overlap of key_\w+ is over: key_\w+ will be deleted\./);
  expect(secrets()).toEqual([current]);
  expect(await stack.outputs()).toMatchObject({ acceptedKeys: { value: [current] } });

  await stack.setConfig("apikeys-rotation:leaked", "2026-11-24");
  expect((await up()).output).toMatch(/keepers changed: a new key will be created/);
  expect(secrets()).toHaveLength(2);
  await expectUnsaid(fixture, [String(previous), ...secrets()]);
});

/** Sets the clocks of the service and of all processes of the stack's commands ahead by this many days. */
function setDaysAhead({ stack }: Fixture, days: number): void {
  const ms = days * 86_400_000;
  stack.setEnv("NODE_OPTIONS", `--import=data:text/javascript,${encodeURIComponent(script(ms))}`);
  // The stand-in runs in this process. It must not date a key long before its create, or the key counts as an older one.
  vi.useFakeTimers({ toFake: ["Date"], now: performance.timeOrigin + performance.now() + ms });
}

const script = (ms: number) => `
const Real = globalThis.Date;
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + ${ms}] : given));
  }
  static now() {
    return Real.now() + ${ms};
  }
};
`;
