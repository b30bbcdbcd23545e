import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommandResult, type Environment, execute } from "../../tools/engine/command";
import { shellEnvironment } from "../../tools/engine/environment";
import { checkout, makeWorkFolder, quickly } from "../../tools/engine/folders";
import { userCli } from "../../tools/engine/userCli";

/** A user's shell in a folder, with a Pulumi CLI that runs programs by itself. */
export interface Terminal {
  /** Runs a command line as typed. The next one has its exported variables and its working directory. */
  run(line: string): Promise<CommandResult>;
}

/** Saves the shell's working directory and variables after a command line. */
const note = `node -e 'fs.writeFileSync(process.argv[1], JSON.stringify([process.cwd(), process.env]))'`;

/** Neither backend nor credentials are set, as for a new user. The CLI's own files are in the folder. */
export async function openTerminal(dir: string): Promise<Terminal> {
  const [home, temporary] = [join(dir, ".pulumi-home"), join(dir, ".tmp")];
  await Promise.all([home, temporary].map((folder) => mkdir(folder, { recursive: true })));
  // Outside the folder, because it contains exported variables, including tokens.
  const noted = join((await makeWorkFolder("shell", "terminal")).path, "left.json");
  let cwd = dir;
  let env: Environment = {
    ...shellEnvironment(checkout, [await userCli()]),
    ...quickly,
    TMPDIR: temporary,
    PULUMI_HOME: home,
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  return {
    async run(line) {
      const script = `${line}\ncode=$?\n${note} '${noted}'\nexit $code`;
      const result = await execute("sh", ["-c", script], { cwd, env });
      [cwd, env] = JSON.parse(await readFile(noted, "utf8"));
      return result;
    },
  };
}
