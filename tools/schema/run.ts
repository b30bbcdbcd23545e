/** Writes the package's schema, which the plugin hands to the engine: run.ts [<URL of the repository that releases it>]. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageSchema } from "./schema";

writeFileSync(
  join(__dirname, "../../provider/hosts/plugin/schema.json"),
  `${JSON.stringify(packageSchema(process.argv[2]), null, 2)}\n`,
);
