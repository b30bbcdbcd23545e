import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findPulumi } from "../../../tools/engine/pulumiCli";

const shim = "pulumi-resource-pulumi-nodejs";

/** A fake `go` with the commands that the build runs. It writes a `pulumi` of the pinned version. */
const go = `case "$1" in
  env) echo go1.26.0 ;;
  list) echo "$SDK" ;;
  build)
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\necho v3.274.1\\n' > "$2"; /bin/chmod 755 "$2" ;;
esac`;

let home: string;
let lines: string[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "find-pulumi-"));
  lines = [];
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function script(file: string, body: string) {
  await mkdir(dirname(join(home, file)), { recursive: true });
  await writeFile(join(home, file), `#!/bin/sh\n${body}\n`);
  await chmod(join(home, file), 0o755);
}
async function cli(folder: string, version: string) {
  await script(`${folder}/pulumi`, `echo v${version}`);
  await script(`${folder}/${shim}`, "");
}
const find = (...path: string[]) =>
  findPulumi({
    env: {
      HOME: home,
      SDK: join(home, "sdk"),
      PATH: path.map((each) => join(home, each)).join(delimiter),
    },
    report: (line) => lines.push(line),
  });

test("the CLI on PATH is taken, also if its dynamic-provider plugin is in another folder on PATH", async () => {
  await cli("a/bin", "3.300.1");
  expect(await find("nothing/bin", "a/bin")).toEqual({ root: join(home, "a"), version: "3.300.1" });
  await script("b/bin/pulumi", "echo v3.300.1");
  expect(await find("b/bin", "a/bin")).toMatchObject({ root: join(home, "b") });
});

test("the newest CLI in the cache of the npm package is taken", async () => {
  for (const version of ["3.99.0", "3.1000.0", "3.274.1"])
    await cli(`.pulumi/versions/${version}/bin`, version);
  expect(await find()).toMatchObject({ version: "3.1000.0" });
});

test("a CLI on PATH that is too old is skipped, and one without the plugin isn't run, as it may download", async () => {
  await cli("old/bin", "3.253.9");
  await script("odd/bin/pulumi", `echo v3.300.1; echo run > ${home}/was-run`);
  await cli("new/bin", "3.254.0");
  expect(await find("old/bin", "new/bin")).toMatchObject({ root: join(home, "new") });
  await expect(find("old/bin")).rejects.toThrow(
    "old/bin/pulumi is 3.253.9, and 3.254.0 is the oldest that will do",
  );
  await expect(find("odd/bin")).rejects.toThrow(`has no ${shim} beside it or on PATH`);
  expect(await readdir(home)).not.toContain("was-run");
});

test("with only Go, a CLI is built and kept in the user's cache folder; if that fails, all four ways are named", async () => {
  await script(`sdk/nodejs/dist/${shim}`, "");
  await script("tools/npm", "echo 'pulumi: fetch failed' >&2; exit 1");
  await script("tools/go", `[ "$1" = build ] && echo 'no space left' >&2 && exit 1\n${go}`);
  const { message } = (await find("tools").catch((error: Error) => error)) as Error;
  expect(message.split("\n")).toEqual([
    expect.stringContaining("No Pulumi CLI"),
    "  1. PATH: there is no pulumi on it",
    `  2. the cache of the npm package \`pulumi\`: there is none in ${join(home, ".pulumi", "versions")}`,
    "  3. the download of the npm package `pulumi`: pulumi: fetch failed",
    "  4. a build from Go modules: go build fails: no space left",
    expect.stringContaining("install the CLI"),
  ]);
  const cache = join(home, ".cache", "pulumi-apikeys");
  expect(await readdir(cache)).toEqual([]);
  await script("tools/go", go);
  const found = await find("tools");
  expect(found).toMatchObject({ version: "3.274.1" });
  expect([dirname(found.root), await readdir(join(found.root, "bin"))]).toEqual([cache, ["pulumi", shim]]);
  expect(lines).toContainEqual(
    expect.stringMatching(/^Building the Pulumi CLI v3\.274\.1 .* once \(about 4 minutes\)/),
  );
});
