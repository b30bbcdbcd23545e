import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { StandIn } from "../../standin";
import { execute } from "../../tools/engine/command";
import { checkout } from "../../tools/engine/folders";
import { isAll } from "../all";
import { describeInAll, itInAll } from "../inAll";
import { runApikeys } from "./apikeysCommand";
import { setDaysAhead } from "./clock";
import { expectQuiet, expectSilentUp, expectUnsaid, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";

const folders = {
  quickstart: "quickstart",
  baseline: "workspace-baseline",
  billing: "billing",
  customers: "customers",
  adopt: "adopt",
  rotation: "rotation",
};
const examples = join(checkout, "examples");
/** In `npm test`, the CLI runs only the program of engine/readme. */
const byCli = isAll;

/** The writes since the service's log was cleared. */
const writes = ({ requests }: StandIn) =>
  requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);

/** An update without changes sends no writes, but the program's own reads are allowed (R13). */
async function expectNothingToDo({ stack, service }: Scene) {
  service.clearRequests();
  const up = await stack.up({ expectNoChanges: true });
  expect(up.ok, up.output).toBe(true);
  expect(writes(service)).toEqual([]);
}

describe("the folders under examples/", () => {
  it("are all run by a test: here, or in customersExample, languages, policy and demo.test.ts", async () => {
    const entries = await readdir(examples, { withFileTypes: true });
    const found = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(found.toSorted()).toEqual(
      [...Object.values(folders), "demo", "go", "policies", "python"].toSorted(),
    );
  });
});

describe.each(isAll ? Object.values(folders) : [])("the files of examples/%s", (example) => {
  let scene: Scene;
  const file = (name: string) => readFile(join(scene.project.dir, name), "utf8");

  beforeAll(async () => {
    scene = await setScene(`apikeys-${example}`, { example });
  });
  afterAll(() => scene?.close());

  it("compile against the package's declarations, with their own tsconfig.json", async () => {
    const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
    const compiled = await execute(process.execPath, [tsc, "-p", scene.project.dir]);
    expect(compiled.output).toBe("");
    expect(compiled.code).toBe(0);
  });

  it("name the package and the version of this repository", async () => {
    const { name, version } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
    expect(JSON.parse(await file("package.json"))).toMatchObject({
      name: `apikeys-${example}`,
      main: "index.ts",
      dependencies: { [name]: `^${version}`, "@pulumi/pulumi": expect.any(String) },
    });
  });

  it("describe in Pulumi.yaml exactly the config that the program requires", async () => {
    const [head = "", config = ""] = (await file("Pulumi.yaml")).split("\nconfig:\n");
    expect(head).toMatch(new RegExp(`^name: apikeys-${example}$[\\s\\S]*^runtime:\\n {2}name: nodejs$`, "m"));
    const described = [...config.matchAll(/^ {2}(\w+):\n {4}type: string\n {4}description: ./gm)];
    const asked = [...(await file("index.ts")).matchAll(/config\.require(?:Secret)?\("(\w+)"\)/g)];
    const names = (matches: readonly RegExpMatchArray[]) => matches.map(([, name = ""]) => name).toSorted();
    expect(names(described)).toEqual(names(asked));
    expect(asked.length > 0).toBe(example !== folders.quickstart);
  });
});

describeInAll("examples/quickstart", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene("apikeys-quickstart", { example: folders.quickstart, byCli });
  });
  afterAll(() => scene?.close());

  it("creates its keys, exports the secret as a secret, shows no change, and is destroyed", async () => {
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 3 }, diagnostics: [] });
    const keyOf = (name: string) => scene.service.keys().find((key) => key.name === name);
    const [shop, partner] = [keyOf("shop"), keyOf("partner")];
    expect(partner).toMatchObject({ prefix: "partner", expiresAt: 1924991999 });
    expect(await scene.stack.outputs()).toEqual({
      shopKeyId: { value: shop?.id, secret: false },
      shopKey: { value: shop?.key, secret: true },
      partnerKeyMasked: { value: partner?.maskedKey, secret: false },
    });
    await expectSilentUp(scene);
    await expectQuiet(scene);
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys()).toEqual([]);
  });
});

