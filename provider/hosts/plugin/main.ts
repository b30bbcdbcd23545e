/** The plugin `pulumi-resource-apikeys`. The engine reads the port from stdout. */
import "./early";
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
});
serve({ instance, engine, run }).then((port) => {
  process.stdout.write(`${port}\n`);
});
