/** Bundles the plugin into one file, which may be named, and writes beside it the licences of all that is in it. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { checkout } from "../../test/engine/folders";

/** In place of undici's index, which brings mocks, caches and fetch: the part of it that the plugin uses, for proxies. */
const partOfUndici: Plugin = {
  name: "part of undici",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: "part" }));
    onLoad({ filter: /^undici$/, namespace: "part" }, () => ({
      resolveDir: checkout,
      contents: `
        Object.assign(require("undici/lib/dispatcher/dispatcher.js").prototype, require("undici/lib/api/index.js"));
        exports.EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent.js");`,
    }));
  },
};

async function main([outfile = "plugin/provider.js"]: readonly string[]) {
  const { metafile } = await build({
    absWorkingDir: checkout,
    entryPoints: ["provider/hosts/plugin/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node22",
    format: "cjs",
    // Names are kept: of an unforeseen error users see the function that it comes from.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    // Leaves out undici's second parser, as Node.js does.
    define: { esbuildDetection: "true" },
    // grpc-js loads it for services that are described at run time: the plugin has none.
    external: ["@grpc/proto-loader"],
    plugins: [partOfUndici],
    metafile: true,
    logLevel: "warning",
  });
  await writeFile(
    resolve(checkout, dirname(outfile), "LICENSES.txt"),
    await licences(Object.keys(metafile.inputs)),
  );
}

/** Each text once, after the names of the packages that it is of. */
async function licences(files: readonly string[]): Promise<string> {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const packages = new Map<string, string[]>();
  for (const folder of [...folders].toSorted()) {
    const name = (await readdir(join(checkout, folder))).find((one) =>
      /^licen[cs]e(\.md|\.txt)?$/i.test(one),
    );
    if (name === undefined) throw new Error(`${folder}, a part of the plugin, has no licence to pass on`);
    const text = (await readFile(join(checkout, folder, name), "utf8")).trim();
    packages.set(text, [...(packages.get(text) ?? []), folder.replace(/^.*node_modules\//, "")]);
  }
  return [...packages]
    .map(([text, names]) => `${names.join(", ")}\n\n${text}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