describe("examples/workspace-baseline", () => {
  let scene: Scene;
  const before = {
    defaultKeyPrefix: "old",
    defaultAllowedIPs: ["198.51.100.7"],
    defaultRateLimitPerSecond: 7,
  };

  beforeAll(async () => {
    const workspaces = [{ id: "ws_main", name: "Main", ...before }];
    scene = await setScene("apikeys-workspace-baseline", {
      example: folders.baseline,
      byCli,
      tenants: [{ accessToken: "baseline-access-token", workspaces }],
    });
  });
  afterAll(() => scene?.close());

  it("sets the defaults and creates the scopes, then a key for each service", async () => {
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 7 } });
    const keys = scene.service.keys();
    expect(keys.map(({ name }) => name).toSorted()).toEqual(["reports", "storefront", "warehouse"]);
    const created = (endpoint: string) =>
      scene.service.requests.flatMap(({ endpoint: each, n }) => (each === endpoint ? [n] : []));
    const [earliest = 0] = created("createApiKey");
    expect(created("createScope")).toHaveLength(2);
    expect(created("createScope").every((n) => n < earliest)).toBe(true);
    expect(created("editWorkspace").every((n) => n < earliest)).toBe(true);
    const known = scene.service.scopes("ws_main").map(({ representation }) => representation);
    const named = new Set(keys.flatMap(({ scopes }) => scopes.map(({ representation }) => representation)));
    expect(known.toSorted()).toEqual([...named].toSorted());
    const secrets = Object.fromEntries(keys.map(({ name, key }) => [name, key]));
    expect(await scene.stack.outputs()).toMatchObject({
      keyIds: { value: Object.fromEntries(keys.map(({ name, id }) => [name, id])), secret: false },
      secrets: { value: secrets },
    });
    await expectUnsaid(scene, Object.values(secrets));
  });

  itInAll("then shows no change and sends no request", async () => {
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("on destroy deletes the keys, restores the workspace and leaves the scopes", async () => {
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys()).toEqual([]);
    expect(scene.service.workspaces()[0]).toMatchObject(before);
    expect(scene.service.scopes("ws_main")).toHaveLength(2);
  });
});

describeInAll("examples/billing", () => {
  let scene: Scene;
  let secrets: readonly string[];
  const line = `{ grant: "initial", credits: "1000" }`;
  const declare = async (lines: string) => {
    const program = await readFile(join(examples, folders.billing, "index.ts"), "utf8");
    expect(program.split(line)).toHaveLength(2);
    await scene.declare(program.replace(line, lines));
  };
  const granted = () => scene.service.billings().map(({ totalCredits }) => totalCredits);

  beforeAll(async () => {
    scene = await setScene("apikeys-billing", { example: folders.billing, byCli });
  });
  afterAll(() => scene?.close());

  it("creates the key and grants the credits once", async () => {
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 3 } });
    expect(scene.service.billings()).toMatchObject([
      { totalCredits: "1000", spendCap: "250", allowOverages: false, externalMeterId: "meter-customer-acme" },
    ]);
    expect(scene.service.keys()).toMatchObject([{ externalMeterId: "meter-customer-acme" }]);
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("grants again with the line that its comment shows, with exactly one more POST", async () => {
    const comment = /such as (\{.*?\})/.exec(
      (await readFile(join(examples, folders.billing, "index.ts"), "utf8")).replace(/\n\/\/ /g, " "),
    )?.[1];
    await declare(`${line}, ${comment}`);
    scene.service.clearRequests();
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 1, same: 3 } });
    expect(writes(scene.service)).toEqual(["POST /api/v1/customer-billing"]);
    expect(granted()).toEqual(["1000", "500"]);
    const ids = scene.service.billings().map(({ id }) => id);
    expect(await scene.stack.outputs()).toMatchObject({ billingIds: { value: ids } });
    await expectSilentUp(scene);
  });

  it("is protected, so a changed line and a destroy fail, and nothing is granted", async () => {
    await declare(line.replace("initial", "again"));
    const changed = await scene.stack.up();
    expect(changed.ok).toBe(false);
    expect(changed.output).toContain("protect");
    secrets = scene.service.keys().map(({ key }) => key);
    const destroy = await scene.stack.destroy();
    expect(destroy.ok).toBe(false);
    expect(destroy.output).toContain("protect");
    expect(granted()).toEqual(["1000", "500"]);
    const { resources = [] } = await scene.stack.exportState();
    expect(resources.filter(({ type }) => type.endsWith(":CustomerBilling"))).toHaveLength(2);
  });

  it("is destroyed after the command in its comment unprotects it, and the credits stay", async () => {
    const [, command = ""] =
      /`pulumi (state unprotect --all)`/.exec(
        await readFile(join(examples, folders.billing, "index.ts"), "utf8"),
      ) ?? [];
    const unprotect = await scene.stack.run([...command.split(" "), "--yes"]);
    expect(unprotect.ok, unprotect.output).toBe(true);
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys()).toEqual([]);
    expect(granted()).toEqual(["1000", "500"]);
    await expectUnsaid(scene, secrets);
  });
});

