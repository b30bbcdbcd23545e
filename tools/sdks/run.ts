/**
 * Writes SDKs for other languages, and the schema with examples, which is published, by Pulumi's own generators, which are
 * Go. The plugin's schema has no examples, because each process of the plugin would load them.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../engine/command";
import { checkout } from "../engine/project";
import { moduleFolder, whyNoGo } from "../engine/pulumiCli";

async function main() {
  const env = { ...process.env, GOWORK: "off" };
  const noGo = await whyNoGo(env);
  if (noGo !== undefined) throw new Error(`The generators of SDKs can't be built: ${noGo}`);
  const sources = ["provider/hosts/plugin/schema.json", "examples/yaml/Pulumi.yaml"];
  const [schema = "", examples = "", sdks = ""] = [...sources, "sdks"].map((path) => join(checkout, path));
  rmSync(sdks, { recursive: true, force: true });
  const args = ["run", "-mod=readonly", "./sdks", schema, examples, sdks];
  const { code, stderr } = await execute("go", args, { cwd: moduleFolder, env });
  if (code !== 0) throw new Error(`Writing the SDKs failed:\n${stderr}`);
  console.log("Wrote SDKs for Python, Go and Node.js, and the schema with examples, into sdks/.");
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
