import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { defaultVariant, type StandIn, startStandIn, type Variant, type VariantName } from "../../standin";
import { variantCases } from "../host/serverVariants";
import { runCli } from "../runCli";
import { declaredBy } from "../unit/cli/writtenProgram";
import { startProcess } from "./lifecycles";

async function serviceWith(variant: Partial<Variant> | VariantName = {}, id = "ws_main"): Promise<StandIn> {
  const service = await startStandIn({
    variant,
    tenants: [{ accessToken: "tok_adopt", workspaces: [{ id }] }],
  });
  onTestFinished(() => service.close());
  return service;
}

/** Runs `pulumi-apikeys adopt` in this process. */
async function adopt(service: StandIn, ...args: string[]) {
  const env = { APIKEYS_BASE_URL: service.url, APIKEYS_ACCESS_TOKEN: service.accessToken };
  return runCli(["adopt", ...args], env);
}

/** The keys of a service, as far as a client may have changed them. */
const values = (service: StandIn) =>
  service.keys().map(({ updatedAt: _, scopes, ...key }) => ({
    ...key,
    scopes: scopes.map(({ id: __, ...scope }) => scope),
  }));

/** The ids of the keys that a program adopts. */
const adopted = (program: string) => {
  const { resources } = declaredBy(program);
  return resources.map(({ args }) => args["existingId"]);
};

const inMain = { workspaceId: "ws_main", customerId: "cus_1" };
const orders = { representation: "orders", read: true, update: true };

/** Keys of different kinds. The last is for `edit`. */
function addKeys(service: StandIn, workspaceId = "ws_main"): readonly string[] {
  const add = (key: Omit<Parameters<StandIn["addKey"]>[0], "workspaceId">) =>
    service.addKey({ ...inMain, workspaceId, ...key }).id;
  const edited = add({ name: "before", scopes: [orders] });
  const ids = [
    add({ name: "ci", scopes: [{ representation: "carts", del: true }, orders] }),
    add({ name: "off", enabled: false, customerId: "cus_2" }),
    add({ name: "CI", prefix: "web", expiresAt: 1_900_000_000 }),
    add({ name: `Müller "&"\n\u2028 class`, scopes: [orders] }),
    edited,
  ];
  service.deleteKey(add({ name: "deleted" }));
  return ids;
}

/** A request of another client. Lists may show its effect later. */
async function request(service: StandIn, method: string, workspaceId: string, id: string, change?: object) {
  const path = ["workspace", workspaceId, "api-key", id].map(encodeURIComponent).join("/");
  const headers = { authorization: `Bearer ${service.accessToken}`, "content-type": "application/json" };
  await fetch(`${service.url}/api/v1/${path}`, { method, headers, body: JSON.stringify(change) });
  await service.settled();
}

const services = [
  ...variantCases.filter(({ name }) => name !== "the variant throttled"),
  {
    name: "lists that are truncated, brief and late",
    variant: { listLimit: 2, listRecords: "brief", listLag: 2 } as Partial<Variant>,
    workspaceId: "ws_main",
  },
];
test.each(services.flatMap((each) => ["keys", "set"].map((form) => ({ ...each, form }))))(
  "K12: the command adopt --as $form writes a program that adopts the keys unchanged, and whose next preview is empty, on $name",
  async ({ variant, workspaceId, form }) => {
    const service = await serviceWith(variant, workspaceId);
    const ids = addKeys(service, workspaceId);
    await request(service, "PATCH", workspaceId, ids.at(-1) ?? "", {
      ...{ name: "after", enabled: false, scopes: [] },
    });
    const isListed = (variant.keyLists ?? "answered") === "answered" && variant.listLimit === 0;
    const named = isListed ? [] : ids.flatMap((id) => ["--key-id", id]);
    const { out } = await adopt(service, "--workspace", workspaceId, "--as", form, ...named);
    const before = values(service);
    service.clearRequests();
    const process = startProcess(service);
    onTestFinished(() => process.close());
    const { resources } = declaredBy(out);
    expect(resources).toHaveLength(form === "set" ? 1 : ids.length);
    for (const { kind, name, args } of resources) {
      const resource = process.of(kind);
      const { inputs, failures } = resource.check(args, undefined, name);
      expect(failures).toEqual([]);
      const { id, state } = await resource.create(inputs);
      expect(await resource.read(id, state)).toEqual({ id, state });
      expect(resource.diff(id, state, inputs).changes).toBe(false);
    }
    expect(process.warnings).toEqual([]);
    expect(values(service)).toEqual(before);
    // If records leave out false and [], the adoption sends a PATCH, because it can't see that they match.
    const isTerse = variant.zeroValues !== undefined && variant.zeroValues !== defaultVariant.zeroValues;
    const writes = service.requests.map(({ method }) => method).filter((method) => method !== "GET");
    expect(writes.filter((method) => !(isTerse && method === "PATCH"))).toEqual([]);
  },
);

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "adopt-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  return dir;
}

