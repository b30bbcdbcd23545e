import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandOptions, execute, shellEnvironment } from "../../tools/engine/command";
import {
  checkout,
  createProject,
  type PackedPackage,
  type Project,
  packedPackage,
} from "../../tools/engine/project";

interface Used {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** The files and packages that these files import, directly or through others. */
async function usedBy(folder: string, entries: readonly string[], extension: string): Promise<Used> {
  const used = new Set<string>();
  const packages = new Set<string>();
  const follow = async (file: string): Promise<void> => {
    if (used.has(file)) return;
    used.add(file);
    const text = await readFile(join(folder, file), "utf8");
    for (const { fileName: name } of ts.preProcessFile(text, true, true).importedFiles) {
      if (name.startsWith(".")) await follow(join(file, "..", name.replace(/\.js$/, "") + extension));
      else if (!/^(node:|pulumi-apikeys(\/|$))/.test(name)) {
        packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
      }
    }
  };
  for (const entry of entries) await follow(entry + extension);
  return { files: used, packages };
}

let packed: PackedPackage;
let files: readonly string[];
let project: Project;

beforeAll(async () => {
  packed = await packedPackage();
  const entries = await readdir(packed.folder, { recursive: true, withFileTypes: true });
  files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(packed.folder.length + 1));
  project = await createProject("package");
});
afterAll(() => project.remove());

/** Runs a user's program, and parses its output. */
const node = async (script: string) => {
  const env = shellEnvironment(checkout, []);
  const result = await execute("node", ["-e", script], { cwd: project.dir, env });
  expect(result, result.output).toMatchObject({ code: 0 });
  return JSON.parse(result.stdout);
};

test("the packed package has what users need and nothing else", async () => {
  const needed = [
    /^(LICENSE|(README|CHANGELOG|SECURITY|THIRD_PARTY_NOTICES)\.md|llms\.txt|package\.json)$/,
    /^dist\/(cli|sdk|provider|standin)\/.+\.(js|d\.ts)$/,
    /^plugin\/(pulumi-resource-apikeys(\.cmd)?|(provider|grpc|undici)\.js|LICENSES\.txt)$/,
    /^docs\/(internals\/interface|(?!_index|installation-)[\w-]+)\.md$/,
    /^examples\/(?!demo)[\w-]+\/\w+(\.(ts|json|yaml|csv|py|txt|go|mod|sum))$/,
  ];
  const isNeeded = (file: string) => needed.some((pattern) => pattern.test(file));
  expect(files.filter((file) => !isNeeded(file) || /\.test\./.test(file))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "package.json"]));
  const sizes = files.map(async (file) => (await stat(join(packed.folder, file))).size);
  const unpacked = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  const { size } = await stat(packed.tarball);
  const kib = (bytes: number) => `${Math.round(bytes / 1024)} KiB`;
  console.log(`${files.length} files, ${kib(size)} packed, ${kib(unpacked)} unpacked`);
  expect(unpacked).toBeLessThan(5 * 1024 * 1024);
});

