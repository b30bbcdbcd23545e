#!/usr/bin/env node
import { runCommand } from "./run";

void runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  // Only a command that has something to end asks for it; a signal ends any other at once.
  get stopped() {
    return new Promise<void>((resolve) => {
      process.once("SIGINT", () => resolve());
      process.once("SIGTERM", () => resolve());
    });
  },
}).then((code) => {
  process.exitCode = code;
});
