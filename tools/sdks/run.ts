/** Writes SDKs for other languages from the package's schema, by Pulumi's own generators, which are Go. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../engine/command";
import { checkout } from "../engine/project";
import { moduleFolder, whyNoGo } from "../engine/pulumiCli";

async function main() {
  const env = { ...process.env, GOWORK: "off" };
  const noGo = await whyNoGo(env);
  if (noGo !== undefined) throw new Error(`The generators of SDKs can't be built: ${noGo}`);
  const [schema, sdks] = [join(checkout, "provider/hosts/plugin/schema.json"), join(checkout, "sdks")];
  rmSync(sdks, { recursive: true, force: true });
  const args = ["run", "-mod=readonly", "./sdks", schema, sdks];
  const { code, stderr } = await execute("go", args, { cwd: moduleFolder, env });
  if (code !== 0) throw new Error(`Writing the SDKs failed:\n${stderr}`);
  console.log("Wrote SDKs for Python, Go and Node.js into sdks/.");
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
