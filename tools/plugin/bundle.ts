/** Bundles the plugin into a folder, which may be named, with the licences of all that is in the bundle. */
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { bundle } from "../bundling";
import { checkout } from "../engine/project";

interface Part {
  /** The modules that it stands for. */
  readonly modules: RegExp;
  /** A script whose exports are these modules, by their names. */
  readonly script: string;
}

/**
 * Files of their own, because V8 takes memory for reading a file as a whole, more than it keeps. Besides, a process that
 * sends no request never reads undici's.
 */
const parts: Readonly<Record<string, Part>> = {
  "grpc.js": {
    modules: /^@grpc\/grpc-js$/,
    script: `exports["@grpc/grpc-js"] = require("@grpc/grpc-js");`,
  },
  // In place of undici's index, which brings mocks, caches and fetch: the part of it that the plugin uses, for proxies.
  "undici.js": {
    modules: /^undici(\/lib\/dispatcher\/agent\.js)?$/,
    script: `
      module.exports = {
        get "undici/lib/dispatcher/agent.js"() { return require("undici/lib/dispatcher/agent.js"); },
        get "undici"() {
          Object.assign(require("undici/lib/dispatcher/dispatcher.js").prototype, require("undici/lib/api/index.js"));
          return { EnvHttpProxyAgent: require("undici/lib/dispatcher/env-http-proxy-agent.js") };
        },
      };`,
  },
};

const fromParts: Plugin = {
  name: "from parts",
  setup: ({ onResolve, onLoad }) => {
    for (const [file, { modules }] of Object.entries(parts)) {
      onResolve({ filter: modules }, ({ path }) => ({ path, namespace: file }));
      onLoad({ filter: modules, namespace: file }, ({ path }) => ({
        contents: `module.exports = require("./${file}")[${JSON.stringify(path)}];`,
      }));
    }
  },
};

/** Leaves out what generated messages have for debugging. */
const plainMessages: Plugin = {
  name: "plain messages",
  setup: ({ onLoad }) => {
    onLoad({ filter: /_pb\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll("jspb.Message.GENERATE_TO_OBJECT", "false"),
    }));
  },
};

const options = {
  // Names are kept: of an unforeseen error users see the function that it comes from.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  // Leaves out undici's second parser, as Node.js does.
  define: { esbuildDetection: "true" },
  // grpc-js loads it for services that are described at run time: the plugin has none.
  external: ["@grpc/proto-loader", ...Object.keys(parts).map((file) => `./${file}`)],
} as const satisfies BuildOptions;

async function main([folder = "plugin"]: readonly string[]) {
  const licences = await bundle([
    {
      ...options,
      entryPoints: ["provider/hosts/plugin/main.ts"],
      outfile: join(folder, "provider.js"),
      plugins: [fromParts, plainMessages],
    },
    ...Object.entries(parts).map(([file, { script }]) => ({
      ...options,
      minifyIdentifiers: true,
      stdin: { contents: script, resolveDir: checkout },
      outfile: join(folder, file),
    })),
  ]);
  await writeFile(resolve(checkout, folder, "LICENSES.txt"), licences);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