test("K12 pulumi-apikeys adopt can leave out other customers' keys, and keys that a stack manages", async () => {
  const service = await serviceWith();
  const [first = "", off, second = "", ...rest] = addKeys(service);
  const of = async (...args: string[]) => {
    const { code, out, err } = await adopt(service, "--workspace=ws_main", ...args);
    expect(code, err).toBe(0);
    return { ids: new Set(adopted(out)), out, err };
  };
  const others = await of("--customer", "cus_2");
  expect(others.ids).toEqual(new Set([off]));
  expect(others.err).toContain("Left out because they belong to other customers: 4.");
  const dir = await newFolder();
  const stack = async (name: string, id: string) => {
    const type = "pulumi-nodejs:dynamic/apikeys:ApiKey";
    const urn = `urn:pulumi:dev::shop::${type}::ci`;
    const resource = { type, urn, id, outputs: { workspaceId: "ws_main" } };
    const file = join(dir, name);
    await writeFile(file, JSON.stringify({ version: 3, deployment: { resources: [resource] } }));
    return ["--except", file];
  };
  const [one, two] = [await stack("one.json", first), await stack("two.json", second)];
  const left = await of(...one, ...two);
  expect(left.ids).toEqual(new Set([off, ...rest]));
  expect(left.err).toContain("Left out because a stack manages them: 2.");
  const { out } = await of(...two);
  // The names of both resources are free of conflicts.
  expect(declaredBy(out).resources.map(({ name }) => name)).toContain("ci-2");
});

test.each(["keys", "set"])(
  "K12 pulumi-apikeys adopt --as %s adopts keys with the secrets in a file, which it passes on by a file for stack config",
  async (form) => {
    const service = await serviceWith();
    const [first = "", second = "", ...others] = addKeys(service);
    const secrets = Object.fromEntries([first, second].map((id) => [id, service.key(id)?.key]));
    const dir = await newFolder();
    const [file, out] = [join(dir, "values.json"), join(dir, "config.json")];
    await writeFile(file, JSON.stringify({ ...secrets, key_of_nobody: "sk_of_nobody" }));
    const args = ["--workspace", "ws_main", "--as", form, "--values", file, "--values-out", out];
    const written = await adopt(service, ...args);
    expect(written.err).toContain(
      `Secrets in ${out}: 2. Run \`pulumi config set --secret existingKeys < ${out}\`, and delete the file.`,
    );
    for (const secret of service.secrets()) expect(written.out + written.err).not.toContain(secret);
    const config = JSON.parse(await readFile(out, "utf8"));
    expect([config, (await stat(out)).mode & 0o777]).toEqual([secrets, 0o600]);

    const process = startProcess(service);
    onTestFinished(() => process.close());
    service.clearRequests();
    const states: unknown[] = [];
    for (const { kind, name, args } of declaredBy(written.out, { existingKeys: config }).resources) {
      const resource = process.of(kind);
      const { inputs, failures } = resource.check(args, undefined, name);
      expect(failures).toEqual([]);
      const { id, state } = await resource.create(inputs);
      states.push(state["secrets"] ?? { [id]: state["key"] });
    }
    const held = states.flatMap((state) => Object.values(state as object)).filter((one) => one !== undefined);
    expect(new Set(held)).toEqual(new Set(Object.values(secrets)));
    expect(others.length).toBeGreaterThan(0);
    expect(service.requests.filter(({ method }) => method !== "GET")).toEqual([]);

    const again = await adopt(service, ...args);
    expect([again.code, again.out]).toEqual([1, ""]);
    expect(again.err).toContain("can't be written: EEXIST");
  },
);

test("pulumi-apikeys adopt reads a key that a truncated list leaves out if its id is given", async () => {
  const service = await serviceWith({ listLimit: 2, listRecords: "brief" });
  const ids = addKeys(service);
  const cut = await adopt(service, "--workspace", "ws_main");
  expect(adopted(cut.out)).toHaveLength(2);
  expect(cut.err).toContain("Keys in the list of workspace ws_main: 2.");
  const named = await adopt(service, "--workspace", "ws_main", ...ids.flatMap((id) => ["--key-id", id]));
  expect(new Set(adopted(named.out))).toEqual(new Set(ids));
});

test("pulumi-apikeys adopt says what to do if keys can't be listed", async () => {
  const { code, out, err } = await adopt(await serviceWith("noLists"), "--workspace", "ws_main");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("Listing the keys of workspace ws_main: the service answered 40");
  expect(err).toContain("If the access token is not allowed to list keys, name each key with --key-id.");
});