test("the packed package has all files that its pages link to", async () => {
  const texts = files.filter((file) => /^(README|CHANGELOG|SECURITY|docs\/.+)\.md$|^llms\.txt$/.test(file));
  expect(texts.length).toBeGreaterThan(15);
  const linked = texts.map(async (file) => {
    const text = await readFile(join(packed.folder, file), "utf8");
    return [...text.matchAll(/\]\((?!https:|#)([^)#]+)/g)].map(([, to = ""]) => join(dirname(file), to));
  });
  const targets = new Set((await Promise.all(linked)).flat());
  const isPacked = (target: string) => files.some((file) => file === target || file.startsWith(`${target}/`));
  expect([...targets].filter((target) => !isPacked(target))).toEqual([]);
});

test("the packed package has no code and no dependency that its exports don't use", async () => {
  const entries = [
    "dist/sdk/index",
    "dist/sdk/policy",
    "dist/provider/hosts/dynamic/index",
    "dist/standin/index",
  ];
  const code = await usedBy(packed.folder, [...entries, "dist/cli/main"], ".js");
  const types = await usedBy(packed.folder, entries, ".d.ts");
  const isOfTypes = async (file: string) => {
    const text = await readFile(join(packed.folder, file), "utf8");
    return text.replace(/\/\*[\s\S]*?\*\/|"use strict";|^.*"__esModule".*$/gm, "").trim() === "";
  };
  const unused = files.filter((file) => /^dist\/.*\.js$/.test(file) && !code.files.has(file));
  for (const file of unused) expect(await isOfTypes(file), file).toBe(true);
  const inside = files.filter((file) => /^dist\/provider\/.*\.d\.ts$/.test(file));
  expect(inside.filter((file) => !types.files.has(file))).toEqual([]);
  expect([...types.packages]).not.toContain("zod");
  const { dependencies, peerDependencies } = JSON.parse(
    await readFile(join(packed.folder, "package.json"), "utf8"),
  );
  expect([...code.packages].toSorted()).toEqual(
    Object.keys({ ...dependencies, ...peerDependencies }).toSorted(),
  );
});

test("the packed package imports nothing dynamically, which fails in Jest", async () => {
  for (const file of files.filter((name) => /^dist\/.*\.js$/.test(name))) {
    expect(await readFile(join(packed.folder, file), "utf8"), file).not.toMatch(/\bimport\(/);
  }
});

test("the packed package passes publint", async () => {
  const { messages, pkg } = await publint({ pkgDir: packed.folder, strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test("the packed package has types for every way in which TypeScript resolves modules", async () => {
  const attw = join(checkout, "node_modules", ".bin", "attw");
  const env = shellEnvironment(checkout, []);
  const result = await execute(attw, [packed.tarball, "--format", "ascii", "--no-emoji", "--no-color"], {
    env,
  });
  expect(result.code, result.output).toBe(0);
});

test("the packed package loads from CommonJS and from ES modules, with the same exports", async () => {
  const entries = ["", "/policy", "/testing", "/dynamic"].map((path) => `pulumi-apikeys${path}`);
  for (const entry of entries) {
    const [required, imported] = await node(`
      import("${entry}").then(({ default: _, "module.exports": __, __esModule, ...names }) =>
        console.log(JSON.stringify([Object.keys(require("${entry}")).sort(), Object.keys(names).sort()])))`);
    expect(required).not.toEqual([]);
    expect(imported).toEqual(required);
  }
});

test("a function that Pulumi uploads to run elsewhere can refer to resources, keys and functions of the packed package", async () => {
  const program = `
    const pulumi = require("@pulumi/pulumi");
    const { ApiKey, ApiKeySet, RotatingApiKey, getApiKey, getWorkspaces, getScopesOutput } = require("pulumi-apikeys");
    const { declaredKeys, expiresWithin } = require("pulumi-apikeys/policy");
    const { mocks, startStandIn } = require("pulumi-apikeys/testing");
    pulumi.runtime.setMocks(mocks());
    const message = (error) => error.message.split("\\n")[0];
    pulumi.runtime.runInPulumiStack(async () => {
      const base = { workspaceId: "ws_main", customerId: "cus_1" };
      const ci = new ApiKey("ci", base);
      const theirs = ApiKey.get("theirs", "key_1", base);
      const set = new ApiKeySet("set", { workspaceId: "ws_main", keys: { a: base } });
      const rotating = new RotatingApiKey("rotating", { ...base, rotateEvery: "90d" });
      const resource = { type: "apikeys:index:ApiKey", name: "ci", props: {} };
      const functions = {
        key: () => ci.key.get().slice(0, 3),
        whole: () => ((all) => [all[0].key.get().slice(0, 3), all[1].id.get(), all[2].key("a").get().slice(0, 3)])([ci, theirs, set]),
        ofSet: () => set.key("a").get().slice(0, 3),
        notOfSet: () => set.key("b"),
        rotating: () => [rotating.key.get(), rotating.previousKey.get()].map((key) => key.slice(0, 3)),
        plain: () => getApiKey({ workspaceId: "ws_main", id: "key_1" }),
        noArguments: () => getWorkspaces(),
        outputForm: () => typeof getScopesOutput({ workspaceId: "ws_main" }).apply,
        policy: () => [declaredKeys(resource)[0].label, expiresWithin([], 1, { unit: "seconds" })],
        testing: () => [typeof mocks().newResource, typeof startStandIn],
      };
      const results = {};
      for (const [name, each] of Object.entries(functions)) {
        const exported = {};
        try {
          const { text } = await pulumi.runtime.serializeFunction(each, { allowSecrets: true });
          new Function("exports", "require", text)(exported, require);
          results[name] = await exported.handler();
        } catch (error) {
          results[name] = message(error);
        }
      }
      console.log(JSON.stringify(results));
      process.exit();
    });`;
  // Pulumi looks for the package from its own folder.
  const env = { ...shellEnvironment(checkout, []), NODE_PATH: join(project.dir, "node_modules") };
  const result = await execute("node", ["-e", program], { cwd: project.dir, env });
  const notConfigured = "APIKEYS1002: The service's base URL is not configured.";
  expect(JSON.parse(result.stdout), result.output).toEqual({
    key: "sk_",
    whole: ["sk_", "key_1", "sk_"],
    ofSet: "sk_",
    notOfSet: 'APIKEYS1006: state does not have the secret of key "b".',
    rotating: ["sk_", "sk_"],
    plain: notConfigured,
    noArguments: notConfigured,
    outputForm: "function",
    policy: ["ci", []],
    testing: ["function", "function"],
  });
});

test("the packed package has the provider in one file", async () => {
  const loaded: string[] = await node(`
    require("pulumi-apikeys/dynamic").provider("ApiKey");
    console.log(JSON.stringify(Object.keys(require.cache)))`);
  expect(loaded.map((file) => file.slice(file.lastIndexOf("pulumi-apikeys")))).toEqual([
    join("pulumi-apikeys", "dist", "provider", "hosts", "dynamic", "index.js"),
  ]);
});

test("the packed package has the licences of all packages that its scripts contain", async () => {
  const bundles = ["provider/hosts/dynamic/index.js", "provider/functions.js", "cli/main.js"];
  const texts = bundles.map((file) => readFile(join(packed.folder, "dist", file), "utf8"));
  const held = (await Promise.all(texts)).flatMap((text) =>
    [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name]) => name),
  );
  const notices = await readFile(join(packed.folder, "THIRD_PARTY_NOTICES.md"), "utf8");
  const [, first, ...others] = notices.split(/^(?:```text|-{80})\n/m);
  const named = [first, ...others].flatMap((text = "") => text.trim().split("\n")[0]?.split(", "));
  expect(named.toSorted()).toEqual([...new Set(held)].toSorted());
  expect(notices.match(/^Copyright /gm)?.length).toBeGreaterThan(0);
});

test("the packed package has a command that runs the stand-in and adopts its keys", async () => {
  const { bin } = JSON.parse(await readFile(join(packed.folder, "package.json"), "utf8"));
  const script = join(project.dir, "node_modules", "pulumi-apikeys", bin["pulumi-apikeys"]);
  const command = (args: readonly string[], options: CommandOptions = {}) =>
    execute("node", [script, ...args], { cwd: project.dir, timeoutMs: 30_000, ...options });
  const env = shellEnvironment(checkout, []);
  let pid = 0;
  let adopted: ReturnType<typeof command> | undefined;
  const ran = await command(["standin", "--port", "0"], {
    env,
    onStart: (started) => {
      pid = started;
    },
    onStdout: (text) => {
      const exported = Object.fromEntries(
        [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
      );
      if (!("APIKEYS_BASE_URL" in exported)) return;
      adopted = command(["adopt", "--workspace", "ws_main"], { env: { ...env, ...exported } });
      void adopted.finally(() => process.kill(pid, "SIGINT"));
    },
  });
  expect(ran, ran.output).toMatchObject({ code: 0 });
  const { code, stdout, output } = (await adopted) ?? {};
  expect(code, output).toBe(0);
  expect(stdout).toBe('// Workspace "ws_main" has no keys to adopt.\nexport {};\n');
  expect((await command(["bogus"], { env })).code).toBe(2);
});

test("the packed package loads neither the HTTP client nor zod into programs, and only three small files into a policy pack", async () => {
  const loadedBy = async (entry: string): Promise<string[]> =>
    node(`require("${entry}"); console.log(JSON.stringify(Object.keys(require.cache)))`);
  const loaded = await loadedBy("pulumi-apikeys");
  expect(loaded).toContain(join(project.dir, "node_modules", "pulumi-apikeys", "dist", "sdk", "index.js"));
  expect(loaded.filter((file) => /node_modules.(undici|zod)/.test(file))).toEqual([]);
  const ofPolicy = await loadedBy("pulumi-apikeys/policy");
  expect(ofPolicy.map((file) => file.slice(file.lastIndexOf("pulumi-apikeys"))).toSorted()).toEqual(
    ["keyProperties", "policy", "types"].map((name) => join("pulumi-apikeys", "dist", "sdk", `${name}.js`)),
  );
});

test("the packed package says what to install if Node.js is too old, or this version has no such resource", async () => {
  const problemOf = (version: string, expression: string) =>
    node(`Object.defineProperty(process, "version", { value: "${version}" });
      (async () => ${expression})().then(() => "none", (error) => error.message)
        .then((message) => console.log(JSON.stringify(message)));`);
  const providerOf = (kind: string) => `require("pulumi-apikeys/dynamic").provider("${kind}")`;
  const needed = "APIKEYS1002: pulumi-apikeys needs Node.js 22.19 or newer on PATH; this is v22.18.0.";
  expect(await problemOf("v22.18.0", providerOf("ApiKey"))).toBe(needed);
  expect(await problemOf("v22.18.0", `require("pulumi-apikeys").getWorkspaces()`)).toBe(needed);
  expect(await problemOf("v22.19.0", providerOf("ApiKey"))).toBe("none");
  const unknown = await problemOf("v22.19.0", providerOf("Robot"));
  expect(unknown).toMatch(/^APIKEYS1007: This version of pulumi-apikeys has no resource Robot\.\nInstall /);
});
