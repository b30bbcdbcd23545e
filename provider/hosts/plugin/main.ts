/** The plugin `pulumi-resource-apikeys`. The engine starts it with its address, and reads the port from stdout. */
import { setFlagsFromString } from "node:v8";
import { openInstance } from "../../instance";
import { openEngine } from "./engine";
import { serveRun } from "./process";
import { serve } from "./server";

/** Set when all is loaded: what Node.js has compiled beforehand is refused under other flags. */
const thrifty = [
  // The space for new objects would double with each few hundred resources, up to a hundred MiB, and to fill it takes as
  // much time as to collect it more often.
  "--semi-space-growth-factor=1",
  // undici's parser, which is WebAssembly, would be compiled a second time after some hundred answers, by V8's best
  // compiler, which takes 25 MiB for it.
  "--no-wasm-tier-up",
  "--no-wasm-dynamic-tiering",
];

const engine = openEngine();
const [, , address] = process.argv;
if (address !== undefined) engine.connect(address);
const run = serveRun(engine.warn);
const instance = openInstance({
  run,
  env: process.env,
  warn: engine.warn,
  tell: engine.tell,
  note: engine.note,
  importKey: "import it with `pulumi import apikeys:index:ApiKey <name> <workspaceId>/<keyId>`",
});
serve({ instance, engine, run }).then((port) => {
  for (const flag of thrifty) setFlagsFromString(flag);
  process.stdout.write(`${port}\n`);
});
