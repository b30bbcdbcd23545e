/** Writes the package's schema, which the plugin hands to the engine. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as manifest from "../../package.json";
import { packageSchema } from "./schema";

const path = join(__dirname, "../../provider/hosts/plugin/schema.json");
writeFileSync(path, `${JSON.stringify(packageSchema(manifest), null, 2)}\n`);
