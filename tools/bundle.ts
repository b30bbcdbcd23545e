/** Bundles what users load from dist into one file each, and writes the licences of what these files contain. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { checkout } from "./engine/folders";
import { licences } from "./licences";

const introduction = `# Third-party notices

The scripts in \`dist/cli\` and \`dist/provider\` contain parts of the packages below, under these licences. \`plugin/LICENSES.txt\` has those of the scripts in \`plugin\`.
`;

async function main() {
  const { metafile } = await build({
    absWorkingDir: checkout,
    entryPoints: ["provider/hosts/dynamic/index.ts", "provider/functions.ts", "cli/main.ts"],
    outbase: ".",
    outdir: "dist",
    allowOverwrite: true,
    bundle: true,
    platform: "node",
    target: "node22",
    format: "cjs",
    // The stand-in is in the package beside the command.
    external: ["undici", "../standin/index"],
    metafile: true,
    // package.json has no `bugs` before a release.
    logOverride: { "import-is-undefined": "silent" },
    logLevel: "warning",
  });
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  await writeFile(
    join(checkout, "THIRD_PARTY_NOTICES.md"),
    `${introduction}\n\`\`\`text\n${await licences(files)}\`\`\`\n`,
  );
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
