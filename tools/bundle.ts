/** Bundles what users load from dist into one file each, and writes the licences of what these files contain. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { licences } from "./bundling";
import { checkout } from "./engine/project";

const introduction = `# Third-party notices

The scripts in \`dist/cli\` and \`dist/provider\` contain parts of the packages below, under these licences. \`plugin/LICENSES.txt\` has those of the scripts in \`plugin\`.
`;

const options = {
  absWorkingDir: checkout,
  bundle: true,
  platform: "node",
  target: "node22",
  format: "cjs",
  allowOverwrite: true,
  metafile: true,
  // package.json has no `bugs` before a release.
  logOverride: { "import-is-undefined": "silent" },
  logLevel: "warning",
} as const satisfies BuildOptions;

async function main() {
  const built = await Promise.all([
    build({
      ...options,
      stdin: {
        contents: `export * from "./provider/hosts/dynamic"; export * as forCommand from "./cli/provider";`,
        resolveDir: checkout,
      },
      external: ["undici"],
      outfile: "dist/provider/hosts/dynamic/index.js",
    }),
    build({
      ...options,
      entryPoints: ["provider/functions.ts"],
      // Its packages are those of the host's bundle, which stays readable.
      minifyWhitespace: true,
      minifySyntax: true,
      external: ["undici"],
      outfile: "dist/provider/functions.js",
    }),
    build({
      ...options,
      entryPoints: ["cli/main.ts"],
      // In the package beside the command.
      external: ["../standin/index", "../provider/hosts/dynamic/index"],
      plugins: [
        {
          name: "the provider is in the dynamic host's bundle",
          setup: ({ onLoad }) =>
            onLoad({ filter: /cli.provider\.ts$/ }, () => ({
              contents: `module.exports = require("../provider/hosts/dynamic/index").forCommand;`,
            })),
        },
      ],
      outfile: "dist/cli/main.js",
    }),
  ]);
  const files = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  await writeFile(
    join(checkout, "THIRD_PARTY_NOTICES.md"),
    `${introduction}\n\`\`\`text\n${await licences(files)}\`\`\`\n`,
  );
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
