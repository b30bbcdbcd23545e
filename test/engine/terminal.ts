import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommandResult, type Environment, execute } from "./command";
import { shellEnvironment } from "./environment";
import { checkout, makeWorkFolder, quickly } from "./folders";
import { userCli } from "./userCli";

/** A user's shell in a folder, with a Pulumi CLI that runs programs by itself. */
export interface Terminal {
  /** Runs a command line as typed. What it exports, and where it goes, holds for the next one. */
  run(line: string): Promise<CommandResult>;
}

/** Notes where a command line leaves the shell. */
const note = `node -e 'fs.writeFileSync(process.argv[1], JSON.stringify([process.cwd(), process.env]))'`;

/** Nothing of the user's is set: neither where state is, nor credentials. What the CLI keeps of its own is in the folder. */
export async function openTerminal(dir: string): Promise<Terminal> {
  const [home, temporary] = [join(dir, ".pulumi-home"), join(dir, ".tmp")];
  await Promise.all([home, temporary].map((folder) => mkdir(folder, { recursive: true })));
  // Elsewhere: it holds what the user exports, tokens too.
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
