import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Sets V8 flags in a new process, because they apply to a whole one, and returns the warnings of Node.js. */
const saidBy = (...args: readonly string[]) => spawnSync(process.execPath, args, { encoding: "utf8" }).stderr;

test("this Node.js has all V8 flags that the plugin sets in it", () => {
  const madeUp = 'require("node:v8").setFlagsFromString("--made-up")';
  expect(saidBy("-e", madeUp)).toContain("unrecognized flag --made-up");
  const early = join(__dirname, "../../../provider/hosts/plugin/early.ts");
  expect(saidBy("--import", "tsx", early)).toBe("");
});
