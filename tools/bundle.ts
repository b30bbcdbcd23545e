/**
 * Bundles what users load from dist into one file each, writes the licences of what these files contain, and the links in
 * declarations.
 */
import { glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../package.json";
import { bundle } from "./bundling";
import { withLinks } from "./docLinks";
import { checkout } from "./engine/project";

const introduction = `# Third-party notices

The scripts in \`dist/cli\` and \`dist/provider\` contain parts of the packages below, under these licences. \`plugin/LICENSES.txt\` has those of the scripts in \`plugin\`.
`;

async function main() {
  const licences = await bundle([
    {
      stdin: {
        contents: `export * from "./provider/hosts/dynamic"; export * as forCommand from "./cli/provider";`,
        resolveDir: checkout,
      },
      external: ["undici"],
      outfile: "dist/provider/hosts/dynamic/index.js",
      allowOverwrite: true,
    },
    {
      entryPoints: ["provider/functions.ts"],
      // Its packages are those of the host's bundle, which stays readable.
      minifyWhitespace: true,
      minifySyntax: true,
      external: ["undici"],
      outfile: "dist/provider/functions.js",
      allowOverwrite: true,
    },
    {
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
      allowOverwrite: true,
    },
  ]);
  for await (const file of glob("dist/**/*.d.ts", { cwd: checkout })) {
    const path = join(checkout, file);
    await writeFile(path, withLinks(await readFile(path, "utf8"), packageJson));
  }
  await writeFile(
    join(checkout, "THIRD_PARTY_NOTICES.md"),
    `${introduction}\n\`\`\`text\n${licences}\`\`\`\n`,
  );
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
