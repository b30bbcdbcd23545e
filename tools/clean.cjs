// The first step of each build, for any Node.js: `npm ci --ignore-scripts` installs none, and an older one on PATH fails later.
const { rmSync } = require("node:fs");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  const advice = "Run `npm ci` without --ignore-scripts, which installs one, or put a newer one on PATH.";
  console.error(`pulumi-apikeys needs Node.js 22.19 or newer; this is ${process.version}. ${advice}`);
  process.exit(1);
}
rmSync("dist", { recursive: true, force: true });
