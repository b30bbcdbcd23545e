import { expect, onTestFinished, test, vi } from "vitest";
import { version } from "../../../package.json";
import { runCli } from "../../runCli";

const run = (...args: readonly string[]) => runCli(args);

test.each([
  [["--help"], /^Usage: npx pulumi-apikeys <command>.*\n {2}adopt .*\n {2}probe .*\n {2}standin /s],
  [["-h"], /^Usage: npx pulumi-apikeys <command>/],
  [["help"], /^Usage: npx pulumi-apikeys <command>/],
  [["adopt", "--help"], /^Usage: npx pulumi-apikeys adopt /],
  [["probe", "--help"], /^Usage: npx pulumi-apikeys probe /],
  [["standin", "-h"], /^Usage: npx pulumi-apikeys standin /],
  [["--version"], new RegExp(`^${version}\n$`)],
])("pulumi-apikeys %j prints its help or version", async (args, printed) => {
  expect(await run(...args)).toEqual({ code: 0, out: expect.stringMatching(printed), err: "" });
});

test("pulumi-apikeys on a Node.js that is too old names the version needed", async () => {
  const version = vi.spyOn(process, "version", "get").mockReturnValue("v20.20.0");
  onTestFinished(() => version.mockRestore());
  const err = "pulumi-apikeys needs Node.js 22.19 or newer on PATH; this is v20.20.0.\n";
  expect(await run("standin")).toEqual({ code: 1, out: "", err });
});

test.each([[[]], [["adapt"]], [["--bogus"]]])("pulumi-apikeys %j fails with its usage", async (args) => {
  const err = expect.stringContaining("Usage: npx pulumi-apikeys <command>");
  expect(await run(...args)).toEqual({ code: 2, out: "", err });
});

test.each([
  [[], "--workspace"],
  [["--workspace", ""], "--workspace"],
  [["--workspace", "ws_main", "--customer="], "--customer"],
  [["--workspace", "ws_main", "--as", "list"], "--as"],
  [["--workspace", "ws_main", "--as", "set", "--import"], "--import"],
  [["--workspace", "ws_main", "--bogus"], "--bogus"],
  [["--workspace", "ws_main", "left over"], "left over"],
])("pulumi-apikeys adopt %j names %s, and fails with its usage", async (args, named) => {
  const { code, out, err } = await run("adopt", ...args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(new RegExp(`^pulumi-apikeys adopt: .*${named}.*\n\nUsage: npx pulumi-apikeys adopt`));
});
