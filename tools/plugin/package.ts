/**
 * Packs the plugin for this platform into archives as Pulumi names and reads them: as the script, which needs Node.js,
 * and as a single executable, which has this Node.js inside.
 */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { version } from "../../package.json";
import { checkout } from "../engine/project";

const { execPath, platform, arch } = process;
const plugin = "pulumi-resource-apikeys";
const built = join(checkout, "plugin");
const isWindows = platform === "win32";
const target = `${isWindows ? "windows" : platform}-${arch === "x64" ? "amd64" : arch}`;

for (const [kind, fill] of Object.entries({ script, executable })) {
  const made = join(checkout, "dist-plugin", kind);
  const folder = join(made, "files");
  rmSync(made, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  fill(folder);
  copyFileSync(join(checkout, "LICENSE"), join(folder, "LICENSE"));
  const archive = `${plugin}-v${version}-${target}.tar.gz`;
  execFileSync("tar", ["-czf", join("..", archive), ...readdirSync(folder)], { cwd: folder });
  rmSync(folder, { recursive: true });
  console.log(join(made, archive));
}

function script(folder: string) {
  const files = readdirSync(built).filter((file) => file !== "compiled");
  for (const file of files) copyFileSync(join(built, file), join(folder, file));
  // Whatever package.json lies in a folder above.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
}

/** Node.js's single executable application. Source: the documentation of version 24. */
function executable(folder: string) {
  const made = join(folder, isWindows ? `${plugin}.exe` : plugin);
  const [config, blob] = [join(folder, "sea.json"), join(folder, "sea.blob")];
  // In one file, because the executable can load none.
  const main = join(folder, "main.js");
  buildSync({
    ...{ entryPoints: [join(built, "provider.js")], outfile: main },
    ...{ bundle: true, platform: "node", minifyWhitespace: true },
    // LICENSES.txt has the licences of what is in the scripts, which leave this out.
    external: ["@grpc/proto-loader"],
  });
  // NODE_OPTIONS is for the user's program: what it prints to stdout the engine would take for the plugin's port.
  const options = { execArgvExtension: "none", useCodeCache: true, disableExperimentalSEAWarning: true };
  writeFileSync(config, JSON.stringify({ main, output: blob, ...options }));
  execFileSync(execPath, ["--experimental-sea-config", config]);
  copyFileSync(execPath, made);
  // On macOS a changed program must be signed again; an ad-hoc signature is enough.
  if (platform === "darwin") execFileSync("codesign", ["--remove-signature", made]);
  const postject = [require.resolve("postject/dist/cli.js"), made, "NODE_SEA_BLOB", blob];
  const fuse = ["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"];
  execFileSync(execPath, [...postject, ...fuse, "--macho-segment-name", "NODE_SEA"], { stdio: "pipe" });
  if (platform === "darwin") execFileSync("codesign", ["--sign", "-", made]);
  for (const file of [main, config, blob]) rmSync(file);
  const texts = [join(built, "LICENSES.txt"), licenceOfNode()].map((file) => readFileSync(file, "utf8"));
  writeFileSync(join(folder, "LICENSES.txt"), texts.join("\n"));
}

/** Beside the program, a folder above it, or in the npm package of this platform's program. */
function licenceOfNode(): string {
  const name = `node-${isWindows ? "win" : platform}-${arch}`;
  const folders = [".", "..", `../node_modules/${name}`, `../../${name}`];
  const found = folders
    .map((one) => join(dirname(execPath), one, "LICENSE"))
    .find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(`No licence of Node.js, to go with the executable, is near ${execPath}`);
  return found;
}
