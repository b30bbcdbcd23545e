import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findPulumi } from "../../../tools/engine/pulumiCli";

const shim = "pulumi-resource-pulumi-nodejs";

/** A fake `go` with the three commands that the build runs. It writes a `pulumi` of the pinned version. */
const go = (version: string) => `
  case "$1" in
    env) echo ${version} ;;
    list) echo "$SDK" ;;
    build)
      while [ "$1" != -o ]; do shift; done
      printf '#!/bin/sh\\necho v3.274.1\\n' > "$2"; /bin/chmod 755 "$2" ;;
  esac`;

describe("findPulumi", () => {
  let home: string;
  let path: string[];
  let said: string[];

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "find-pulumi-"));
    path = [];
    said = [];
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const script = async (file: string, body: string) => {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), `#!/bin/sh\n${body}\n`);
    await chmod(join(home, file), 0o755);
  };
  const cli = async (folder: string, version: string) => {
    await script(`${folder}/pulumi`, `echo v${version}`);
    await script(`${folder}/${shim}`, "");
  };
  const find = (more: Record<string, string> = {}) =>
    findPulumi({
      env: {
        HOME: home,
        SDK: join(home, "sdk"),
        PATH: path.map((each) => join(home, each)).join(delimiter),
        ...more,
      },
      report: (line) => said.push(line),
    });
  const failure = () =>
    find().then(
      () => "found",
      (error: Error) => error.message,
    );

  it("takes the CLI on PATH", async () => {
    await cli("a/bin", "3.300.1");
    path = ["nothing/bin", "a/bin"];
    expect(await find()).toEqual({ root: join(home, "a"), version: "3.300.1", how: "path" });
  });

  it("takes a CLI on PATH whose dynamic-provider plugin is in another folder on PATH", async () => {
    await script("a/bin/pulumi", "echo v3.300.1");
    await script(`b/${shim}`, "");
    path = ["a/bin", "b"];
    expect(await find()).toMatchObject({ how: "path" });
  });

  it("skips a CLI on PATH that is too old, and says so if it finds no other", async () => {
    await cli("old/bin", "3.253.9");
    path = ["old/bin"];
    expect(await failure()).toContain("old/bin/pulumi is 3.253.9, and 3.254.0 is the oldest that will do");
    await cli("new/bin", "3.254.0");
    path = ["old/bin", "new/bin"];
    expect(await find()).toMatchObject({ root: join(home, "new") });
  });

  it("does not run a CLI on PATH without that plugin, because it may be a launcher that downloads", async () => {
    await script("a/bin/pulumi", `echo v3.300.1; echo run > ${home}/was-run`);
    path = ["a/bin"];
    expect(await failure()).toContain(`has no ${shim} beside it or on PATH`);
    expect(await readdir(home)).not.toContain("was-run");
  });

  it("takes the newest CLI in the cache of the npm package", async () => {
    await cli(".pulumi/versions/3.99.0/bin", "3.99.0");
    await cli(".pulumi/versions/3.1000.0/bin", "3.1000.0");
    await cli(".pulumi/versions/3.274.1/bin", "3.274.1");
    expect(await find()).toMatchObject({ version: "3.1000.0", how: "npm cache" });
  });

  it("lets the npm package download a CLI", async () => {
    const bin = `${home}/.pulumi/versions/3.274.1/bin`;
    const fakes = ["pulumi", shim].map((name) => `printf '#!/bin/sh\\necho v3.274.1\\n' > ${bin}/${name}`);
    await script("tools/npm", [`/bin/mkdir -p ${bin}`, ...fakes, `/bin/chmod 755 ${bin}/*`].join("\n"));
    path = ["tools"];
    expect(await find()).toMatchObject({ version: "3.274.1", how: "npm download" });
    expect(said).toEqual([expect.stringContaining("Downloading the Pulumi CLI v3.274.1")]);
  });

  describe("if only Go is installed", () => {
    beforeEach(async () => {
      await script(`sdk/nodejs/dist/${shim}`, "");
      await script("tools/npm", "echo 'pulumi: fetch failed' >&2; exit 1");
      await script("tools/go", go("go1.26.0"));
      path = ["tools"];
    });

    it("builds a CLI, says so, and keeps it in the user's cache folder", async () => {
      const found = await find();
      expect(found).toMatchObject({ version: "3.274.1", how: "built" });
      expect(dirname(found.root)).toBe(join(home, ".cache", "pulumi-apikeys"));
      expect(await readdir(join(found.root, "bin"))).toEqual(["pulumi", shim]);
      expect(said).toContainEqual(
        expect.stringMatching(/^Building the Pulumi CLI v3\.274\.1 .* once \(about 4 minutes\)/),
      );
    });

    it("names all four ways, and why each failed, if the build fails too", async () => {
      await script("tools/go", `[ "$1" = build ] && echo 'no space left' >&2 && exit 1\n${go("go1.26.0")}`);
      expect((await failure()).split("\n")).toEqual([
        expect.stringContaining("No Pulumi CLI"),
        "  1. PATH: there is no pulumi on it",
        `  2. the cache of the npm package \`pulumi\`: there is none in ${join(home, ".pulumi", "versions")}`,
        "  3. the download of the npm package `pulumi`: pulumi: fetch failed",
        "  4. a build from Go modules: go build fails: no space left",
        expect.stringContaining("install the CLI"),
      ]);
      expect(await readdir(join(home, ".cache", "pulumi-apikeys"))).toEqual([]);
    });
  });
});
