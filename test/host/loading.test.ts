import { execFile } from "node:child_process";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { projectWithPackage } from "./installed";

describe("what loading the package brings", () => {
  let project: string;
  beforeAll(async () => {
    project = await projectWithPackage();
  });

  /** The files that a process in a user's project has loaded after it ran the script. */
  async function loadedBy(script: string): Promise<string[]> {
    const told = `${script}; console.log(JSON.stringify(Object.keys(require.cache)))`;
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", told], { cwd: project });
    return JSON.parse(stdout);
  }
  const inPackage = (...path: string[]) =>
    join(project, "node_modules", "pulumi-apikeys", "dist", ...path) + sep;

  test("a program that imports the SDK loads the SDK and @pulumi/pulumi, nothing else", async () => {
    const [withSdk, pulumiAlone] = await Promise.all([
      loadedBy(`require("pulumi-apikeys")`),
      loadedBy(`require("@pulumi/pulumi")`),
    ]);
    const more = withSdk.filter((file) => !pulumiAlone.includes(file));
    expect(more).toContain(`${inPackage("sdk")}index.js`);
    expect(more.filter((file) => !file.startsWith(inPackage("sdk")))).toEqual([]);
  });

  test("the door loads no @pulumi/pulumi, and no HTTP library before the first request", async () => {
    const loaded = await loadedBy(`require("pulumi-apikeys/dynamic").provider("ApiKey")`);
    expect(loaded).toContain(`${inPackage("provider")}dynamic.js`);
    expect(loaded.filter((file) => file.includes(`${sep}@pulumi${sep}`))).toEqual([]);
    expect(loaded.filter((file) => file.includes(`${sep}undici${sep}`))).toEqual([]);
    expect(loaded.filter((file) => file.startsWith(inPackage("sdk")))).toEqual([]);
  });

  test("a kind that this version does not know is an error that names the way on, not a crash", async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        "-e",
        `try { require("pulumi-apikeys/dynamic").provider("Robot") } catch (error) { console.log(error.message) }`,
      ],
      { cwd: project },
    );
    expect(stdout).toMatch(/^This version of pulumi-apikeys knows no resource Robot: install .*\n$/);
  });
});
