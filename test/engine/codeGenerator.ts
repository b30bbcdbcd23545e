import { join } from "node:path";
import { execute } from "./command";
import { moduleFolder, whyNoGo } from "./pulumiCli/build";

/**
 * Puts into a folder, which is to be on PATH, what `pulumi import` writes TypeScript with: the generator of Pulumi's
 * Node.js language host, which is in the Go modules of the CLI, as the host itself is not. It runs no program, which the
 * one in nodeLanguageHost does.
 */
export async function buildCodeGenerator(folder: string): Promise<void> {
  const env = { ...process.env, GOWORK: "off" };
  const noGo = await whyNoGo(env);
  if (noGo !== undefined) throw new Error(`The code generator can't be built: ${noGo}`);
  const args = ["build", "-mod=readonly", "-o", join(folder, "pulumi-language-nodejs"), "./languagehost"];
  const built = await execute("go", args, { cwd: moduleFolder, env });
  if (built.code !== 0) throw new Error(`The code generator can't be built:\n${built.output}`);
}