test("pulumi-apikeys adopt leaves out a key that was deleted since it was listed, and says so", async () => {
  const service = await serviceWith({ listLag: 1, listRecords: "brief" });
  const [first = "", ...rest] = addKeys(service);
  await request(service, "DELETE", "ws_main", first);
  const { code, out, err } = await adopt(service, "--workspace", "ws_main");
  expect(code, err).toBe(0);
  expect(new Set(adopted(out))).toEqual(new Set(rest));
  expect(err).toContain(`Left out because it was deleted: ${first}.`);
});

test("K12 pulumi-apikeys adopt writes another name for a key that has Pulumi's text for an Output as its name", async () => {
  const service = await serviceWith();
  service.addKey({ ...inMain, name: "Calling [toString] on an [Output<T>] is not supported." });
  const { out } = await adopt(service, "--workspace", "ws_main");
  expect(out).toContain('name: "key", // The key has no name in the service that a program can have');
});

test("pulumi-apikeys adopt writes nothing if one key can't be read", async () => {
  const service = await serviceWith();
  const [first = ""] = addKeys(service);
  for (let n = 0; n < 60; n += 1) service.addKey({ ...inMain, name: `key ${n}` });
  const fault = { kind: "status", status: 403 } as const;
  service.inject({ endpoint: "readApiKey", fault, when: ({ path }) => path.endsWith(first) });
  const { code, out, err } = await adopt(service, "--workspace", "ws_main");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(`Reading key ${first} in workspace ws_main: the service answered 403`);
  expect(err).toMatch(
    /Check that the access token is allowed to read the keys of ws_main\. .* Nothing was written\.\n$/,
  );
  // After that failure no further key is read.
  await setTimeout(200);
  const reads = service.requests.filter(({ endpoint }) => endpoint === "readApiKey");
  expect(reads.length).toBeLessThan(40);
});

test("pulumi-apikeys adopt writes nothing if the workspace or a given key does not exist", async () => {
  const service = await serviceWith({ otherTenant: "empty" });
  const key = await adopt(service, "--workspace", "ws_main", "--key-id", "key_of_nobody");
  expect([key.code, key.out]).toEqual([1, ""]);
  expect(key.err).toContain("There is no key key_of_nobody in workspace ws_main: check both ids.");
  const workspace = await adopt(service, "--workspace", "ws_typo");
  expect([workspace.code, workspace.out]).toEqual([1, ""]);
  expect(workspace.err).toContain("Reading workspace ws_typo: the service answered 404");
});

test.each([[[]], [["--import"]]])(
  "pulumi-apikeys adopt writes to a new file with --out and %j",
  async (form) => {
    const service = await serviceWith();
    addKeys(service);
    const args = ["--workspace", "ws_main", ...form];
    const { out: expected, err: notes } = await adopt(service, ...args);
    const file = join(await newFolder(), "keys.ts");
    expect(await adopt(service, ...args, "--out", file)).toEqual({ code: 0, out: "", err: notes });
    expect(await readFile(file, "utf8")).toBe(expected);
    // Neither the file that exists now nor a folder that doesn't is written.
    const { code, out, err } = await adopt(service, ...args, "--out", file);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`${file} can't be written: EEXIST: file already exists`);
    expect(err).not.toContain("Keys written");
    expect(await readFile(file, "utf8")).toBe(expected);
    const nowhere = await adopt(service, ...args, "--out", join(file, "keys.ts"));
    expect([nowhere.code, nowhere.out]).toEqual([1, ""]);
    expect(nowhere.err).toContain("keys.ts can't be written: ENOTDIR");
  },
);

test("pulumi-apikeys adopt fails without the service's settings, and never shows the token", async () => {
  const unset = await runCli(["adopt", "--workspace", "ws_main"]);
  expect([unset.code, unset.out]).toEqual([1, ""]);
  expect(unset.err).toContain(
    "Set APIKEYS_BASE_URL and APIKEYS_ACCESS_TOKEN in the environment. This command doesn't read stack config.",
  );
  const service = await serviceWith({ errorEchoes: "request" });
  const env = { APIKEYS_BASE_URL: service.url, APIKEYS_ACCESS_TOKEN: "wrong-access-token" };
  const wrong = await runCli(["adopt", "--workspace", "ws_main"], env);
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain("the service answered 401");
  expect(wrong.err).toContain("APIKEYS_ACCESS_TOKEN");
  expect(wrong.err).not.toContain("wrong-access-token");
  await service.stop();
  const down = await runCli(["adopt", "--workspace", "ws_main"], env);
  expect(down.err).toContain("the connection was refused");
});
