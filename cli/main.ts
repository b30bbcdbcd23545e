#!/usr/bin/env node
import { runCommand } from "./command";

const stopped = new Promise<void>((resolve) => {
  process.once("SIGINT", () => resolve());
  process.once("SIGTERM", () => resolve());
});

void runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  stopped,
}).then((code) => {
  process.exitCode = code;
});
