import { execFile } from "node:child_process";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { startStandIn } from "../../standin";
import { projectWithPackage } from "./installed";

describe("the modules that the package loads", () => {
  let project: string;
  beforeAll(async () => {
    project = await projectWithPackage();
  });

  /** The files that a process in a user's project has loaded once this expression and its promise have settled. */
  async function loadedBy(expression: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
    const tell = "console.log(JSON.stringify(Object.keys(require.cache)))";
    const script = `(async () => ${expression})().finally(() => ${tell}).catch(() => {})`;
    const options = { cwd: project, env: { ...process.env, ...env } };
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], options);
    return JSON.parse(stdout);
  }
  const inPackage = (...path: string[]) =>
    join(project, "node_modules", "pulumi-apikeys", "dist", ...path) + sep;

  test("a program that imports the SDK loads only the SDK and @pulumi/pulumi", async () => {
    const [withSdk, pulumiAlone] = await Promise.all([
      loadedBy(`require("pulumi-apikeys")`),
      loadedBy(`require("@pulumi/pulumi")`),
    ]);
    const more = withSdk.filter((file) => !pulumiAlone.includes(file));
    expect(more).toContain(`${inPackage("sdk")}index.js`);
    expect(more.filter((file) => !file.startsWith(inPackage("sdk")))).toEqual([]);
  });

  test("the provider loads no @pulumi/pulumi, and no HTTP library before the first request", async () => {
    const loaded = await loadedBy(`require("pulumi-apikeys/dynamic").provider("ApiKey")`);
    expect(loaded).toContain(`${inPackage("provider", "hosts", "dynamic")}index.js`);
    expect(loaded.filter((file) => file.includes(`${sep}@pulumi${sep}`))).toEqual([]);
    expect(loaded.filter((file) => file.includes(`${sep}undici${sep}`))).toEqual([]);
    expect(loaded.filter((file) => file.startsWith(inPackage("sdk")))).toEqual([]);
  });

  test("the first request loads only the agent of the HTTP library", async () => {
    const service = await startStandIn();
    const { id } = service.addKey({ workspaceId: "ws_main", customerId: "acme", name: "ci" });
    const env = { APIKEYS_BASE_URL: service.url, APIKEYS_ACCESS_TOKEN: service.accessToken };
    const loaded = await loadedBy(
      `require("pulumi-apikeys/dynamic").provider("ApiKey").read("${id}", { workspaceId: "ws_main" })`,
      env,
    );
    expect(service.requests.length).toBeGreaterThan(0);
    await service.close();
    const files = loaded.flatMap((file) => file.split(`${sep}undici${sep}`).slice(1));
    expect(files).toContain(join("lib", "dispatcher", "agent.js"));
    expect(files).not.toContain("index.js");
  });

  /** The message of the error of this expression or its promise. */
  async function problemOf(expression: string, before = ""): Promise<string> {
    const script = `${before}; (async () => ${expression})().then(() => "none", (error) => error.message).then(console.log)`;
    return (await promisify(execFile)(process.execPath, ["-e", script], { cwd: project })).stdout;
  }
  const providerOf = (kind: string) => `require("pulumi-apikeys/dynamic").provider("${kind}")`;

  test("a resource that this version does not have is an error that says what to install, not a crash", async () => {
    const problem = await problemOf(providerOf("Robot"));
    expect(problem).toMatch(/^This version of pulumi-apikeys has no resource Robot: install .*\n$/);
  });

  test("a Node.js that is too old is an error that names the version needed", async () => {
    const on = (version: string, expression: string) =>
      problemOf(expression, `Object.defineProperty(process, "version", { value: "${version}" })`);
    const needed = "pulumi-apikeys needs Node.js 22.19 or newer on PATH; this is v22.18.0.\n";
    const ask = `require("pulumi-apikeys").getWorkspaces()`;
    expect(await on("v22.18.0", providerOf("ApiKey"))).toBe(needed);
    expect(await on("v22.19.0", providerOf("ApiKey"))).toBe("none\n");
    expect(await on("v22.18.0", ask)).toBe(needed);
  });
});
