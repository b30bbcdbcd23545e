import { chmod, cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type StandIn, startStandIn } from "../../standin";
import { type CommandResult, type Environment, execute, shellEnvironment } from "../../tools/engine/command";
import { checkout, makeWorkFolder, packedPackage, quickly } from "../../tools/engine/project";
import { userCli } from "../../tools/engine/pulumiCli";
import { codeBlocks, linesOf } from "../package/readmeText";
import { expectKept } from "./expectations";

/** A command line of a page, with its result. */
export interface Followed extends CommandResult {
  readonly line: string;
  /** The lines of output that the page shows but that were not printed. */
  readonly missing: readonly string[];
}

/** A reader who follows a page in an empty folder. */
export interface Reader {
  readonly dir: string;
  /** The stand-in that the page started. */
  service(): StandIn;
  /** Writes the files and runs the command lines of a page, in their order. */
  follow(text: string): Promise<readonly Followed[]>;
  /** Runs a command line that no page shows. */
  run(line: string): Promise<CommandResult>;
  /** Writes a file that no page shows, or changes one. */
  write(file: string, text: string): Promise<void>;
  close(): Promise<void>;
}

const standIn = /^npx pulumi-apikeys standin --port (\d+)$/;

/** Two things differ from the page: packages come from the checkout, and the stand-in gets any free port. */
export async function newReader(name: string): Promise<Reader> {
  const { path: dir, remove } = await makeWorkFolder("engine", name);
  const terminal = await openTerminal(dir);
  const printed: string[] = [];
  let service: StandIn | undefined;
  let address = "";

  const started = () => {
    if (service === undefined) throw new Error("the page has started no stand-in");
    return service;
  };
  const here = (text: string) => (service === undefined ? text : text.replaceAll(address, service.url));
  const write = (file: string, text: string) => writeFile(join(dir, file), here(text));
  const run = async (line: string): Promise<CommandResult> => {
    const result = await terminal.run(here(line));
    if (!line.includes("--show-secrets")) printed.push(result.output);
    return result;
  };
  const instead = async (line: string): Promise<CommandResult> => {
    const [, port] = standIn.exec(line) ?? [];
    const [, packages] = /^npm install (.+)$/.exec(line) ?? [];
    if (port === undefined && packages === undefined) return run(line);
    if (port !== undefined) {
      address = `http://127.0.0.1:${port}`;
      service = await startStandIn();
    }
    for (const each of packages?.split(" ") ?? []) await install(each, dir);
    return { code: 0, stdout: "", stderr: "", output: "" };
  };
  return {
    dir,
    service: started,
    run,
    write,
    async follow(text) {
      const followed: Followed[] = [];
      for (const { language, file, text: code } of codeBlocks(text)) {
        const last = followed.at(-1);
        if (language === "sh") {
          for (const line of linesOf(code)) followed.push({ line, missing: [], ...(await instead(line)) });
        } else if (language === "text" && last !== undefined) {
          followed.splice(-1, 1, { ...last, missing: missingIn(last.output, here(code)) });
        } else if (file !== undefined) await write(file, code);
      }
      return followed;
    },
    async close() {
      try {
        await expectKept(service?.secrets() ?? [], printed, dir);
      } finally {
        await Promise.all([service?.close(), remove()]);
      }
    },
  };
}

/** Puts our package into the folder's node_modules. Other packages resolve from the checkout. */
async function install(name: string, dir: string): Promise<void> {
  const { name: own, bin } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
  if (name !== own) {
    await readFile(join(checkout, "node_modules", name, "package.json"));
    return;
  }
  const modules = join(dir, "node_modules");
  await cp((await packedPackage()).folder, join(modules, own), { recursive: true });
  for (const [command, file] of Object.entries<string>(bin)) {
    const path = join(modules, ".bin", command);
    await mkdir(dirname(path), { recursive: true });
    await chmod(join(modules, own, file), 0o755);
    await symlink(join("..", own, file), path);
  }
}

/** The shown lines that a command did not print, compared without table borders and times. */
function missingIn(output: string, shown: string): readonly string[] {
  const plain = (text: string) =>
    text
      .split("\n")
      .map((line) =>
        line
          .replace(/[├└│─]/g, " ")
          .replace(/\d[\d.]*s\b/g, "")
          .replace(/\s+/g, " ")
          .trim(),
      )
      .filter((line) => line !== "" && !/^Type Name (Plan|Status)\b/.test(line) && line !== "…");
  const printed = new Set(plain(output));
  return plain(shown).filter((line) => !printed.has(line));
}

/** A user's shell in a folder, with a Pulumi CLI that runs programs by itself. */
interface Terminal {
  /** Runs a command line as typed. The next one has its exported variables and its working directory. */
  run(line: string): Promise<CommandResult>;
}

/** Saves the shell's working directory and variables after a command line. */
const note = `node -e 'fs.writeFileSync(process.argv[1], JSON.stringify([process.cwd(), process.env]))'`;

/** Neither backend nor credentials are set, as for a new user. The CLI's own files are in the folder. */
async function openTerminal(dir: string): Promise<Terminal> {
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
