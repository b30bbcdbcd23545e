/** Writes the package's schema, which the plugin hands to the engine, and the pages for the Pulumi Registry. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as manifest from "../../package.json";
import { registryPages } from "./pages";
import { packageSchema } from "./schema";

const written = {
  "provider/hosts/plugin/schema.json": `${JSON.stringify(packageSchema(manifest), null, 2)}\n`,
  ...registryPages(manifest),
};
for (const [path, text] of Object.entries(written)) writeFileSync(join(__dirname, "../..", path), text);
