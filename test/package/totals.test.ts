import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { execute } from "../../tools/engine/command";
import { shellEnvironment } from "../../tools/engine/environment";
import { checkout, makeWorkFolder } from "../../tools/engine/folders";

const passing = `import { it } from "vitest"; it("passes", () => {});`;
const runs: Readonly<Record<string, { readonly files: Readonly<Record<string, string>>; line: string }>> = {
  "only tests that pass": { files: { passing }, line: "1 passed, 0 failed" },
  "a test that fails": {
    files: { passing, failing: `${passing} it("fails", () => { throw new Error(); });` },
    line: "2 passed, 1 failed",
  },
  "a file that can't be loaded": {
    files: { passing, broken: `import "./missing";\n${passing}` },
    line: "1 passed, 1 failed",
  },
  "a hook that fails": {
    files: {
      passing,
      hook: `import { beforeAll } from "vitest"; beforeAll(() => { throw new Error(); });\n${passing}`,
    },
    line: "1 passed, 1 failed",
  },
  "an error outside of tests": {
    files: { outside: `${passing}\nvoid Promise.reject(new Error());` },
    line: "1 passed, 1 failed",
  },
};

it.each(Object.entries(runs))("the totals of a run with %s", async (_, { files, line }) => {
  const { path: folder, remove } = await makeWorkFolder("package", "totals");
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.test.ts`), text);
    const totals = join(folder, "totals.txt");
    const vitest = join(checkout, "node_modules", ".bin", "vitest");
    const test = { reporters: [join(checkout, "test/totals.ts")] };
    await writeFile(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify({ test })}`);
    const env = { ...shellEnvironment(checkout, []), TEST_TOTALS: totals };
    const { code, output } = await execute(vitest, ["run"], { cwd: folder, env });
    expect(await readFile(totals, "utf8"), output).toBe(`${line}\n`);
    expect(code === 0).toBe(line.endsWith(" 0 failed"));
  } finally {
    await remove();
  }
});
