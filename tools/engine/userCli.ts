import { copyFile, link, symlink } from "node:fs/promises";
import { join } from "node:path";
import { checkout, makeWorkFolder } from "./folders";
import { isExecutable, pulumiCli, shim } from "./pulumiCli";

const languageHost = "pulumi-language-nodejs";
let made: Promise<string> | undefined;

/**
 * The folder of a CLI that runs Node.js programs as a user's does; it must come first on PATH. A CLI that was built from
 * its Go modules lacks the language host, and gets the tests' own.
 */
export function userCli(): Promise<string> {
  made ??= make();
  return made;
}

async function make(): Promise<string> {
  const bin = join((await pulumiCli()).root, "bin");
  if (await isExecutable(join(bin, languageHost))) return bin;
  const { path } = await makeWorkFolder("cli", "bin");
  // The CLI warns if its language host is not beside it, and it resolves symbolic links to find its own folder.
  for (const file of ["pulumi", shim])
    await link(join(bin, file), join(path, file)).catch(() => copyFile(join(bin, file), join(path, file)));
  await symlink(join(checkout, "test", "engine", "nodeLanguageHost", languageHost), join(path, languageHost));
  return path;
}
