import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that only `npm run test:all` runs; those after the colons test the same rules once. See also test/all.ts. */
const onlyInAll = [
  // The commands and programs on the pages, which other tests run too or at least compile.
  "test/engine/pages.test.ts",
  // Whether the bench runs, which no rule requires.
  "test/bench/**",
  // More ways to interrupt a run: engine/interruption, host/ending.
  "test/engine/interruptionKilled.test.ts",
  // Secrets again, with more faults: engine/{declaredSecrets,lifecycle…}, client/secrecy.
  "test/engine/canary.test.ts",
  // When the engine passes which token: unit/core/config, host/configuration.
  "test/engine/tokenRotation.test.ts",
  // Programs in Python, Go and YAML, which need generated SDKs and a language host.
  "test/engine/languages.test.ts",
  // It builds a code generator: engine/import.
  "test/engine/importMany.test.ts",
];

/** Short files whose tests take long. */
const long = /\/engine\/(lifecycle\w+|readme|snapshotShape)\.test\.ts$/;

/** Starts with the files that take long, so that no core is idle at the end. In a new clone, Vitest knows only file sizes. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { first = [], then = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      long.test(moduleId) ? "first" : "then",
    );
    return [...first, ...then];
  }
}

/** One tier of tests, in the folder test/<name>. */
const tier = (name: string, options: Readonly<Record<string, unknown>> = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...options },
});

// biome-ignore lint/style/noDefaultExport: Vitest asks for it.
export default defineConfig(({ mode }) => ({
  test: {
    exclude: mode === "all" ? [] : onlyInAll,
    reporters: ["default", "./test/tierTimes.ts", "./test/totals.ts"],
    pool: "forks",
    // With a process for each file, every file would load the same modules again.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // One more than cores, because tests wait for processes and timers.
    maxWorkers: availableParallelism() + 1,
    // Automation API and a program share one @pulumi/pulumi: that of Node's own require.
    server: { deps: { external: [/node_modules/] } },
    projects: [
      tier("unit", { testTimeout: 20_000 }),
      tier("client", { testTimeout: 20_000 }),
      tier("host", {
        globalSetup: ["test/host/globalSetup.ts"],
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
      tier("campaign", { globalSetup: ["test/host/globalSetup.ts"], testTimeout: 180_000 }),
      tier("bench", {
        globalSetup: ["test/engine/globalSetup.ts"],
        testTimeout: 180_000,
        sequence: { groupOrder: 1 },
      }),
      tier("package", {
        globalSetup: ["test/package/globalSetup.ts"],
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
      tier("engine", {
        globalSetup: ["test/engine/globalSetup.ts"],
        testTimeout: 300_000,
        hookTimeout: 300_000,
        // After the quick tiers, which show sooner and more precisely what is broken.
        sequence: { groupOrder: 1 },
      }),
    ],
  },
}));
