/** The plugin `pulumi-resource-apikeys`. The engine reads the port from stdout. */
import "./early";
import { isDebugging } from "../../client/send";
import { openInstance } from "../../instance";
import { serveRun } from "../process";
import { openEngine } from "./engine";
import { serve } from "./server";

const engine = openEngine();
const run = serveRun(engine.warn);
const instance = openInstance({
  run,
  env: process.env,
  warn: engine.warn,
  note: engine.note,
  // The CLI shows stderr only with --debug, which prints secrets.
  log: isDebugging() ? engine.note : undefined,
  progress: { show: engine.progress, everyMs: 1_000 },
  seconds: engine.seconds,
});
serve({ instance, engine, run }).then((port) => {
  process.stdout.write(`${port}\n`);
});
