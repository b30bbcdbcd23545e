/** Writes the package's schema, which the plugin hands to the engine. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as manifest from "../../package.json";
import { packageSchema } from "./schema";

writeFileSync(
  join(__dirname, "../../provider/hosts/plugin/schema.json"),
  `${JSON.stringify(packageSchema(manifest), null, 2)}\n`,
);
