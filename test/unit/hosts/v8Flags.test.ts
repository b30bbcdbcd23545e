import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { memoryFlags } from "../../../provider/hosts/plugin/v8Flags";

/** What Node.js prints when it sets these flags, in a new process, because they apply to a whole one. */
function saidOf(flags: readonly string[]): string {
  const script = `for (const flag of ${JSON.stringify(flags)}) require("node:v8").setFlagsFromString(flag)`;
  return spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stderr;
}

test("this Node.js has all V8 flags that the plugin sets in it", () => {
  expect(saidOf(["--made-up"])).toContain("unrecognized flag --made-up");
  expect(saidOf(memoryFlags(process.versions.node))).toBe("");
});

test("the plugin sets V8 flags in each version of Node.js that is known to have them, and in no later one", () => {
  expect(memoryFlags("22.19.0")).toHaveLength(4);
  for (const version of ["24.21.0", "26.10.0"]) expect(memoryFlags(version)).toHaveLength(5);
  for (const version of ["27.0.0", "100.1.0", "", "x"]) expect(memoryFlags(version)).toEqual([]);
});
