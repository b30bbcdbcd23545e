import { version } from "../package.json";
import { adopt } from "./adopt";
import type { Terminal } from "./command";
import { probe } from "./probe/index";
import { nodeProblem } from "./provider";
import { standin } from "./standin";

const usage = `Usage: npx pulumi-apikeys <command> [options]

  adopt     writes a program that adopts the existing keys of a workspace
  probe     shows how the service behaves, and what the provider does about it
  standin   runs the stand-in, an in-memory fake of the service

npx pulumi-apikeys <command> --help prints the options of a command.
npx pulumi-apikeys --version prints the version.
`;

/** Runs `pulumi-apikeys`. Returns the exit code: 2 where there is no such command, 1 on a Node.js that is too old. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const problem = nodeProblem();
  if (problem !== undefined) {
    terminal.err(`${problem}\n`);
    return 1;
  }
  const [name, ...rest] = args;
  if (name === "adopt") return adopt(rest, terminal);
  if (name === "probe") return probe(rest, terminal);
  if (name === "standin") return standin(rest, terminal);
  if (name === "--help" || name === "-h" || name === "help") {
    terminal.out(usage);
    return 0;
  }
  if (name === "--version") {
    terminal.out(`${version}\n`);
    return 0;
  }
  terminal.err(
    `pulumi-apikeys: ${name === undefined ? "no command given" : `unknown command ${name}`}\n\n${usage}`,
  );
  return 2;
}
