import { join } from "node:path";
import { execute } from "../../tools/engine/command";
import { moduleFolder, whyNoGo } from "../../tools/engine/pulumiCli";

/**
 * Builds into a folder, which must then be on PATH, what `pulumi import` needs to write TypeScript. The generator of
 * Pulumi's Node.js language host is in the Go modules of the CLI; the host itself is not. This one generates code but runs
 * no programs; the one in nodeLanguageHost runs them.
 */
export async function buildCodeGenerator(folder: string): Promise<void> {
  const env = { ...process.env, GOWORK: "off" };
  const noGo = await whyNoGo(env);
  if (noGo !== undefined) throw new Error(`The code generator can't be built: ${noGo}`);
  const args = ["build", "-mod=readonly", "-o", join(folder, "pulumi-language-nodejs"), "./languagehost"];
  const built = await execute("go", args, { cwd: moduleFolder, env });
  if (built.code !== 0) throw new Error(`The code generator can't be built:\n${built.output}`);
}