describe("examples/adopt", () => {
  let scene: Scene;
  const legacy = "sk_live_legacy_value_0123456789";
  const orders = { representation: "orders", read: true };
  const keys = {
    key_ci: { name: "ci", scopes: [{ ...orders, update: true }] },
    key_old: { name: "reports", enabled: false },
    key_reports: { name: "Reports (EU)", scopes: [orders, { representation: "invoices", read: true }] },
    key_acme: { name: "acme", customerId: "cus_partners", scopes: [orders] },
    key_beta: { name: "beta", customerId: "cus_partners", scopes: [orders], enabled: false },
    key_theirs: { name: "theirs", customerId: "cust_elsewhere", enabled: false },
  };

  beforeAll(async () => {
    scene = await setScene("apikeys-adopt", {
      example: folders.adopt,
      byCli,
      config: () => ({
        "apikeys-adopt:readKeyId": "key_theirs",
        "apikeys-adopt:legacyKey": { value: legacy, secret: true },
      }),
    });
    for (const [id, key] of Object.entries(keys))
      scene.service.addKey({ id, workspaceId: "ws_main", customerId: "cus_1", ...key });
  });
  afterAll(() => scene?.close());

  it("has the files that the commands in its comment write", async () => {
    const program = await readFile(join(examples, folders.adopt, "index.ts"), "utf8");
    const commands = [...program.matchAll(/^\/\/ {3}npx pulumi-apikeys (adopt .*) > (.*)$/gm)];
    expect(commands.map(([, , file]) => file)).toEqual(["keys.ts", "partners.ts"]);
    for (const [, command = "", file = ""] of commands) {
      const written = await runApikeys(scene, ...command.split(" "));
      expect(written, written.output).toMatchObject({ code: 0 });
      expect(written.stdout).toBe(await readFile(join(examples, folders.adopt, file), "utf8"));
    }
  });

  it("finds the workspace, adopts the keys by id without a change, and migrates one by its value", async () => {
    scene.service.clearRequests();
    const before = scene.service.keys();
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 6 } });
    expect(writes(scene.service)).toEqual(["POST /api/v1/api-key/migrate"]);
    expect(scene.service.keys().slice(0, -1)).toEqual(before);
    expect(stepsFor(up, "theirs").map(({ op }) => op)).toEqual(["read"]);
    const taken = scene.service.keys().find(({ name }) => name === "legacy");
    expect(taken).toMatchObject({ key: legacy, workspaceId: "ws_main", customerId: "customer-legacy" });
    expect(await scene.stack.outputs()).toEqual({
      keyIds: { value: { ci: "key_ci", reports: "key_old", "Reports-EU": "key_reports" }, secret: false },
      partnerKeyIds: { value: { acme: "key_acme", beta: "key_beta" }, secret: false },
      workspaceId: { value: "ws_main", secret: false },
      theirsIsEnabled: { value: false, secret: false },
      theirsCustomer: { value: "cust_elsewhere", secret: false },
      legacyKeyId: { value: taken?.id, secret: false },
      legacyKey: { value: legacy, secret: true },
    });
  });

  itInAll("then shows no change and writes nothing", async () => {
    await expectNothingToDo(scene);
    const preview = await scene.stack.previewRefresh({ expectNoChanges: true });
    expect(preview.ok, preview.output).toBe(true);
  });

  it("on destroy deletes the adopted keys, and leaves the one that it only reads", async () => {
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys().map(({ id }) => id)).toEqual(["key_theirs"]);
    await expectUnsaid(scene, [legacy]);
  });
});

describe("examples/rotation", () => {
  let scene: Scene;
  const secrets = () => scene.service.keys({ deleted: false }).map(({ key }) => key);

  beforeAll(async () => {
    scene = await setScene("apikeys-rotation", { example: folders.rotation, byCli });
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 2 } });
  });
  afterAll(() => {
    vi.useRealTimers();
    return scene?.close();
  });

  it("creates a new key after 90 days, and keeps the previous one", async () => {
    setDaysAhead(scene, 90.5);
    const preview = await scene.stack.preview({ expectNoChanges: true });
    expect(preview.ok, preview.output).toBe(false);
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { update: 1, same: 1 } });
    expect(up.output).toMatch(/key_\w+ is due: a new key will be created; key_\w+ stays valid until 20/);
    const [previous, current] = secrets();
    expect(await scene.stack.outputs()).toMatchObject({
      key: { value: current, secret: true },
      acceptedKeys: { value: [current, previous], secret: true },
    });
    await expectSilentUp(scene);
  });

  it("deletes the previous key after the overlap", async () => {
    setDaysAhead(scene, 105);
    const all = secrets();
    const up = await scene.stack.up();
    expect(up.output).toMatch(/the overlap of key_\w+ ended on 20\S+: key_\w+ will be deleted\./);
    expect(secrets()).toEqual(all.slice(1));
    expect(await scene.stack.outputs()).toMatchObject({ acceptedKeys: { value: all.slice(1) } });
    await expectUnsaid(scene, all);
  });

  itInAll("is rotated at once by the config value in its comment", async () => {
    await scene.stack.setConfig("apikeys-rotation:leaked", "2026-11-24");
    const up = await scene.stack.up();
    expect(up.output).toMatch(/keepers changed: a new key will be created/);
    expect(secrets()).toHaveLength(2);
  });
});
