import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runDemo } from "../../examples/demo/run";
import { type CommandResult, execute, shellEnvironment } from "../../tools/engine/command";
import { checkout } from "../../tools/engine/project";
import { isAll } from "../all";

/** Runs the demo as `npm run demo` does, except for the build, which other tests are using. */
async function demo(): Promise<CommandResult> {
  const { scripts } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
  const [build, script = ""] = scripts.demo.split(" && ");
  expect(build).toBe("npm run build");
  const [command = "", ...args] = script.split(" ");
  return execute(command, args, { cwd: checkout, env: shellEnvironment(checkout, []) });
}

/** The last column of the final table. */
function resultsIn(output: string): readonly string[] {
  const [, table = ""] = output.split("What was checked\n\n");
  const [rows = ""] = table.split("\n\n");
  return rows
    .split("\n")
    .slice(1)
    .map((row) => row.split("   ").at(-1)?.trim() ?? "");
}

describe("the demo", () => {
  let run: CommandResult;

  beforeAll(async () => {
    run = await demo();
  });

  it("the demo succeeds in every step", () => {
    expect(run.code, run.output).toBe(0);
    expect(resultsIn(run.stdout)).toEqual(Array(10).fill("ok"));
    expect(run.stdout.match(/^checked: /gm)).toHaveLength(9);
    expect(run.stdout).not.toContain("FAILED:");
  });

  it("the demo shows the engine's own output, without colours if there is no terminal", () => {
    for (const text of ["+ 3 to create", "+ 3 created", "+-1 replaced", "- 3 deleted"]) {
      expect(run.stdout).toContain(text);
    }
    expect(run.stdout).toContain(`~ name       : "shop" => "shop-old"`);
    expect(run.stdout).not.toContain("\u001b");
  });

  it("the demo shows secrets as the engine does, and no secret of the stand-in", () => {
    expect(run.stdout).toContain("shopKey         : [secret]");
    expect(run.output).not.toMatch(/sk_\w{8}/);
    expect(run.output).not.toContain("standin-access-token");
  });
});

it.runIf(isAll)(
  "the demo says which step failed, with both values, skips the following ones, and destroys what it has created",
  async () => {
    const printed: string[] = [];
    const { ok, verdicts } = await runDemo({
      variant: { patchScopes: "neverNarrows" },
      print: (text) => printed.push(text),
    });
    expect(ok).toBe(false);
    const results = ["ok", "ok", "ok", "ok", "FAILED", "not run", "not run", "not run", "ok", "ok"];
    expect(verdicts.map((verdict) => verdict.result)).toEqual(results);
    expect(resultsIn(printed.join(""))).toEqual(results);
    expect(printed.join("")).toContain(`FAILED: the key in the service matches the program.
  expected: {"name":"shop","enabled":true,"scopes":"customers (read), orders (create, read, update)"}
  actual:   {"name":"shop","enabled":true,"scopes":"customers (read), orders (create, read, update), refunds (create)"}
`);
    expect(verdicts.at(-2)?.requests).toEqual({ DELETE: 2 });
  },
);
