import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { command, needSettings, type Terminal } from "../command";
import { asFailure, configuration, Failure, maskSecrets, oneLine, openRun, usable } from "../provider";
import { isUsable, opening, reading } from "./reading";
import { changes, fileOf, resultOf, table } from "./report";
import { Service } from "./service";
import { cleanUp, created, keyName, writing } from "./writing";

const usage = `Usage: npx pulumi-apikeys probe [options]

Shows how the service behaves where its interface leaves it open, and what the provider does about it. Reads the service
at APIKEYS_BASE_URL with APIKEYS_ACCESS_TOKEN, both from the environment. Without --write, it changes nothing there.

  --workspace ID   the workspace to look at (default: the first in the list)
  --write          create, edit, disable and delete up to three keys, too; that takes up to 40 seconds. They have no
                   rights, and their names say what they are. Needs --workspace and --customer
  --customer ID    the customer of these keys
  --json           print JSON instead of a table
  --save FILE      write a description of the service, for \`standin --like\` and --against
  --against FILE   print what has changed since an earlier probe wrote this file
  --help           print this help

Exit code: 0 all promises that were looked at hold; 1 one does not, the service has changed, or a key may be left;
2 the service could not be looked at.
`;

/** The command `pulumi-apikeys probe`. */
export const probe = command("probe", usage, readOptions, async (options, terminal) => {
  const tell = (line: string) => terminal.err(`pulumi-apikeys probe: ${oneLine(line)}\n`);
  try {
    return await run(options, terminal, tell);
  } catch (error) {
    tell(asFailure(error).message);
    return 2;
  }
});

function readOptions(args: string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const options = { workspace: text, customer: text, write: flag, json: flag, save: text, against: text };
  const { values } = parseArgs({ args, options });
  if (!values.write || (values.workspace && values.customer)) return values;
  throw new Error("--write needs --workspace and --customer");
}

async function run(given: ReturnType<typeof readOptions>, terminal: Terminal, tell: (line: string) => void) {
  const { env, pause } = terminal;
  needSettings(env);
  const before = given.against === undefined ? undefined : await onFile(readFile(given.against, "utf8"));
  const options = { workspaceId: given.workspace, customerId: given.customer, isWriting: given.write, pause };
  const configured = usable(configuration({ argument: {}, stack: {} }, env));
  const closing = openRun();
  const service = new Service({ ...options, configuration: configured, run: closing });
  let stays: readonly string[] = [];
  await service.sendAll(opening);
  if (isUsable(service)) await service.sendAll(reading);
  if (given.write && isUsable(service)) {
    tell(
      `Creates up to three keys without rights in workspace ${given.workspace}, edits and deletes them. If it is killed, delete those named "${keyName(service).trim()}".`,
    );
    void terminal.stopped.then(() => {
      closing.close("the probe was stopped");
      tell("Stopping: deletes its keys.");
    });
    try {
      await service.sendAll(writing);
    } finally {
      stays = await cleanUp(service);
      for (const name of stays) tell(`This key may be left. Delete it: ${name.trim()}`);
    }
  }
  await service.close();
  const questions = isUsable(service) ? [...opening, ...reading, ...writing] : opening;
  const all = questions.flatMap((each) => ("read" in each ? [resultOf(service, each)] : []));
  const masked = (text: string) => maskSecrets(text, [...service.secrets]);
  const file = fileOf(all);
  const changed = before === undefined ? [] : changes(before, all);
  const isSeen = isUsable(service) && !closing.closed.aborted;
  const isBroken = stays.length + changed.length > 0 || all.some(({ breaks }) => breaks);
  const exitCode = !isSeen || (given.write && !service.if(created)) ? 2 : isBroken ? 1 : 0;
  const json = { exitCode, changed, ...file, findings: all };
  terminal.out(
    masked(given.json ? `${JSON.stringify(json, null, 2)}\n` : `${table(all)}${ends[exitCode]}\n`),
  );
  if (before !== undefined) tell(`Changed since then: ${changed.join("; ") || "nothing"}.`);
  if (given.save) await onFile(writeFile(given.save, masked(`${JSON.stringify(file, null, 2)}\n`)));
  return exitCode;
}

const ends = [
  "All promises of docs/guarantees.md that were looked at hold.",
  "A promise of docs/guarantees.md does not hold (✗), the service has changed, or a key may be left.",
  "The service could not be looked at, or not to the end.",
];

async function onFile<T>(done: Promise<T>): Promise<T> {
  return done.catch((error: Error) => {
    throw new Failure("wrongInput", `The file can't be used: ${error.message}.`);
  });
}
