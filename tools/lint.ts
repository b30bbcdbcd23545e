/** Runs every script named `lint:…`, so that one failure hides no other, and fails if one of them failed. */
import { spawnSync } from "node:child_process";
import { scripts } from "../package.json";

const parts = Object.keys(scripts).filter((name) => name.startsWith("lint:"));
const failed = parts.filter(
  (name) => spawnSync(`npm run -s ${name}`, { shell: true, stdio: "inherit" }).status !== 0,
);
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
