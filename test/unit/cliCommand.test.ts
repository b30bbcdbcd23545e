import { expect, test } from "vitest";
import { runCommand } from "../../cli/command";
import { version } from "../../package.json";

async function run(...args: readonly string[]) {
  const printed = { out: "", err: "" };
  const code = await runCommand(args, {
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    env: {},
    stopped: Promise.resolve(),
  });
  return { ...printed, code };
}

test.each(["--help", "-h", "help"])("pulumi-apikeys %s prints the commands", async (word) => {
  const out = expect.stringMatching(/^Usage: npx pulumi-apikeys <command>.*\n {2}adopt .*\n {2}standin /s);
  expect(await run(word)).toEqual({ code: 0, out, err: "" });
});

test.each(["adopt", "standin"])("pulumi-apikeys %s prints its usage with --help and -h", async (command) => {
  const out = expect.stringMatching(`^Usage: npx pulumi-apikeys ${command} `);
  expect(await run(command, "--help")).toEqual({ code: 0, out, err: "" });
  expect(await run(command, "-h")).toEqual({ code: 0, out, err: "" });
});

test("pulumi-apikeys --version prints the version of the package", async () => {
  expect(await run("--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
});
