import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** The file with the last line of `.ci/run`. */
const file = process.env["TEST_TOTALS"] ?? join(__dirname, "../.work/totals.txt");

/** Writes at the end of a run how many tests passed and failed. */
// biome-ignore lint/style/noDefaultExport: Vitest asks for it.
export default class Totals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], outside: readonly SerializedError[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const failed = tests.filter((test) => test.result().state === "failed").length;
    // A file that can't be loaded has no tests, and after a hook that failed the tests count as skipped.
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const broken = suites.filter((suite) => suite.errors().length > 0).length;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${passed} passed, ${failed + broken + outside.length} failed\n`);
  }
}
