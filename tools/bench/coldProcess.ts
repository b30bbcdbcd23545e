/**
 * A fresh process that does one thing and ends. `host`: evaluates a provider string and lets it check inputs, as the
 * host does. `load`: loads modules, as a program does.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { declaredKeys } from "./keys";

interface Handed {
  handler(): { check(olds: object, news: object): Promise<{ failures: readonly unknown[] }> };
}

async function act([kind, ...what]: readonly string[]): Promise<void> {
  // As from the project in whose folder it runs.
  const load = createRequire(join(process.cwd(), "index.js"));
  if (kind === "load") {
    for (const name of what) load(name);
    return;
  }
  const exported = {} as Handed;
  new Function("exports", "require", what[0] ?? "")(exported, load);
  const { failures } = await exported.handler().check({}, declaredKeys(1, "up")[0] ?? {});
  if (failures.length > 0) throw new Error(JSON.stringify(failures));
}

act(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
